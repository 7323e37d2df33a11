"""How certain a score is, and a difference between two models on the same rows. Pure functions, no I/O.

After Miller 2024, "Adding Error Bars to Evals: A Statistical Approach to Language Model Evaluations" (arXiv:2411.00640). Rows
are a sample of the rows that could have been asked; rows of one cluster (the questions about one passage) are not independent.
Scores are shares of the best possible score, 0 to 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from scipy import special  # scipy.stats.t without 0.1 ms of checks a call: pages have 100,000 tests

from lm_eval_sea.tasks._shared.metrics.bits_per_byte import ratio_stderr

Key = TypeVar("Key", bound=Hashable)
CONFIDENCE = 0.95
# With fewer clusters the t interval of a difference between right and wrong answers says little, and may leave −1 to 1.
FEWEST_CLUSTERS = 10
FEWEST = 5  # clusters that the interval of a mean needs in each task, or in each label if labels weigh the same
SWAPS = 9999  # of the answers of two models to whole clusters
SWAP_SEED = 1234
_SAME = 1e-12  # sums in another order differ by rounding
_ROUNDING = 1e-14  # the mean is rounded, so that deviations that cancel out are not quite 0


class Estimate(NamedTuple):
    """A mean over rows, or over their differences between two models, with its uncertainty."""

    mean: float
    stderr: float | None  # None: fewer than two clusters
    low: float | None  # 95 % interval; None: unknown
    high: float | None
    p_value: float | None  # two-sided, that a difference is 0; None: not tested
    rows: int
    clusters: int


class Spread(NamedTuple):
    """How certain a number is, by Student's t."""

    stderr: float | None  # None: a part is unknown, or has fewer than two clusters
    degrees: float  # of freedom
    few: bool  # whether there are too few clusters for an interval

    def half_width(self, confidence: float = CONFIDENCE) -> float | None:
        """Half the width of the interval."""
        return None if self.stderr is None or self.few else t_quantile((1 + confidence) / 2, self.degrees) * self.stderr

    def interval(
        self, value: float, least: float = -math.inf, most: float = math.inf, confidence: float = CONFIDENCE
    ) -> tuple[float | None, float | None]:
        """Both ends of the interval of a value that lies from `least` to `most`; None and None where there is no interval."""
        half = self.half_width(confidence)
        return (None, None) if half is None else (max(least, value - half), min(most, value + half))

    def p_value(self, value: float) -> float | None:
        """Two-sided, that the number is 0; None if it cannot be tested. With a standard error of 0: 1 for 0, else None."""
        if self.stderr is None or self.few:
            return None
        if self.stderr == 0:
            return 1.0 if value == 0 else None
        return float(2 * special.stdtr(self.degrees, -abs(value / self.stderr)))


def percent(share: float | None) -> float | None:
    """A share in per cent; None stays."""
    return None if share is None else 100 * share


def end_text(value: float, form: str = ".1f") -> str:
    """An end of an interval in a format, or with two significant digits where that would hide on which side of 0 it is."""
    sign, _, _ = form.partition(".")
    if abs(value) < _SAME:
        return format(0.0, form.removeprefix(sign))
    text = format(value, form)
    return (text if float(text) else format(value, f"{sign}.2g")).replace("-", "−")


def t_quantile(share: float, degrees: float) -> float:
    """The value below which Student's t lies with a probability."""
    return float(special.stdtrit(degrees, share))


