"""Metrics over all rows of a classification task, with standard errors, in the form of lm-eval's aggregations.

lm-eval knows no standard error for an aggregation that is not its own. It writes the one of a metric `x` under the name
`x_stderr`, so here every such metric has a twin of that name, whose aggregation gives the standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .calibration import EQUAL_DECIMALS, batch_biases, batch_log_shares, log_softmax, subtract_bias
from .ranking import first_maximum


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


DRAWS = 1000  # cheap, as a draw only adds up what was counted in each row
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


def label_counts(golds: Sequence[int] | np.ndarray, chosen: Sequence[int] | np.ndarray, labels: int) -> np.ndarray:
    """What macro-F1 is made of, (rows, 2 · labels): whether a label was rightly chosen, and how often it is right or chosen.

    Counts of rows add up. A choice may be none of the labels, `labels`.
    """
    members = np.eye(labels + 1, labels)
    gold, chose = members[np.asarray(golds)], members[np.asarray(chosen)]
    return np.hstack([gold * chose, gold + chose])


def macro_f1_of_counts(sums: np.ndarray) -> np.ndarray:
    """Macro-F1, (…), of counts that were added up, (…, 2 · labels): the mean over labels of 2 · hits / (right + chosen)."""
    hits, both = np.split(sums, 2, axis=-1)
    means: np.ndarray = (2 * hits / np.where(both > 0, both, 1)).mean(axis=-1)
    return means


def macro_f1(rows: Sequence[Choice]) -> float:
    """Unweighted mean of the F1 of all labels of the task; a label that never occurs and is never chosen has F1 = 0."""
    return float(macro_f1_of_counts(_counts(rows).sum(axis=0)))


def _counts(rows: Sequence[Choice]) -> np.ndarray:
    golds, chosen, labels = zip(*rows, strict=True)
    return label_counts(golds, chosen, labels[0])


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


def spread_over_resamples(score: Callable[[np.ndarray], float], count: int) -> float:
    """Standard deviation of a score over 1,000 seeded resamples of rows (bootstrap); 0 for fewer than two rows.

    Args:
        score: of the rows at places, (count,). They should be sorted, as their order depends on the number of processes.
        count: of rows.
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
    return _spread_over_calibrations(rows, _accuracy, _mean_logs)


def batch_share_calibrated_accuracy_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_share_calibrated_accuracy`; every resample is calibrated anew."""
    return _spread_over_calibrations(rows, _accuracy, _logs_of_means)


def batch_calibrated_macro_f1_stderr(rows: Sequence[Evidence]) -> float:
    """Bootstrap standard error of `batch_calibrated_macro_f1`; every resample is calibrated anew."""
    return _spread_over_calibrations(
        rows,
        lambda golds, chosen, labels: float(macro_f1_of_counts(label_counts(golds, chosen, labels).sum(axis=0))),
        _mean_logs,
    )


def _accuracy(golds: np.ndarray, chosen: np.ndarray, labels: int) -> float:
    return float((golds == chosen).mean())


def _mean_logs(log_shares: np.ndarray) -> np.ndarray:
    """As `batch_biases`, of (rows, labels)."""
    is_possible = log_shares > -np.inf
    means: np.ndarray = np.where(is_possible, log_shares, 0).sum(axis=0) / np.maximum(is_possible.sum(axis=0), 1)
    return means


def _logs_of_means(log_shares: np.ndarray) -> np.ndarray:
    """As `batch_log_shares`, of (rows, labels)."""
    with np.errstate(divide="ignore"):  # a label that no row can have
        logs: np.ndarray = np.log(np.exp(log_shares).mean(axis=0))
    return logs


def _spread_over_calibrations(
    rows: Sequence[Evidence],
    score: Callable[[np.ndarray, np.ndarray, int], float],
    bias: Callable[[np.ndarray], np.ndarray],
) -> float:
    """As `spread_over_resamples`, for a score of right labels, `batch_calibrated_choices`, both (rows,), and number of labels."""
    ordered = sorted(rows)
    golds = np.array([gold for gold, _ in ordered])
    loglikelihoods = np.array([values for _, values in ordered], dtype=float)
    log_shares = np.array([log_softmax(values) for _, values in ordered])
    is_impossible = loglikelihoods == -np.inf

    def of_sample(places: np.ndarray) -> float:
        with np.errstate(invalid="ignore"):  # −∞ less −∞
            differences = loglikelihoods[places] - bias(log_shares[places])
        chosen = np.where(is_impossible[places], -np.inf, np.round(differences, EQUAL_DECIMALS)).argmax(axis=1)
        return score(golds[places], chosen, loglikelihoods.shape[1])

    return spread_over_resamples(of_sample, len(ordered))
