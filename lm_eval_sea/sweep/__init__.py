"""Many models on many tasks: `lm-eval-sea sweep`."""
