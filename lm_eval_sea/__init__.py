"""lm_eval_sea: a task pack for lm-evaluation-harness that evaluates language models on Southeast Asian languages."""

from lm_eval_sea.tasks._shared import __version__ as __version__


class Refusal(Exception):  # noqa: N818 (what it is of is in the names of its subclasses)
    """What a command cannot do; its text says in one line what is wrong and how to mend it."""
