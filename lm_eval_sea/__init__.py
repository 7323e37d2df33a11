"""lm_eval_sea: a task pack for lm-evaluation-harness that evaluates language models on Southeast Asian languages."""

from lm_eval_sea.tasks._shared import __version__ as __version__
