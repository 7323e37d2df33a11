"""Normalisation between chance and 100: that of the tasks, which must be importable without this package."""

from lm_eval_sea.tasks._shared.metrics.normalisation import normalised_score

__all__ = ["normalised_score"]
