"""What the score of a task is made of, row by row.

Most scores are means of rows. Balanced accuracy and accuracy by phenomenon are means of group means; corpus BLEU and chrF++ are
made of sums of n-gram counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from lm_eval_sea.results.types import is_number
from lm_eval_sea.tasks._shared.metrics.classification_metrics import label_counts, macro_f1_of_counts
from lm_eval_sea.tasks._shared.metrics.overlap import (
    ORDERS,
    NgramCounts,
    bleu_of_sums,
    corpus_counts,
    counts_of_ngrams,
    score_of_counts,
)
from lm_eval_sea.tasks._shared.metrics.ranking import PROBABILITY

_MOST_LABELS = 1000


@dataclass(frozen=True)
class RowStatistics:
    """The rows of one task as one model answered them."""

    values: np.ndarray  # (rows, statistics)
    score: Callable[[np.ndarray], np.ndarray]  # sums over rows, (sums, statistics) → scores, (sums,), 0 to 1
    of_rows: np.ndarray | None = None  # the rows' own scores, 0 to 1; None: all rows make the score together
    groups: np.ndarray | None = None  # numbers of the groups whose means are averaged; None: the score is the mean of the rows
    needed: np.ndarray | None = None  # (rows, parts): whether a row informs each part of a score that all rows make together
    right: np.ndarray | None = None  # (statistics,): what one more row with a right answer would add, for BLEU and chrF++
    of_draws: bool = False  # whether a row has the mean over several answers
    moved: np.ndarray | None = None  # (rows,): how much a row moves the score by calibrating the choices of all rows

    @property
    def is_mean(self) -> bool:
        """Whether the score is the mean of the rows' scores."""
        return self.of_rows is not None and self.groups is None

    @property
    def averaged(self) -> list[float]:
        """The rows' scores, 0 to 1, where the score is their mean; else empty."""
        return [] if self.of_rows is None or self.groups is not None else self.of_rows.tolist()

    @property
    def of_all_rows(self) -> float:
        """The score in which every row counts once."""
        return float(self.score(self.values.sum(axis=0, keepdims=True))[0])

    def tells_its_error(self, clusters: Sequence[Hashable]) -> bool:
        """Whether each part of the score comes from at least two clusters; one or none does not show how it varies."""
        parts = () if self.needed is None else self.needed.T
        return all(len({cluster for cluster, tells in zip(clusters, part, strict=True) if tells}) > 1 for part in parts)

    def at(self, places: Sequence[int]) -> RowStatistics:
        """The statistics of the rows at `places`, in that order."""
        chosen = np.asarray(places, dtype=np.int64)
        of_row = {name: getattr(self, name) for name in ("of_rows", "groups", "needed", "moved")}
        some: dict[str, Any] = {name: None if rows is None else rows[chosen] for name, rows in of_row.items()}
        return replace(self, values=self.values[chosen], **some)


def mean_statistics(scores: Sequence[float]) -> RowStatistics:
    """The statistics of the mean of scores, 0 to 1."""
    values = np.array(scores, dtype=float)
    return RowStatistics(np.stack([values, np.ones_like(values)], axis=1), lambda sums: sums[:, 0] / sums[:, 1], values)


def group_mean_statistics(groups: Sequence[str], scores: Sequence[float]) -> RowStatistics:
    """The statistics of the mean over groups of their mean scores; with right labels as groups, of balanced accuracy."""
    names, numbers = np.unique(np.array(groups, dtype=object), return_inverse=True)  # sorted: the same numbers for all models
    membership = np.eye(len(names))[numbers]
    of_rows = np.array(scores, dtype=float)
    values = np.hstack([membership * of_rows[:, None], membership])
    count = len(names)

    def score(sums: np.ndarray) -> np.ndarray:
        present = sums[:, count:] > 0
        means: np.ndarray = (sums[:, :count] / np.where(present, sums[:, count:], 1)).sum(axis=1) / present.sum(axis=1)
        return means

    return RowStatistics(values, score, of_rows, numbers)


def macro_f1_statistics(choices: Sequence[tuple[int, int]], labels: int) -> RowStatistics:
    """The statistics of macro-F1 over all labels, from (right, chosen); a label that is never right or chosen has F1 = 0."""
    golds, chosen = zip(*choices, strict=True)
    return RowStatistics(label_counts(golds, chosen, labels), macro_f1_of_counts, needed=np.eye(labels, dtype=bool)[list(golds)])


def mean_of_draws(draws: Sequence[RowStatistics | None]) -> RowStatistics | None:
    """The statistics of the mean score of several draws of answers to the same rows; None unless those of all have one shape."""
    known = [statistics for statistics in draws if statistics is not None]
    if len(known) < len(draws) or len({statistics.values.shape for statistics in known}) != 1:
        return None

    def over_draws(name: str, combine: Callable[..., np.ndarray] = np.mean) -> Any:
        parts = [getattr(statistics, name) for statistics in known]
        return None if any(part is None for part in parts) else combine(parts, axis=0)

    means = {name: over_draws(name) for name in ("values", "of_rows", "moved")}
    return replace(known[-1], **means, needed=over_draws("needed", np.any), of_draws=True)


def _corpus_statistics(metric: BLEU | CHRF, pairs: Sequence[tuple[str, str]]) -> RowStatistics:
    """The statistics of sacreBLEU's score of a corpus of (reference, answer) pairs."""
    counts = corpus_counts(metric, pairs)
    score = _percentages(lambda sums: score_of_counts(metric, sums))
    if isinstance(metric, BLEU):  # the lengths of answer and reference, right n-grams, n-grams
        return _bleu_statistics(counts, score, 2, 1)
    # for each order: the n-grams of the answer, of the reference, and in both
    return RowStatistics(counts, score, right=np.repeat(counts.mean(axis=0)[1::3], 3))


