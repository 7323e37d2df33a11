"""How certain a mean over rows is, and a difference between two models on the same rows. Pure functions, no I/O.

After Miller 2024, "Adding Error Bars to Evals: A Statistical Approach to Language Model Evaluations" (arXiv:2411.00640). Rows
are a sample of the rows that could have been asked; rows of one cluster (the questions about one passage) are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from scipy import stats

CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A mean over rows with its uncertainty, in the unit of the scores."""

    mean: float
    stderr: float | None  # None: fewer than two clusters say nothing of it
    low: float | None  # 95 % interval
    high: float | None
    rows: int
    clusters: int


class Difference(NamedTuple):
    """A mean difference between two models on the same rows, in the unit of the scores."""

    mean: float
    stderr: float | None
    low: float | None
    high: float | None
    p_value: float | None  # two-sided, of the hypothesis that there is no difference; None: cannot be tested
    rows: int
    clusters: int


def standard_error(scores: Sequence[float]) -> float | None:
    """Standard error of the mean of independent scores.

        sqrt( Σ_i (s_i − s̄)² / (n − 1) / n )

    Returns:
        The error, ≥ 0; None for fewer than two scores.
    """
    return clustered_standard_error(scores, range(len(scores)))


def clustered_standard_error(scores: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """Standard error of the mean of scores that come in clusters (Miller 2024, section 2.2).

        sqrt( C / (C − 1) · Σ_c ( Σ_{i ∈ c} (s_i − s̄) )² ) / n

    for n scores in C clusters. The square is the sum over all pairs of rows of a cluster of (s_i − s̄)(s_j − s̄). With the
    correction C / (C − 1) for few clusters, clusters of one row each give the plain standard error.

    Args:
        scores: one a row.
        clusters: the cluster of each row.

    Returns:
        The error, ≥ 0; None for fewer than two clusters.

    Raises:
        ValueError: if the lengths differ, or a score is not finite.
    """
    if len(scores) != len(clusters):
        raise ValueError(f"{len(scores)} scores, but the clusters of {len(clusters)} rows")
    if not all(map(math.isfinite, scores)):
        raise ValueError("a score is not a finite number")
    if len(set(clusters)) < 2:
        return None
    if min(scores) == max(scores):  # where the mean is rounded, the deviations from it would not be 0
        return 0.0
    mean = math.fsum(scores) / len(scores)
    sums: dict[Hashable, float] = {}
    for score, cluster in zip(scores, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + score - mean
    count = len(sums)
    return math.sqrt(math.fsum(total * total for total in sums.values()) * count / (count - 1)) / len(scores)


def interval(mean: float, stderr: float | None, clusters: int) -> tuple[float | None, float | None]:
    """The 95 % confidence interval mean ± t · stderr, t being the quantile of Student's t with clusters − 1 degrees of freedom.

    For many clusters t is the 1.96 of the normal distribution. The interval may leave the range of the scores.

    Returns:
        Both ends; None and None without a standard error.
    """
    if stderr is None:
        return None, None
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, clusters - 1)) * stderr
    return mean - half, mean + half


def estimate(scores: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Estimate:
    """The mean of scores, its clustered standard error and 95 % interval; without clusters every row is one of its own.

    Raises:
        ValueError: without scores; otherwise as `clustered_standard_error`.
    """
    if not scores:
        raise ValueError("no scores, so no mean")
    clusters = range(len(scores)) if clusters is None else clusters
    stderr = clustered_standard_error(scores, clusters)
    mean, count = math.fsum(scores) / len(scores), len(set(clusters))
    return Estimate(mean, stderr, *interval(mean, stderr, count), len(scores), count)


def paired_difference(first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Difference:
    """The mean of first − second, row by row, with clustered standard error, 95 % interval and p-value (Miller 2024, 4.2).

    The p-value is that of the two-sided t-test, t = mean / stderr with clusters − 1 degrees of freedom. Where all rows differ
    by the same amount the standard error is 0: p is 1 if that amount is 0 and otherwise None, for nothing then can be tested.

    Args:
        first: scores of one model.
        second: scores of the other, on the same rows in the same order.
        clusters: the cluster of each row; None for independent rows.

    Raises:
        ValueError: without rows, for lengths that differ, or a score that is not finite.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} scores are not of the same rows")
    result = estimate([a - b for a, b in zip(first, second, strict=True)], clusters)
    if result.stderr is None:
        p_value = None
    elif result.stderr == 0:
        p_value = 1.0 if result.mean == 0 else None
    else:
        p_value = float(2 * stats.t.sf(abs(result.mean) / result.stderr, result.clusters - 1))
    return Difference(result.mean, result.stderr, result.low, result.high, p_value, result.rows, result.clusters)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for the number of tests (Holm 1979): the chance of any false alarm among them stays at the level.

    The k-th smallest of m, k from 1, is multiplied by m − k + 1; none may be below a smaller one's, or above 1.

    Returns:
        The corrected p-values, in the order of the arguments.
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = highest
    return corrected
