"""Metrics over all rows of a classification task, with standard errors, in the form of lm-eval's aggregations.

lm-eval has no standard errors for aggregations that are not its own. It writes the standard error of a metric `x` as
`x_stderr`. So every such metric here has a twin of that name, whose aggregation gives the standard error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .calibration import EQUAL_DECIMALS, batch_biases, batch_log_shares, log_softmax


if TYPE_CHECKING:
    from collections.abc import Sequence


Bias = Callable[[np.ndarray], np.ndarray]  # log-shares, (rows, labels) → what to subtract from the labels' scores, (labels,)
DRAWS = 1000  # cheap, because a draw only adds up the counts of rows
SEED = 1234


class Choice(NamedTuple):
    """A row's right label, its chosen label, and the number of labels."""

    gold: int
    chosen: int
    labels: int


class Evidence(NamedTuple):
    """A row's right label and the log-likelihoods of all labels, nats."""

    gold: int
    loglikelihoods: Sequence[float]


def label_counts(golds: Sequence[int] | np.ndarray, chosen: Sequence[int] | np.ndarray, labels: int) -> np.ndarray:
    """The counts of macro-F1, (rows, 2 · labels): whether a label was rightly chosen, and how often it is right or chosen.

    Counts of rows add up. A choice equal to `labels` is none of the labels.
    """
    members = np.eye(labels + 1, labels)
    gold, chose = members[np.asarray(golds)], members[np.asarray(chosen)]
    return np.hstack([gold * chose, gold + chose])


def macro_f1_of_counts(sums: np.ndarray) -> np.ndarray:
    """Macro-F1, (…), from sums of counts, (…, 2 · labels): the mean over labels of 2 · hits / (right + chosen)."""
    hits, both = np.split(sums, 2, axis=-1)
    means: np.ndarray = (2 * hits / np.where(both > 0, both, 1)).mean(axis=-1)
    return means


def share_of_equal(golds: np.ndarray, chosen: np.ndarray) -> float:
    """The share of rows whose right label is chosen; both labels are (rows,)."""
    return float((golds == chosen).mean())


def macro_f1_of_labels(golds: np.ndarray, chosen: np.ndarray, labels: int) -> float:
    """`macro_f1` of right and chosen labels, both (rows,)."""
    return float(macro_f1_of_counts(label_counts(golds, chosen, labels).sum(axis=0)))


def macro_f1(rows: Sequence[Choice]) -> float:
    """Unweighted mean of the F1 of all labels of the task. A label that never occurs and is never chosen has F1 = 0."""
    return float(macro_f1_of_counts(_counts(rows).sum(axis=0)))


def _counts(rows: Sequence[Choice]) -> np.ndarray:
    golds, chosen, labels = zip(*rows, strict=True)
    return label_counts(golds, chosen, labels[0])


def batch_calibrated_choices(rows: Sequence[Evidence], bias: Bias = batch_biases) -> list[Choice]:
    """The choice of batch calibration for each row; it depends on all rows. `bias` is `batch_biases` or `batch_log_shares`."""
    golds, choose = batch_calibration(rows, bias)
    labels = len(rows[0][1])
    return [Choice(int(gold), int(chosen), labels) for gold, chosen in zip(golds, choose(np.arange(len(rows))), strict=True)]


def batch_calibrated_accuracy(rows: Sequence[Evidence]) -> float:
    """Share of rows on which batch calibration chooses the right label."""
    return _accuracy(batch_calibrated_choices(rows))


def batch_share_calibrated_accuracy(rows: Sequence[Evidence]) -> float:
    """Share of right labels with the mean of probabilities instead of their logarithms, see `batch_log_shares`."""
    return _accuracy(batch_calibrated_choices(rows, batch_log_shares))


def _accuracy(choices: Sequence[Choice]) -> float:
    return sum(choice.gold == choice.chosen for choice in choices) / len(choices)


def batch_calibrated_macro_f1(rows: Sequence[Evidence]) -> float:
    """Macro-F1 of the choices of batch calibration."""
    return macro_f1(batch_calibrated_choices(rows))


def spread_over_resamples(score: Callable[[np.ndarray], float], count: int) -> float:
    """Standard deviation of a score over 1,000 seeded resamples of `count` rows (bootstrap); 0 for fewer than two rows.

    `score` takes row indices. The rows should be sorted, because their order depends on the number of processes.
    """
    if count < 2:
        return 0.0
    generator = np.random.default_rng(SEED)
    return float(np.std([score(generator.integers(0, count, count)) for _ in range(DRAWS)], ddof=1))


def macro_f1_stderr(rows: Sequence[Choice]) -> float:
    """Bootstrap standard error of `macro_f1`."""
    counts = _counts(sorted(rows))
    return spread_over_resamples(lambda places: float(macro_f1_of_counts(counts[places].sum(axis=0))), len(rows))


def batch_calibrated_accuracy_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_calibrated_accuracy`; every resample is calibrated anew."""
    return _spread_over_calibrations(rows, share_of_equal)


def batch_share_calibrated_accuracy_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_share_calibrated_accuracy`; every resample is calibrated anew."""
    return _spread_over_calibrations(rows, share_of_equal, batch_log_shares)


def batch_calibrated_macro_f1_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_calibrated_macro_f1`; every resample is calibrated anew."""
    return _spread_over_calibrations(rows, partial(macro_f1_of_labels, labels=len(rows[0][1])))


def _spread_over_calibrations(
    rows: Sequence[Evidence], score: Callable[[np.ndarray, np.ndarray], float], bias: Bias = batch_biases
) -> float:
    """`spread_over_resamples` of a score of right and chosen labels, both (rows,)."""
    golds, choose = batch_calibration(sorted(rows), bias)
    return spread_over_resamples(lambda places: score(golds[places], choose(places)), len(golds))


def batch_calibration(
    rows: Sequence[Evidence], bias: Bias = batch_biases
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The right labels, (rows,), and a function: row indices → the labels that batch calibration on these rows chooses."""
    golds = np.array([gold for gold, _ in rows])
    loglikelihoods = np.array([values for _, values in rows], dtype=float)
    log_shares = np.array([log_softmax(values) for _, values in rows])
    is_impossible = loglikelihoods == -np.inf

    def choose(places: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):  # −∞ minus −∞
            differences = loglikelihoods[places] - bias(log_shares[places])
        scores = np.where(is_impossible[places], -np.inf, np.round(differences, EQUAL_DECIMALS))
        chosen: np.ndarray = scores.argmax(axis=1)
        return chosen

    return golds, choose
