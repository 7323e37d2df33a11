"""Draws of rows, by cluster: how far a score made of all rows at once, or a mean over tasks, would be another on other rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import stats

DRAWS = 1000
_TAIL = 2.5  # per cent at each end of a 95 % interval


@lru_cache(maxsize=20_000)
def _weights(pool: str, cluster: str) -> np.ndarray:
    seed = hashlib.sha256(f"{pool}\0{cluster}".encode(errors="surrogatepass")).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed[:16], "big"))).exponential(size=DRAWS).astype(np.float32)


def cluster_weights(pool: str, clusters: Sequence[str]) -> np.ndarray:
    """Weights of rows in each draw: the Bayesian bootstrap (Rubin 1981) over clusters.

    All rows of a cluster have the same weight, drawn from the exponential distribution with mean 1. A cluster of a pool has the
    same weights in every task and model, so that draws of two models are paired, and passages that several languages share are
    drawn together. No weight is 0, so that every group of rows stays in every draw.

    Args:
        pool: the data set, within which equal names are the same cluster.
        clusters: the cluster of each row.

    Returns:
        (draws, rows), the same for the same arguments.
    """
    return np.stack([_weights(pool, cluster) for cluster in clusters], axis=1)


class Spread(NamedTuple):
    """How draws of a number vary."""

    stderr: float | None  # None: all draws are alike
    low: float | None  # 95 % interval
    high: float | None


def spread_of(draws: np.ndarray) -> Spread:
    """Standard deviation and percentile interval of the draws of a number."""
    stderr = float(np.std(draws, ddof=1))
    if stderr < 1e-12:
        return Spread(None, None, None)
    low, high = np.percentile(draws, [_TAIL, 100 - _TAIL])
    return Spread(stderr, float(low), float(high))


class Test(NamedTuple):
    """Whether a difference is one, from its bootstrap standard error."""

    low: float | None  # 95 % interval; None: no standard error
    high: float | None
    p_value: float | None  # two-sided, that there is no difference; None: cannot be tested


def normal_test(difference: float, stderr: float | None) -> Test:
    """The normal test: p = 2 Φ(−|difference| / stderr), and difference ± 1.96 stderr, which leaves out 0 where p < 0.05.

    Percentiles of the draws could contradict the p-value, and a p-value of 1,000 draws has no three digits to correct.
    """
    if not stderr:
        return Test(None, None, 1.0 if difference == 0 else None)
    half = float(stats.norm.ppf(1 - _TAIL / 100)) * stderr
    return Test(difference - half, difference + half, float(2 * stats.norm.sf(abs(difference) / stderr)))
