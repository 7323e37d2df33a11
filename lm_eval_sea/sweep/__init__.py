"""Many models on many tasks: `lm-eval-sea sweep`. What is wrong with a plan, or cannot be had here, is a `PlanError`."""
