"""From rows to the score of a task with its uncertainty: the one way to the numbers that people see."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lm_eval_sea.results.facts import Facts
from lm_eval_sea.results.means import error_of, strata_of
from lm_eval_sea.results.row_statistics import RowStatistics, scale_of
from lm_eval_sea.results.types import Score
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS, Estimate, clustered_standard_error, estimate, score_interval
from lm_eval_sea.tasks._shared.metrics.normalisation import normalised_score

COLLAPSED = 80  # per cent of the answers
_AGREE = 1e-6


@dataclass(frozen=True)
class TaskScore:
    """The headline score of a task."""

    score: float
    stderr: float | None  # clustered where rows were logged, else as lm-eval reports it
    stderr_plain: float | None  # with all rows taken for independent; None: the error is clustered alone
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
    standard error where the rows make the reported value: of the rows' scores, or where they make it together, of the
    contributions of clusters (`means.strata_of`). Without such rows the reported error counts, which takes them for independent
    and may be of a hundred draws.

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
    row_scores = rows.averaged if rows else []
    own = estimate(row_scores, list(clusters)) if row_scores else None
    of_rows = own.mean if own else rows.of_all_rows if rows else None
    value = reported.value / scale if reported else of_rows
    if value is None or not -_AGREE <= value <= 1 + _AGREE:
        return None
    value = min(1.0, max(0.0, value))
    notes = []
    if of_rows is not None and not math.isclose(value, of_rows, abs_tol=_AGREE):
        notes.append(f"the results say {100 * value:.2f}, the {len(clusters)} logged rows {100 * of_rows:.2f}")
        own = rows = None
    if own is not None:
        plain = clustered_standard_error(row_scores, range(len(row_scores)))
    else:
        plain = reported.stderr / scale if reported and reported.stderr is not None else None
        plain = plain if plain is not None and 0 <= plain <= 1 else None
        clustered = error_of(strata_of(rows, facts.pool, clusters)) if rows else None
        stderr, count = (plain, 0) if clustered is None else (clustered, len(set(clusters)))
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


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def collapsed_answer(chosen: Sequence[int | None], golds: Sequence[int | None]) -> tuple[int, float, float] | None:
    """The option that a model gives on more than `COLLAPSED` per cent of the rows, whatever is asked.

    Args:
        chosen: position of the chosen option by row; None for no answer.
        golds: position of the right one.

    Returns:
        Its position, the share of rows on which it is chosen and the share on which it is right, in per cent. None, if there is
        no such option, it is right as often as that, or there are fewer than `FEWEST_CLUSTERS` rows or none with options.
    """
    if len(chosen) < FEWEST_CLUSTERS or not any(gold is not None for gold in golds):
        return None
    counts = Counter(position for position in chosen if position is not None)
    if not counts:
        return None
    [(position, count)] = counts.most_common(1)
    share, right = 100 * count / len(chosen), 100 * sum(gold == position for gold in golds) / len(golds)
    return (position, share, right) if share > COLLAPSED >= right else None
