"""Many models on many tasks: `lm-eval-sea sweep`. A `PlanError` says what is wrong with a plan, or not available here."""
