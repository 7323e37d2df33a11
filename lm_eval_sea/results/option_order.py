"""Whether a model finds the published order of options likelier than another one, as it would of rows that it has seen.

If people put the wrong options of a row in any order, all orders are equally likely under a model that has not seen the row
(exchangeability, as of the rows of a whole test in Oren et al. 2023, arXiv:2310.17623; of options in Ni et al. 2024,
arXiv:2409.01790). `tasks/_shared/rows.py` says which two orders the tasks of the setting `order` compare. The mean over rows of

    gap = log p(the list as published | question) − log p(the list with two wrong options exchanged | question), in nats

is then 0, and Student's t test by passage says whether it is. One gap says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_sea.results.means import combined, strata_of
from lm_eval_sea.results.row_statistics import mean_statistics
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import is_number
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS
from lm_eval_sea.tasks._shared.facts import ORDER

_SCORES = "doc.option_scores"


@dataclass(frozen=True)
class Gaps:
    """The gaps of a task's rows."""

    of: Mapping[str, float]  # by the row's id, which is that of its translations, too
    clusters: Mapping[str, str]  # likewise


@dataclass(frozen=True)
class Gap:
    """The mean of gaps, in nats."""

    mean: float
    low: float | None  # 95 % interval; None: too few passages
    high: float | None
    p_value: float | None  # two-sided, that the mean is 0
    rows: int
    likelier: float  # share of the rows whose published list is the likelier, 0 to 1; equal ones count half


def gaps_of(task: TaskRun) -> Gaps | None:
    """None for tasks of other settings, and where no row was logged with two finite log-likelihoods."""
    frame = task.rows_frame(_SCORES) if task.facts.setting == ORDER else None
    if frame is None:
        return None
    found, clusters = {}, {}
    for name, cluster, gold, scores in zip(frame.id, frame.cluster, frame.gold, frame[_SCORES], strict=True):
        of_lists = scores if isinstance(scores, list) else []
        logs: list[Any] = [score.get("loglikelihood") if isinstance(score, dict) else None for score in of_lists]
        if name is not None and len(logs) == 2 and all(map(is_number, logs)) and gold in (0, 1):
            found[name] = float(logs[int(gold)] - logs[1 - int(gold)])
            clusters[name] = cluster
    return Gaps(found, clusters) if found else None


def gap_of(gaps: Gaps) -> Gap:
    """The mean over rows."""
    values = list(gaps.of.values())
    clusters = [gaps.clusters[name] for name in gaps.of]
    mean = sum(values) / len(values)
    spread = combined(strata_of(mean_statistics(values), "", clusters))
    half = spread.half_width() if len(set(clusters)) >= FEWEST_CLUSTERS else None
    low, high, p_value = (None, None, None) if half is None else (mean - half, mean + half, spread.p_value(mean))
    likelier = sum((value > 0) + (value == 0) / 2 for value in values) / len(values)
    return Gap(mean, low, high, p_value, len(values), likelier)


def beside_others(own: Gaps, others: Mapping[str, Gaps]) -> Gap | None:
    """By how much the gap is larger than the mean of those of other languages, on the rows that all have; None without such rows.

    Args:
        own: of a language.
        others: of the same rows in other languages.
    """
    common = [name for name in own.of if others and all(name in other.of for other in others.values())]
    differences = {name: own.of[name] - sum(other.of[name] for other in others.values()) / len(others) for name in common}
    return gap_of(Gaps(differences, own.clusters)) if common else None
