"""lm_eval_sea: a task pack for lm-evaluation-harness that evaluates language models on Southeast Asian languages."""

__version__ = "0.1.0"
