"""`lm-eval-sea run`: lm-eval's command with the pack's tasks and backends, checks before and a short table after."""
