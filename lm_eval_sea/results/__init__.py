"""Reading what lm-eval writes, and the uncertainty of its numbers."""
