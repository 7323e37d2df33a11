"""From rows to the score of a task with its uncertainty: the one way to the numbers that people see.

Most scores are means of rows. Balanced accuracy and accuracy by phenomenon are means of group means; corpus BLEU and chrF++ are
made of sums of n-gram counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from lm_eval_sea.results.facts import Facts
from lm_eval_sea.results.types import Score, is_number
from lm_eval_sea.results.uncertainty import (
    FEWEST_CLUSTERS,
    Estimate,
    cluster_weights,
    estimate,
    score_interval,
    spread_of,
    standard_error,
)
from lm_eval_sea.tasks._shared.metrics.normalisation import normalised_score

COLLAPSED = 80  # per cent of the answers
_BLEU_ORDER = 4
_AGREE = 1e-6


@dataclass(frozen=True)
class RowStatistics:
    """The rows of one task as one model answered them."""

    values: np.ndarray  # (rows, statistics)
    score: Callable[[np.ndarray], np.ndarray]  # sums over rows, (draws, statistics) → scores, (draws,), 0 to 1
    of_rows: Sequence[float] | None = None  # the rows' own scores, 0 to 1; None: all rows make the score together

    @property
    def of_all_rows(self) -> float:
        """The score in which every row counts once."""
        return float(self.score(self.values.sum(axis=0, keepdims=True))[0])

    def of_draws(self, weights: np.ndarray) -> np.ndarray:
        """Scores in which each row counts as often as its weight says.

        Args:
            weights: (draws, rows).
        """
        return self.score(weights @ self.values)


def mean_statistics(scores: Sequence[float]) -> RowStatistics:
    """For the mean of scores, 0 to 1."""
    values = np.array(scores, dtype=float)
    return RowStatistics(np.stack([values, np.ones_like(values)], axis=1), lambda sums: sums[:, 0] / sums[:, 1], list(scores))


def group_mean_statistics(groups: Sequence[str], scores: Sequence[float]) -> RowStatistics:
    """For the unweighted mean over groups of the mean of their scores; with right labels as groups, balanced accuracy."""
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    membership = np.eye(len(numbers))[[numbers[group] for group in groups]]
    values = np.hstack([membership * np.array(scores, dtype=float)[:, None], membership])
    count = len(numbers)

    def score(sums: np.ndarray) -> np.ndarray:
        present = sums[:, count:] > 0
        means: np.ndarray = (sums[:, :count] / np.where(present, sums[:, count:], 1)).sum(axis=1) / present.sum(axis=1)
        return means

    return RowStatistics(values, score)


def chrf_statistics(pairs: Sequence[tuple[str, str]]) -> RowStatistics:
    """For sacreBLEU's corpus chrF++ of (reference, answer) pairs."""
    return _corpus_statistics(CHRF(word_order=2), pairs)


def bleu_statistics(pairs: Sequence[tuple[str, str]]) -> RowStatistics:
    """For sacreBLEU's corpus BLEU of (reference, answer) pairs, with its default settings."""
    return _corpus_statistics(BLEU(), pairs)


def _corpus_statistics(metric: BLEU | CHRF, pairs: Sequence[tuple[str, str]]) -> RowStatistics:
    # what sacreBLEU's own bootstrap uses; it has no public name
    references, answers = ([pair[place] for pair in pairs] for place in (0, 1))
    values = np.array(metric._extract_corpus_statistics(answers, [references]), dtype=float)
    return RowStatistics(
        values, lambda sums: np.array([metric._compute_score_from_stats(list(row)).score / 100 for row in sums.tolist()])
    )


def ngram_statistics(rows: Sequence[Sequence[Any]]) -> RowStatistics:
    """For corpus BLEU of rows whose n-grams are counted: correct by order, total by order, length of answer and of reference."""
    values = np.array([[*correct, *total, answer, reference] for correct, total, answer, reference in rows], dtype=float)

    def score(sums: np.ndarray) -> np.ndarray:
        return np.array([_bleu_of_sums(row) / 100 for row in sums.tolist()])

    return RowStatistics(values, score)


def _bleu_of_sums(sums: Sequence[float]) -> float:
    # weights of draws make counts of n-grams fractions, which the formula takes
    correct, total = cast(list[int], sums[:_BLEU_ORDER]), cast(list[int], sums[_BLEU_ORDER : 2 * _BLEU_ORDER])
    return BLEU.compute_bleu(correct, total, sys_len=round(sums[-2]), ref_len=round(sums[-1]), smooth_method="exp").score


def statistics_of(metric: str, logged: Sequence[Any]) -> RowStatistics | None:
    """The statistics of a metric from what lm-eval logged for each row; None where they do not tell the score.

    Args:
        metric: its name.
        logged: by row, a score, a (reference, answer) pair, the n-gram counts of BLEU, or (group, score, chance).
    """
    if not logged:
        return None
    if all(map(is_number, logged)):
        scores = [float(entry) / scale_of(metric) for entry in logged]
        return mean_statistics(scores) if all(0 <= score <= 1 for score in scores) else None
    if not all(isinstance(entry, list | tuple) for entry in logged):
        return None
    if all(len(entry) == 2 and all(isinstance(text, str) for text in entry) for entry in logged):
        family = _OF_PAIRS.get(metric)
        return family([(entry[0], entry[1]) for entry in logged]) if family else None
    if all(_is_outcome(entry) for entry in logged):
        return group_mean_statistics([str(entry[0]) for entry in logged], [float(entry[1]) for entry in logged])
    if all(_is_counts(entry) for entry in logged):
        return ngram_statistics(logged)
    return None