def clustered_standard_error(scores: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """Standard error of the mean of scores that come in clusters, by the jackknife; None for fewer than two clusters.

        sqrt( (C − 1) / C · Σ_c ( s̄ − s̄ without c )² )

    for scores in C clusters. If these are of one size it is the clustered error of Miller 2024, section 2.2, and for clusters of
    one row each the plain standard error. Miller's is too small if few clusters have most rows, because they pull the mean to
    themselves. Raises `ValueError` if a score is not finite.
    """
    if not all(map(math.isfinite, scores)):
        raise ValueError("a score is not a finite number")
    mean = math.fsum(scores) / len(scores)
    sums: dict[Hashable, float] = {}
    for score, cluster in zip(scores, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + score - mean
    count = len(sums)
    if count < 2:
        return None
    sizes = Counter(clusters)
    moves = (total / (len(scores) - sizes[cluster]) for cluster, total in sums.items())
    error = math.sqrt(math.fsum(move * move for move in moves) * (count - 1) / count)
    return error if error > _ROUNDING * max(map(abs, scores)) else 0.0


def with_calibration(scores: Sequence[float] | np.ndarray, moved: np.ndarray | None) -> np.ndarray:
    """Scores plus what each row moves by calibrating all others (`RowStatistics.moved`): their mean has both errors."""
    return np.asarray(scores) if moved is None else np.asarray(scores) + moved


def calibrated_error(scores: Sequence[float], moved: np.ndarray | None, clusters: Sequence[Hashable]) -> float:
    """`clustered_standard_error` of the scores `with_calibration`; 0 if no row moves the mean."""
    if moved is None or not moved.any():
        return 0.0
    return clustered_standard_error(with_calibration(scores, moved).tolist(), clusters) or 0.0


def effective_number(sizes: Iterable[int]) -> float:
    """How many clusters of equal size these are worth (Kish 1965): (Σ n)² / Σ n², but up to `FEWEST` clusters all count.

    Student's t has one degree of freedom less.
    """
    counts = list(sizes)
    return max(sum(counts) ** 2 / sum(count * count for count in counts), min(len(counts), FEWEST))


def score_interval(mean: float, stderr: float | None, clusters: float) -> tuple[float | None, float | None]:
    """Both ends of the 95 % score interval of a share (Wilson 1927), with the effective number of rows (Korn and Graubard 1998).

        all π with |x̄ − π| ≤ t · √(π (1 − π) / m),   m = x̄ (1 − x̄) / stderr²

    t is the quantile of Student's t with `clusters` − 1 degrees of freedom. `clusters` is at least 2 and counted by
    `effective_number`; for a mean of group means it is one more than the degrees of freedom of that mean. m is the number of
    independent answers, right or wrong, that would have this standard error; if all clusters score alike, the error is 0 and m
    is `clusters`. The interval never leaves 0 to 1, even for a mean of 0 or 1, or two clusters. There is none without an error.
    Raises `ValueError` if the mean is not between 0 and 1.
    """
    if not 0 <= mean <= 1:
        raise ValueError(f"{mean} is not a share between 0 and 1")
    if stderr is None:
        return None, None
    spread = mean * (1 - mean)
    variance = stderr * stderr
    effective = spread / variance if variance > 0 and spread > 0 else clusters
    square = t_quantile((1 + CONFIDENCE) / 2, clusters - 1) ** 2 / effective
    centre = (mean + square / 2) / (1 + square)
    half = math.sqrt(square * spread + square * square / 4) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


def estimate(scores: Sequence[float], clusters: Sequence[Hashable] | None = None, least: float = 0.0) -> Estimate:
    """The mean of scores, its clustered standard error and `score_interval`; without clusters every row is one of its own.

    The standard error is at least `least`. Raises `ValueError` without scores, or if their mean is not between 0 and 1.
    """
    mean, stderr, sizes = _mean_with_error(scores, clusters, least)
    return Estimate(mean, stderr, *score_interval(mean, stderr, effective_number(sizes)), None, len(scores), len(sizes))


def _mean_with_error(
    values: Sequence[float], clusters: Sequence[Hashable] | None, least: float
) -> tuple[float, float | None, Collection[int]]:
    """The mean, its clustered standard error, at least `least`, and the sizes of the clusters."""
    if not values:
        raise ValueError("no rows, so no mean")
    clusters = range(len(values)) if clusters is None else clusters
    stderr = clustered_standard_error(values, clusters)
    return math.fsum(values) / len(values), None if stderr is None else max(stderr, least), Counter(clusters).values()


def ratio_of_sums(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Σ y_i / Σ x_i of independent units, with `ratio_stderr` and the interval of Student's t with n − 1 degrees of freedom."""
    if not pairs or not (whole := math.fsum(x for _, x in pairs)):
        raise ValueError("nothing to divide by")
    mean, count = math.fsum(y for y, _ in pairs) / whole, len(pairs)
    spread = Spread(ratio_stderr(pairs) if count > 1 else None, count - 1, few=False)
    return Estimate(mean, spread.stderr, *spread.interval(mean), None, count, count)


def paired_difference(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable] | None = None, least: float = 0.0
) -> Estimate:
    """The mean of first − second, row by row, with clustered standard error, 95 % interval and p-value (Miller 2024, 4.2).

    The scores are of the same rows in the same order; without clusters every row is one of its own. Interval and p-value are
    those of the paired t test by cluster, the interval cut to −1 to 1. With fewer than `FEWEST_CLUSTERS` clusters there is
    neither, and if all rows differ alike no interval. The standard error is at least `least`. Raises `ValueError` without rows.
    """
    mean, stderr, sizes = _mean_with_error([a - b for a, b in zip(first, second, strict=True)], clusters, least)
    spread = Spread(stderr, effective_number(sizes) - 1, few=len(sizes) < FEWEST_CLUSTERS)
    ends = spread.interval(mean, -1.0, 1.0) if stderr else (None, None)  # none where all rows differ alike
    return Estimate(mean, stderr, *ends, spread.p_value(mean), len(first), len(sizes))


def holm(p_values: Mapping[Key, float | None]) -> dict[Key, float | None]:
    """P-values corrected for the number of tests (Holm 1979): the chance of any false alarm among them stays at the level.

    The k-th smallest of m, k from 1, is multiplied by m − k + 1. No result is below that of a smaller p-value, or above 1. None
    or NaN was not tested, and gives None.
    """
    known = {key: value for key, value in p_values.items() if value is not None and not math.isnan(value)}
    corrected: dict[Key, float | None] = dict.fromkeys(p_values)
    highest = 0.0
    for rank, key in enumerate(sorted(known, key=known.__getitem__)):
        highest = max(highest, min(1.0, (len(known) - rank) * known[key]))
        corrected[key] = highest
    return corrected


def numbered(names: Sequence[Hashable]) -> np.ndarray:
    """The number of each name, (names,); equal names have equal numbers, given in the order of first occurrence."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names])


def swap_test(
    score: Callable[[np.ndarray], np.ndarray],
    first: np.ndarray,
    second: np.ndarray,
    clusters: Sequence[Hashable],
    swaps: int = SWAPS,
) -> float | None:
    """P-value of a difference of two models whose scores are made of all rows together: the paired swap test, two-sided.

    If the models are equal, a coin toss might as well decide which of them gave the answers to a passage. So the answers to whole
    clusters are swapped: in every way if there are at most `swaps` ways, else in that many random ways plus the observed one
    (Phipson and Smyth 2010). The rate of false alarms is then at most the level, whatever the rows.

    Both models have the same rows in the same order, (rows, statistics), each in one of `clusters`; `score` turns sums over
    rows, (sums, statistics), into scores. None for fewer than `FEWEST_CLUSTERS` clusters.
    """
    places, count = numbered(clusters), len(set(clusters))
    if count < FEWEST_CLUSTERS:
        return None
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
