"""How scores vary, and so how certain a mean of tasks is, and the difference of two models. Pure functions.

The rows of a task are a sample, drawn by cluster (the questions about a passage). To first order a score is its value plus a sum
of contributions, one per cluster. The contributions of a cluster to several tasks (a passage that is asked about in two
languages) are added before they are squared, so that what tasks share counts as shared. The variance is the sum of the
squares, and the interval is that of Student's t with Satterthwaite's degrees of freedom.

Some tasks ask about the same texts without common cluster names: their rows were not logged, or another data set reuses the
texts. The standard errors of such tasks are added, which is the most that they can be together, whatever they share (the
triangle inequality). All else is independent.

Few rows can be alike by chance, and then seem certain. So the variance of right and wrong answers, and of their means over
several draws, is at least that of the same rows with one right and one wrong answer more (Agresti and Coull 1998). That of BLEU
and chrF++, which few answers can raise far above the others, is at least the square of what one right answer more would add. With
fewer than `FEWEST` clusters there is no interval.
`scripts/simulate_uncertainty.py` shows how often the intervals hold the truth.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from lm_eval_sea.results.row_statistics import RowStatistics, least_variance
from lm_eval_sea.results.uncertainty import FEWEST, Spread, effective_number, with_calibration

UNKNOWN = Spread(None, 0.0, few=False)
_ROUNDING = 1e-12  # contributions of rows that all differ alike are not quite 0


class Origin(NamedTuple):
    """The task of rows, and the family of tasks that may ask about the same texts."""

    task: str
    family: str


@dataclass(frozen=True, eq=False)
class Stratum:
    """Rows whose clusters are drawn independently of those of other strata: those of a task, or of one of its labels."""

    codes: bytes  # an int64 per cluster, made of its name and its data set; equal ones are the same cluster
    contributions: np.ndarray  # (clusters,); the sum of their squares is the variance of the score
    least: float  # the variance is at least this
    degrees: float  # of freedom of the variance
    origin: Origin | None = None  # None: it shares no texts beyond equal codes

    def times(self, factor: float) -> Stratum:
        """The stratum of the score times a factor."""
        return replace(self, contributions=factor * self.contributions, least=factor * factor * self.least)


def strata_of(rows: RowStatistics, pool: str, clusters: Sequence[str]) -> list[Stratum]:
    """The strata of a task's score.

    Contributions are those of the jackknife over clusters: for means of rows, and of groups of rows, by how much the mean of each
    group moves without a cluster. Within a pool, a data set, equal names are the same cluster.
    """
    structure = _structure(pool, tuple(clusters), b"" if rows.groups is None else rows.groups.tobytes())
    if rows.of_rows is None:
        return [_jackknifed(structure, rows)]
    scores, group = with_calibration(rows.of_rows, rows.moved), structure.group_of_row
    sizes = np.bincount(group)
    moves = (scores - (np.bincount(group, scores) / sizes)[group]) * structure.move_of_row / len(sizes)
    sums = np.bincount(structure.cluster_of_row, moves)
    least = _least(rows.of_rows, rows.groups, partial(least_variance, of_draws=rows.of_draws), len(structure.strata))
    return [
        Stratum(codes, sums[own], floor, degrees) for (codes, own, degrees), floor in zip(structure.strata, least, strict=True)
    ]


def difference_strata(first: RowStatistics, second: RowStatistics, pool: str, clusters: Sequence[str]) -> list[Stratum]:
    """The strata of first − second, on the same rows in the same order; groups are those of the first."""
    second = replace(second, groups=first.groups)
    return subtracted(strata_of(first, pool, clusters), strata_of(second, pool, clusters), first, second)


def subtracted(one: Sequence[Stratum], other: Sequence[Stratum], first: RowStatistics, second: RowStatistics) -> list[Stratum]:
    """`difference_strata`, from the strata of both scores on the same rows and groups."""
    least = [min(a.least, b.least) for a, b in zip(one, other, strict=True)]  # of BLEU and chrF++
    if first.of_rows is not None and second.of_rows is not None:
        a, b = (with_calibration(scores, rows.moved) for scores, rows in ((first.of_rows, first), (second.of_rows, second)))
        variance = partial(_difference_variance, has_floor=vary_little(first, second))
        least = _least(a - b, first.groups, variance, len(one))
    return [
        replace(a, contributions=a.contributions - b.contributions, least=floor)
        for a, b, floor in zip(one, other, least, strict=True)
    ]


def vary_little(first: RowStatistics, second: RowStatistics) -> bool:
    """Whether differences may vary a little although all answers are alike, as those of means over draws or calibrated scores."""
    return first.of_draws or second.of_draws or first.moved is not None


def reported_stratum(name: str, score: float, stderr: float, rows: int, least: float = 0.0) -> Stratum:
    """The stratum of a score, 0 to 1, of unknown rows, with the reported standard error, or `least` if that is larger.

    If the reported error is that of right or wrong answers, the variance has their floor.
    """
    is_right_or_wrong = math.isclose(stderr * stderr * (rows - 1), score * (1 - score), rel_tol=1e-3, abs_tol=1e-9)
    share = (score * rows + 1) / (rows + 2)
    least = share * (1 - share) / rows if is_right_or_wrong and rows > 0 else least * least
    return Stratum(_reported_code(name), np.array([stderr]), least, rows - 1)


def unpaired(name: str, first: Sequence[Stratum], second: Sequence[Stratum]) -> Stratum:
    """The stratum of the difference of two scores of one task whose rows cannot be paired, taken for independent."""
    spreads = [combined([replace(stratum, origin=None) for stratum in strata]) for strata in (first, second)]
    degrees = min(stratum.degrees for stratum in (*first, *second))
    return Stratum(_reported_code(name), np.array([math.hypot(*(spread.stderr or 0.0 for spread in spreads))]), 0.0, degrees)


def _reported_code(name: str) -> bytes:
    return np.array([_code("\0reported", name)]).tobytes()


def combined(strata: Sequence[Stratum]) -> Spread:
    """How certain the sum of scores is; `few` if a stratum has fewer than `FEWEST` clusters.

    Strata that share clusters, directly or through others, are one part, whose degrees of freedom are those of its smallest
    stratum. The least variance of a part is the sum of its strata's, times the factor by which sharing raises the variance of
    the contributions; if all contributions are 0, the least errors are added. If parts of several tasks are of one family, the
    standard errors of the tasks are added, and the family is one part. The degrees of freedom over all parts, with variances v
    and degrees d, are Satterthwaite's, (Σ v)² / Σ (v² / d).
    """
    if not strata or any(stratum.degrees < 1 for stratum in strata):
        return Spread(None, 0.0, few=True)
    layout = _layout(tuple(stratum.codes for stratum in strata), tuple(stratum.origin for stratum in strata))
    own = np.concatenate([stratum.contributions for stratum in strata])
    sums = np.bincount(layout.clusters, own)
    sums[np.abs(sums) < _ROUNDING] = 0.0
    variances = np.bincount(layout.part_of_cluster, sums * sums)
    degrees = np.full(len(variances), np.inf)
    np.minimum.at(degrees, layout.part_of_stratum, [stratum.degrees for stratum in strata])
    least, part = np.array([stratum.least for stratum in strata]), layout.part_of_stratum
    apart = np.bincount(layout.part_of_cluster[layout.clusters], own * own)  # the variances, if strata shared no cluster
    most = np.bincount(part, np.sqrt(least)) ** 2
    alike = np.divide(variances, apart, out=np.full(len(apart), len(part), dtype=float), where=apart > _ROUNDING**2)
    variances = np.maximum(variances, np.minimum(np.bincount(part, least) * np.maximum(alike, 1), most))
    if layout.families:
        of_family, alone = [], np.ones(len(variances), dtype=bool)
        for tasks in layout.families:
            parts = np.concatenate(tasks)
            of_family.append((sum(math.sqrt(variances[of_task].sum()) for of_task in tasks) ** 2, degrees[parts].min()))
            alone[parts] = False
        joint = np.array(of_family)
        variances, degrees = np.append(variances[alone], joint[:, 0]), np.append(degrees[alone], joint[:, 1])
    total = float(variances.sum())
    freedom = total * total / float((variances * variances / degrees).sum()) if total else float(degrees.sum())
    return Spread(math.sqrt(total), freedom, few=min(stratum.degrees for stratum in strata) < FEWEST - 1)


def weighted(scores: Iterable[tuple[float, Sequence[Stratum] | None]]) -> Spread:
    """`combined`, for a weighted sum of scores; `UNKNOWN` if the strata of a score are unknown."""
    parts: list[Stratum] = []
    for weight, strata in scores:
        if strata is None:
            return UNKNOWN
        parts += [stratum.times(weight) for stratum in strata]
    return combined(parts)


class _Structure(NamedTuple):
    """How the rows of a task fall into clusters and groups."""

    cluster_of_row: np.ndarray
    group_of_row: np.ndarray
    move_of_row: np.ndarray  # by how much its group's mean moves for each unit of its deviation, with the jackknife's factor
    # For each stratum: the codes of its clusters, their places among all clusters, and the degrees of freedom (the fewest, if
    # groups share clusters).
    strata: list[tuple[bytes, np.ndarray, float]]


@lru_cache(maxsize=4096)
def _structure(pool: str, clusters: tuple[str, ...], groups: bytes) -> _Structure:
    names, cluster_of_row = np.unique(np.array(clusters, dtype=object).astype(str), return_inverse=True)
    codes = np.array([_code(pool, name) for name in names.tolist()])
    numbers = np.frombuffer(groups, dtype=np.int64) if groups else np.zeros(len(clusters), dtype=np.int64)
    _, group_of_row = np.unique(numbers, return_inverse=True)
    pairs, pair_of_row, sizes = np.unique(
        np.stack([cluster_of_row, group_of_row]), axis=1, return_inverse=True, return_counts=True
    )
    places = [np.flatnonzero(pairs[1] == group) for group in range(int(group_of_row.max()) + 1)]
    counts, own = np.array(list(map(len, places))), [pairs[0][of_group] for of_group in places]
    degrees = [effective_number(sizes[of_group].tolist()) - 1 for of_group in places]
    others = np.maximum(np.bincount(group_of_row)[pairs[1]] - sizes, 1)  # rows of the group in other clusters
    moves = np.sqrt(1 - 1 / counts)[pairs[1]] / others
    if len(pairs[0]) > len(codes):  # a cluster has rows of several groups
        own, degrees = [np.arange(len(codes))], [min(degrees)]
    strata = [(codes[part].tobytes(), part, free) for part, free in zip(own, degrees, strict=True)]
    return _Structure(cluster_of_row, group_of_row, moves[pair_of_row.reshape(-1)], strata)


def _code(pool: str, cluster: str) -> int:
    text = f"{pool}\0{cluster}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little", signed=True)


def _least(
    scores: np.ndarray, groups: np.ndarray | None, variance_at_least: Callable[[np.ndarray], float], strata: int
) -> list[float]:
    """The least variance that each group's mean adds to the mean of these means; if there is one stratum, their sum."""
    parts = [scores] if groups is None else [scores[groups == number] for number in np.unique(groups)]
    least = [variance_at_least(part) / len(part) / len(parts) ** 2 for part in parts]
    return least if len(least) == strata else [sum(least)]