def _bleu_statistics(counts: np.ndarray, score: Callable[[np.ndarray], np.ndarray], ngrams: int, reference: int) -> RowStatistics:
    """The statistics of BLEU; counts of right n-grams begin at column `ngrams`, column `reference` has the reference's length.

    If no row shares one of the longest n-grams with its reference, BLEU is only smoothing, so such rows are `needed`.
    """
    words = counts[:, reference].mean()
    right = np.full(counts.shape[1], words)
    right[ngrams : ngrams + 2 * ORDERS] = np.tile(np.maximum(words - np.arange(ORDERS), 0), 2)
    return RowStatistics(counts, score, needed=counts[:, ngrams + ORDERS - 1, None] > 0, right=right)


def _percentages(score: Callable[[np.ndarray], float]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda sums: np.array([score(row) / 100 for row in sums])


def statistics_of(metric: str, logged: Sequence[Any]) -> RowStatistics | None:
    """The statistics of a metric from what lm-eval logged for each row; None if they cannot be computed.

    Each row has a score, a (reference, answer) pair, the n-gram counts of BLEU, (group, score, chance), or (right label, chosen
    label, number of labels).
    """
    if not logged:
        return None
    if all(map(is_number, logged)):
        scores = [float(entry) / scale_of(metric) for entry in logged]
        return mean_statistics(scores) if all(0 <= score <= 1 for score in scores) else None
    if not all(isinstance(entry, list | tuple) for entry in logged):
        return None
    if all(len(entry) == 2 and all(isinstance(text, str) for text in entry) for entry in logged):
        pairs = [(entry[0], entry[1]) for entry in logged]
        if metric in ("chrf++", "chrf_sailcompass"):
            return _corpus_statistics(CHRF(word_order=2), pairs)
        return _corpus_statistics(BLEU(), pairs) if metric in ("bleu", "bleu_sailcompass") else None
    if metric.startswith(("f1", "macro_f1")) and all(_is_choice(entry, logged[0]) for entry in logged):
        return macro_f1_statistics([(entry[0], entry[1]) for entry in logged], logged[0][2])
    if all(_is_outcome(entry) for entry in logged):
        return group_mean_statistics([str(entry[0]) for entry in logged], [float(entry[1]) for entry in logged])
    if all(_is_counts(entry) for entry in logged):
        counts = counts_of_ngrams([NgramCounts(*entry) for entry in logged])
        return _bleu_statistics(counts, _percentages(bleu_of_sums), 0, 2 * ORDERS + 1)
    return None


def least_variance(scores: np.ndarray, *, of_draws: bool) -> float:
    """The floor of the variance of scores, 0 to 1: their variance with one right and one wrong answer more.

    A few rows that vary little do not rule out others that are always wrong. The floor is 0 for scores that vary by themselves:
    most are neither 0 nor 1, and they are not means over draws.
    """
    return float(np.append(scores, (0.0, 1.0)).var()) if of_draws or share_of_whole(scores) > 0.5 else 0.0


def share_of_whole(scores: np.ndarray) -> float:
    """The share of scores, 0 to 1, that are 0 or 1."""
    return float(((scores == 0) | (scores == 1)).mean())


def says_nothing(entry: Any) -> bool:
    """Whether what is logged for a row is missing, or NaN or infinite, as a whole or in part."""
    parts = entry if isinstance(entry, list | tuple) else [entry]
    return any(part is None or (isinstance(part, float) and not math.isfinite(part)) for part in parts)


def _is_choice(entry: Sequence[Any], first: Sequence[Any]) -> bool:
    """Whether an entry is (right label, chosen label, number of labels), with the number of the first entry."""
    whole = len(entry) == 3 == len(first) and all(type(number) is int for number in entry)
    return whole and entry[2] == first[2] <= _MOST_LABELS and min(entry[:2]) >= 0 and max(entry[:2]) < entry[2]


def _is_outcome(entry: Sequence[Any]) -> bool:
    return len(entry) == 3 and isinstance(entry[0], str) and is_number(entry[1]) and 0 <= entry[1] <= 1


def _is_counts(entry: Sequence[Any]) -> bool:
    return (
        len(entry) == 4
        and all(isinstance(counts, list) and len(counts) == ORDERS for counts in entry[:2])
        and all(is_number(number) and 0 <= number < 2**53 for number in (*entry[0], *entry[1], *entry[2:]))
    )


def of_one_more(metric: str, score: float, rows: int) -> float:
    """About what one more right answer would add to chrF++, and less than it would add to BLEU, 0 to 1; 0 for other metrics."""
    return (1 - score) / (rows + 1) if rows and metric.startswith(("bleu", "chrf")) else 0.0


def scale_of(metric: str) -> float:
    """The best possible value of a metric: 100 for BLEU, chrF, ROUGE, normalised scores and SEA-HELM's probabilities, else 1."""
    name = metric.partition(",")[0]
    return 100.0 if name.startswith(("bleu", "chrf", "rouge", "normalised", PROBABILITY)) else 1.0


def beyond_scale(metric: str, value: float) -> str | None:
    """The message about a value that a metric cannot have; None for others."""
    scale = scale_of(metric)
    return None if 0 <= value <= scale else f"{metric} is {value:g}, which is not between 0 and {scale:g}"
