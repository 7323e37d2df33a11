"""How certain a score is, and a difference between two models on the same rows. Pure functions, no I/O.

After Miller 2024, "Adding Error Bars to Evals: A Statistical Approach to Language Model Evaluations" (arXiv:2411.00640). Rows
are a sample of the rows that could have been asked; rows of one cluster (the questions about one passage) are not independent.
Scores are shares of the best possible score, 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special  # what scipy.stats.t calls, without a tenth of a millisecond of checks: pages have 100,000 tests

from lm_eval_sea.tasks._shared.metrics.bits_per_byte import ratio_stderr

CONFIDENCE = 0.95
# With fewer clusters the t interval of a difference between right and wrong answers says little, and may leave −1 to 1.
FEWEST_CLUSTERS = 10
SWAPS = 9999  # of the answers to clusters, between two models
SWAP_SEED = 1234
_SAME = 1e-12  # sums in another order are not quite the same
_ROUNDING = 1e-14  # the mean is rounded, so that deviations that cancel out are not quite 0


class Estimate(NamedTuple):
    """A mean over rows with its uncertainty."""

    mean: float
    stderr: float | None  # None: fewer than two clusters say nothing of it
    low: float | None  # 95 % interval
    high: float | None
    rows: int
    clusters: int


class Difference(NamedTuple):
    """A mean difference between two models on the same rows, −1 to 1."""

    mean: float
    stderr: float | None
    low: float | None  # None: too few clusters, or all rows differ alike
    high: float | None
    p_value: float | None  # two-sided, of the hypothesis that there is no difference; None: cannot be tested
    rows: int
    clusters: int


def t_quantile(share: float, degrees: float) -> float:
    """The value below which Student's t lies with a probability."""
    return float(special.stdtrit(degrees, share))