def _difference_variance(differences: np.ndarray, *, has_floor: bool) -> float:
    """The variance of such differences, plus half a row on which only the first model is right and half a row for the second."""
    squares = differences * differences
    if not (has_floor or (squares == np.abs(differences)).all()):
        return 0.0
    count = len(differences) + 1
    return (float(squares.sum()) + 1) / count - (float(differences.sum()) / count) ** 2


def _jackknifed(structure: _Structure, rows: RowStatistics) -> Stratum:
    [(codes, clusters, degrees)] = structure.strata
    count = len(clusters)
    of_cluster = np.zeros((count, rows.values.shape[1]))
    np.add.at(of_cluster, structure.cluster_of_row, rows.values)
    if count < 2:
        return Stratum(codes, np.zeros(count), 0.0, degrees)
    total = of_cluster.sum(axis=0)
    without = rows.score(total - of_cluster)
    least = 0.0
    if rows.right is not None:
        with_one, own = rows.score(np.stack([total + rows.right, total]))
        least = float(with_one - own) ** 2
    return Stratum(codes, math.sqrt((count - 1) / count) * (without.mean() - without), least, degrees)


class _Layout(NamedTuple):
    """Which clusters several strata have, and which of these belong together."""

    clusters: np.ndarray  # of each contribution
    part_of_cluster: np.ndarray
    part_of_stratum: np.ndarray
    families: list[list[np.ndarray]]  # for each family with several tasks that share no cluster: the parts of each task


