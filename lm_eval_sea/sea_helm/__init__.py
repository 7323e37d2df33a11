"""What SEA-HELM computes from samples of lm-eval runs."""

from lm_eval_sea.catalogue.refusal import Refusal


class SeaHelmError(Refusal, RuntimeError):
    """A judge, its prompts or a model of metrics cannot be used; one line that says what and how to mend it."""