def two_sided(t: float, degrees: float) -> float:
    """The probability that Student's t is as far from 0 as a value."""
    return float(2 * special.stdtr(degrees, -abs(t)))


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
    mean = math.fsum(scores) / len(scores)
    sums: dict[Hashable, float] = {}
    for score, cluster in zip(scores, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + score - mean
    count = len(sums)
    error = math.sqrt(math.fsum(total * total for total in sums.values()) * count / (count - 1)) / len(scores)
    return error if error > _ROUNDING * max(map(abs, scores)) else 0.0


def score_interval(mean: float, stderr: float | None, clusters: int) -> tuple[float | None, float | None]:
    """The 95 % score interval of a share (Wilson 1927), with the effective number of rows (Korn and Graubard 1998).

        all π with |x̄ − π| ≤ t · √(π (1 − π) / m),   m = x̄ (1 − x̄) / stderr²

    t is the quantile of Student's t with clusters − 1 degrees of freedom, and m the number of independent answers, right or
    wrong, that would have this standard error. Where all clusters score alike the error is 0 and m the number of clusters. The
    interval lies in 0 to 1, also at both ends and for two clusters.

    Args:
        mean: x̄, 0 to 1.
        stderr: its standard error; None if it is not known.
        clusters: at least 2 where there is a standard error.

    Returns:
        Both ends; None and None without a standard error.

    Raises:
        ValueError: if the mean is no share.
    """
    if not 0 <= mean <= 1:
        raise ValueError(f"{mean} is no share between 0 and 1")
    if stderr is None:
        return None, None
    spread = mean * (1 - mean)
    variance = stderr * stderr
    effective = spread / variance if variance > 0 and spread > 0 else clusters
    square = t_quantile((1 + CONFIDENCE) / 2, clusters - 1) ** 2 / effective
    centre = (mean + square / 2) / (1 + square)
    half = math.sqrt(square * spread + square * square / 4) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


def estimate(scores: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Estimate:
    """The mean of scores, its clustered standard error and `score_interval`; without clusters every row is one of its own.

    Raises:
        ValueError: without scores; for a mean that is no share; otherwise as `clustered_standard_error`.
    """
    if not scores:
        raise ValueError("no scores, so no mean")
    clusters = range(len(scores)) if clusters is None else clusters
    stderr = clustered_standard_error(scores, clusters)
    mean, count = math.fsum(scores) / len(scores), len(set(clusters))
    return Estimate(mean, stderr, *score_interval(mean, stderr, count), len(scores), count)


def ratio_of_sums(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Σ y_i / Σ x_i of independent units, with `ratio_stderr` and the interval of Student's t with n − 1 degrees of freedom.

    Raises:
        ValueError: without units, or if the x_i have no sum.
    """
    if not pairs or not (whole := math.fsum(x for _, x in pairs)):
        raise ValueError("nothing to divide by")
    mean, count = math.fsum(y for y, _ in pairs) / whole, len(pairs)
    if count < 2:
        return Estimate(mean, None, None, None, count, count)
    stderr = ratio_stderr(pairs)
    half = t_quantile((1 + CONFIDENCE) / 2, count - 1) * stderr
    return Estimate(mean, stderr, mean - half, mean + half, count, count)


def paired_difference(first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Difference:
    """The mean of first − second, row by row, with clustered standard error, 95 % interval and p-value (Miller 2024, 4.2).

    The p-value is that of the two-sided t-test, t = mean / stderr with clusters − 1 degrees of freedom, and the interval mean ±
    t · stderr, cut to −1 to 1. Both are None for fewer than `FEWEST_CLUSTERS` clusters, identical scores or not.
    Where all rows differ by the same amount the standard error is 0 and there is no interval: p is 1 if that amount is 0 and
    otherwise None, for nothing can be tested.

    Args:
        first: scores of one model.
        second: scores of the other, on the same rows in the same order.
        clusters: the cluster of each row; None for independent rows.

    Raises:
        ValueError: without rows, for lengths that differ, or a score that is not finite.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} scores are not of the same rows")
    if not first:
        raise ValueError("no rows, so no difference")
    clusters = range(len(first)) if clusters is None else clusters
    deltas = [a - b for a, b in zip(first, second, strict=True)]
    stderr, mean, count = clustered_standard_error(deltas, clusters), math.fsum(deltas) / len(deltas), len(set(clusters))
    low = high = p_value = None
    if stderr is None or count < FEWEST_CLUSTERS:
        pass
    elif stderr == 0:
        p_value = 1.0 if mean == 0 else None
    else:
        half = t_quantile((1 + CONFIDENCE) / 2, count - 1) * stderr
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
        p_value = two_sided(mean / stderr, count - 1)
    return Difference(mean, stderr, low, high, p_value, len(first), count)


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


def swap_test(
    score: Callable[[np.ndarray], np.ndarray],
    first: np.ndarray,
    second: np.ndarray,
    clusters: Sequence[Hashable],
    swaps: int = SWAPS,
) -> float | None:
    """P-value of a difference of two models whose scores are made of all rows together: the paired swap test, two-sided.

    If the models are equal, which of the two gave the answers to a passage is as good as drawn by a coin. So the answers of whole
    clusters are swapped: in every way where there are at most `swaps`, else in that many drawn ways, of which the one that was
    observed is one more (Phipson and Smyth 2010). The rate of false alarms is then at most the level, whatever the rows.

    Args:
        score: sums over rows, (sums, statistics) → scores.
        first: the rows of one model, (rows, statistics).
        second: those of the other, in the same order.
        clusters: the cluster of each row.
        swaps: how many.

    Returns:
        None for fewer than `FEWEST_CLUSTERS` clusters.
    """
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    count = len(numbers)
    if count < FEWEST_CLUSTERS:
        return None
    places = [numbers[cluster] for cluster in clusters]
    gaps = np.zeros((count, first.shape[1]))
    np.add.at(gaps, places, first - second)
    total = first.sum(axis=0) + second.sum(axis=0)
    exact = 2**count <= swaps
    if exact:
        swapped = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
    else:
        swapped = np.random.default_rng(SWAP_SEED).integers(0, 2, size=(swaps, count), dtype=np.int8)
    sums = second.sum(axis=0) + swapped.astype(float) @ gaps
    drawn = np.abs(score(sums) - score(total - sums))
    observed = np.abs(score(first.sum(axis=0)[None]) - score(second.sum(axis=0)[None]))[0]
    as_large = int((drawn >= observed - _SAME).sum())
    return as_large / len(drawn) if exact else (as_large + 1) / (len(drawn) + 1)
