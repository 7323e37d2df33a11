"""From rows to the score of a task with its uncertainty. All numbers that people see come from here."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from lm_eval_sea.results.facts import Facts
from lm_eval_sea.results.row_statistics import RowStatistics, least_variance, of_one_more, scale_of, share_of_whole
from lm_eval_sea.results.strata import UNKNOWN, combined, strata_of
from lm_eval_sea.results.types import Score
from lm_eval_sea.results.uncertainty import (
    FEWEST_CLUSTERS,
    Estimate,
    Spread,
    calibrated_error,
    estimate,
    percent,
    score_interval,
)
from lm_eval_sea.tasks._shared.metrics.normalisation import normalised_score

AGREE = 1e-6  # two computations of one score differ by less, 0 to 1


@dataclass(frozen=True)
class TaskScore:
    """The headline score of a task."""

    score: float
    stderr: float | None  # clustered where rows were logged, else as lm-eval reports it
    stderr_plain: float | None  # as if all rows were independent; None: unknown
    low: float | None  # 95 % interval; None: no standard error
    high: float | None
    clusters: int | None  # None: the standard error is the reported one
    rows: int | None
    chance: float
    normalised: float  # chance is 0, perfect is 100; negative below chance
    contradiction: str | None = None  # both scores, if the logged rows give another one than the results

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
    """The score of a task by a metric; None if there is no number, or if it is not between 0 and the metric's best.

    The reported value counts; without one, that of the rows. The interval is `uncertainty.score_interval`. If the rows give the
    reported value, the standard error is clustered: that of the rows' scores, or if all rows make the score together, that of
    the contributions of clusters (`strata.combined`). Otherwise the reported error counts, which treats rows as independent and
    may come from a hundred bootstrap samples; the interval uses at least `row_statistics.of_one_more`. There is no interval if
    the rows do not tell how the score varies (`RowStatistics.tells_its_error`).

    `rows` make the score, and each belongs to one of `clusters`. `evaluated` gives the degrees of freedom of a reported standard
    error.
    """
    scale = scale_of(metric)
    own = _mean_of_rows(rows, clusters) if rows and rows.is_mean else None
    of_rows = own.mean if own else rows.of_all_rows if rows else None
    value = reported.value / scale if reported else of_rows
    if value is None or not -AGREE <= value <= 1 + AGREE:
        return None
    value = min(1.0, max(0.0, value))
    contradiction = None
    if of_rows is not None and not math.isclose(value, of_rows, abs_tol=AGREE):
        contradiction = f"the results say {100 * value:.2f}, the {len(clusters)} logged rows {100 * of_rows:.2f}"
        own = rows = None
    if rows is not None and own is not None:
        plain = _mean_of_rows(rows, range(len(clusters))).stderr
    else:
        plain = reported.stderr / scale if reported and reported.stderr is not None else None
        plain = plain if plain is not None and 0 <= plain <= 1 else None
        least = of_one_more(metric, value, evaluated or 0)
        spread = Spread(None if plain is None else max(plain, least), max(2, evaluated or 2) - 1, few=False)
        if rows is not None:
            spread = combined(strata_of(rows, facts.pool, clusters)) if rows.tells_its_error(clusters) else UNKNOWN
        is_clustered = rows is not None and spread.stderr is not None
        ends = score_interval(value, spread.stderr, spread.degrees + 1)
        stderr, count = (spread.stderr, len(set(clusters))) if is_clustered else (plain, 0)
        own = Estimate(value, stderr, *ends, None, evaluated or 0, count)
    return TaskScore(
        score=100 * value,
        stderr=percent(own.stderr),
        stderr_plain=percent(plain),
        low=percent(own.low),
        high=percent(own.high),
        clusters=own.clusters or None,
        rows=evaluated,
        chance=100 * facts.chance,
        normalised=normalised_score(value, facts.chance),
        contradiction=contradiction,
    )


def _mean_of_rows(rows: RowStatistics, clusters: Sequence[Hashable]) -> Estimate:
    """The mean of the rows' scores; its error includes that of calibration, and is at least `_least_error`."""
    scores = rows.averaged
    least = _least_error(np.array(scores), of_draws=rows.of_draws)
    return estimate(scores, clusters, max(least, calibrated_error(scores, rows.moved, clusters)))


def _least_error(scores: np.ndarray, *, of_draws: bool) -> float:
    """The least standard error of a mean: that of `least_variance`, or if smaller, that of single right or wrong answers.

    It is 0 for right or wrong answers if there are both, because they show how they vary.
    """
    share, least = float(scores.mean()), least_variance(scores, of_draws=of_draws)
    if 0 < share < 1:
        least = min(least, share * (1 - share)) if of_draws or share_of_whole(scores) < 1 else 0.0
    return math.sqrt(least / len(scores))