@lru_cache(maxsize=1024)
def _layout(codes: tuple[bytes, ...], origins: tuple[Origin | None, ...]) -> _Layout:
    arrays = [np.frombuffer(each, dtype=np.int64) for each in codes]
    unique, clusters = np.unique(np.concatenate(arrays), return_inverse=True)
    stratum_of = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays])
    links = coo_matrix((np.ones(len(clusters)), (stratum_of, clusters)), shape=(len(arrays), len(unique)))
    shared = (links @ links.T).tocsr()  # strata by strata: how many clusters they share
    _, part_of_stratum = connected_components(shared, directed=False)
    part_of_cluster = np.zeros(len(unique), dtype=np.int64)
    part_of_cluster[clusters] = part_of_stratum[stratum_of]
    return _Layout(clusters, part_of_cluster, part_of_stratum, _families(part_of_stratum, origins))


def _families(part_of_stratum: np.ndarray, origins: Sequence[Origin | None]) -> list[list[np.ndarray]]:
    """Tasks with a part in common count as one: how they vary together is known."""
    found: dict[str, dict[str, set[int]]] = {}  # family → task → parts
    for part, origin in zip(part_of_stratum.tolist(), origins, strict=True):
        if origin is not None:
            found.setdefault(origin.family, {}).setdefault(origin.task, set()).add(part)
    families = []
    for tasks in found.values():
        apart: list[set[int]] = []
        for parts in tasks.values():
            joined = [each for each in apart if each & parts]
            apart = [*(each for each in apart if not each & parts), parts.union(*joined)]
        if len(apart) > 1:
            families.append([np.array(sorted(each)) for each in apart])
    return families
