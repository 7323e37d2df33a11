"""Metrics over all rows of a classification task, with standard errors, in the form of lm-eval's aggregations.

lm-eval knows no standard error for an aggregation that is not its own. It writes the one of a metric `x` under the name
`x_stderr`, so here every such metric has a twin of that name, whose aggregation gives the standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.metrics import f1_score

from .calibration import batch_biases, batch_log_shares, subtract_bias
from .ranking import first_maximum


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


DRAWS = 100
SEED = 1234


class Choice(NamedTuple):
    """A row's right label, the label chosen, and how many labels there are."""

    gold: int
    chosen: int
    labels: int


class Evidence(NamedTuple):
    """A row's right label and the log-likelihoods of all labels, nats."""

    gold: int
    loglikelihoods: Sequence[float]


def macro_f1(rows: Sequence[Choice]) -> float:
    """Unweighted mean of the F1 of all labels of the task; a label that never occurs and is never chosen has F1 = 0."""
    golds, chosen, labels = zip(*rows, strict=True)
    return float(f1_score(golds, chosen, labels=range(labels[0]), average="macro", zero_division=0))


def batch_calibrated_choices(
    rows: Sequence[Evidence], bias: Callable[[Sequence[Sequence[float]]], list[float]] = batch_biases
) -> list[Choice]:
    """The choice of batch calibration for each row; it depends on all of them. `bias` is `batch_biases` or `batch_log_shares`."""
    biases = bias([row.loglikelihoods for row in map(Evidence._make, rows)])
    return [Choice(gold, first_maximum(subtract_bias(loglikelihoods, biases)), len(biases)) for gold, loglikelihoods in rows]


def batch_calibrated_accuracy(rows: Sequence[Evidence]) -> float:
    """Share of rows on which batch calibration chooses the right label."""
    choices = batch_calibrated_choices(rows)
    return sum(choice.gold == choice.chosen for choice in choices) / len(choices)


def batch_share_calibrated_accuracy(rows: Sequence[Evidence]) -> float:
    """The same with the mean of the probabilities in place of that of their logarithms, see `batch_log_shares`."""
    choices = batch_calibrated_choices(rows, batch_log_shares)
    return sum(choice.gold == choice.chosen for choice in choices) / len(choices)


def batch_calibrated_macro_f1(rows: Sequence[Evidence]) -> float:
    """Macro-F1 of the choices of batch calibration."""
    return macro_f1(batch_calibrated_choices(rows))


def bootstrap_stderr(metric: Callable[[Sequence[Any]], float], rows: Sequence[Any]) -> float:
    """Standard deviation of a metric over 100 seeded resamples of the rows (bootstrap); 0 for fewer than two rows.

    The order of the rows, which depends on the number of processes, makes no difference.
    """
    rows = sorted(rows)
    return spread_over_resamples(lambda places: metric([rows[place] for place in places]), len(rows))


def spread_over_resamples(score: Callable[[np.ndarray], float], count: int, draws: int = DRAWS) -> float:
    """Standard deviation of a score over seeded resamples of rows, whose places it gets, (count,); 0 for fewer than two rows."""
    if count < 2:
        return 0.0
    generator = np.random.default_rng(SEED)
    return float(np.std([score(generator.integers(0, count, count)) for _ in range(draws)], ddof=1))


def macro_f1_stderr(rows: Sequence[Choice]) -> float:
    """Bootstrap standard error of `macro_f1`."""
    return bootstrap_stderr(macro_f1, rows)


def batch_calibrated_accuracy_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_calibrated_accuracy`; every resample is calibrated anew."""
    return bootstrap_stderr(batch_calibrated_accuracy, rows)


def batch_share_calibrated_accuracy_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_share_calibrated_accuracy`; every resample is calibrated anew."""
    return bootstrap_stderr(batch_share_calibrated_accuracy, rows)


def batch_calibrated_macro_f1_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_calibrated_macro_f1`; every resample is calibrated anew."""
    return bootstrap_stderr(batch_calibrated_macro_f1, rows)
