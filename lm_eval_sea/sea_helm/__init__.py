"""What SEA-HELM computes from samples of lm-eval runs."""


class SeaHelmError(RuntimeError):
    """A judge, its prompts or a model of metrics cannot be used; one line that says what and how to mend it."""