_OF_PAIRS = {
    "chrf++": chrf_statistics,
    "chrf_sailcompass": chrf_statistics,
    "bleu": bleu_statistics,
    "bleu_sailcompass": bleu_statistics,
}


def _is_outcome(entry: Sequence[Any]) -> bool:
    return len(entry) == 3 and isinstance(entry[0], str) and is_number(entry[1]) and 0 <= entry[1] <= 1


def _is_counts(entry: Sequence[Any]) -> bool:
    return (
        len(entry) == 4
        and all(isinstance(counts, list) and len(counts) == _BLEU_ORDER for counts in entry[:2])
        and all(is_number(number) and 0 <= number < 2**53 for number in (*entry[0], *entry[1], *entry[2:]))
    )


def scale_of(metric: str) -> float:
    """The best possible value of a metric: 100 for BLEU, chrF and ROUGE and for normalised scores, 1 for all others."""
    name = metric.partition(",")[0]
    return 100.0 if name.startswith(("bleu", "chrf", "rouge", "normalised")) else 1.0


@dataclass(frozen=True)
class TaskScore:
    """The headline score of a task."""

    score: float
    stderr: float | None  # clustered where rows have scores of their own, else as lm-eval reports it, else of draws of rows
    stderr_plain: float | None  # with all rows taken for independent; None: the error is of draws by cluster
    low: float | None  # 95 % interval; None: no standard error
    high: float | None
    clusters: int | None  # None: the standard error is the reported one
    rows: int | None
    chance: float
    normalised: float  # chance is 0, perfect is 100; negative below chance
    notes: Sequence[str] = ()

    @property
    def few(self) -> bool:
        """Whether there are so few clusters of rows that the score says little."""
        independent = self.rows if self.clusters is None else self.clusters
        return independent is not None and independent < FEWEST_CLUSTERS


def task_score(
    metric: str,
    facts: Facts,
    reported: Score | None,
    rows: RowStatistics | None = None,
    clusters: Sequence[str] = (),
    *,
    evaluated: int | None = None,
) -> TaskScore | None:
    """The score of a task by a metric.

    The reported value counts; without one, that of the rows. The interval is `uncertainty.score_interval`, with a clustered
    standard error where the rows make the reported value and every row has a score, else with the reported error, and without
    one with that of draws of the rows by cluster.

    Args:
        metric: its name.
        facts: of the task: chance and data set.
        reported: the metric in the results.
        rows: what it is made of.
        clusters: the cluster of each row.
        evaluated: how many rows were evaluated, for the degrees of freedom of a reported standard error.

    Returns:
        None, if there is no number or it is not between 0 and the metric's best.
    """
    scale = scale_of(metric)
    own = estimate(rows.of_rows, list(clusters)) if rows and rows.of_rows else None
    of_rows = own.mean if own else rows.of_all_rows if rows else None
    value = reported.value / scale if reported else of_rows
    if value is None or not -_AGREE <= value <= 1 + _AGREE:
        return None
    value = min(1.0, max(0.0, value))
    notes = []
    if of_rows is not None and not math.isclose(value, of_rows, abs_tol=_AGREE):
        notes.append(f"the results say {100 * value:.2f}, the {len(clusters)} logged rows {100 * of_rows:.2f}")
        own = rows = None
    if own is not None and rows is not None:
        plain = standard_error(rows.of_rows or [])
    else:
        plain = reported.stderr / scale if reported and reported.stderr is not None else None
        plain = plain if plain is not None and 0 <= plain <= 1 else None
        drawn = _error_of_draws(facts.dataset, rows, clusters) if plain is None else None
        stderr, count = (plain, 0) if drawn is None else (drawn, len(set(clusters)))
        low, high = score_interval(value, stderr, max(2, count or evaluated or 2))
        own = Estimate(value, stderr, low, high, evaluated or 0, count)
    return TaskScore(
        score=100 * value,
        stderr=_percent(own.stderr),
        stderr_plain=_percent(plain),
        low=_percent(own.low),
        high=_percent(own.high),
        clusters=own.clusters or None,
        rows=evaluated,
        chance=100 * facts.chance,
        normalised=normalised_score(value, facts.chance),
        notes=notes,
    )


def _error_of_draws(pool: str, rows: RowStatistics | None, clusters: Sequence[str]) -> float | None:
    return spread_of(rows.of_draws(cluster_weights(pool, clusters))).stderr if rows and len(set(clusters)) > 1 else None


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def collapsed_answer(chosen: Sequence[int | None], golds: Sequence[int | None]) -> tuple[int, float, float] | None:
    """The option that a model gives on more than `COLLAPSED` per cent of the rows, whatever is asked.

    Args:
        chosen: position of the chosen option by row; None for no answer.
        golds: position of the right one.

    Returns:
        Its position, the share of rows on which it is chosen and the share on which it is right, in per cent. None, if there is
        no such option, it is right as often as that, or there are fewer than `FEWEST_CLUSTERS` rows.
    """
    if len(chosen) < FEWEST_CLUSTERS:
        return None
    counts = Counter(position for position in chosen if position is not None)
    if not counts:
        return None
    [(position, count)] = counts.most_common(1)
    share, right = 100 * count / len(chosen), 100 * sum(gold == position for gold in golds) / len(golds)
    return (position, share, right) if share > COLLAPSED >= right else None
