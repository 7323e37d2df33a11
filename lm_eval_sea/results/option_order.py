"""Whether a model finds the published order of options likelier than another one, as it would of rows that it has seen.

If people put the wrong options of a row in any order, all orders are equally likely under a model that has not seen the row
(exchangeability, as of the rows of a whole test in Oren et al. 2023, arXiv:2310.17623; of options in Ni et al. 2024,
arXiv:2409.01790). `tasks/_shared/rows.py` says which two orders the tasks of the setting `order` compare. The mean over rows of

    gap = log p(the list as published | question) − log p(the list with two wrong options exchanged | question), in nats

is then 0, and Student's t test by passage says whether it is. One gap says nothing. Some exams list shorter options first, which
a model may like that has not seen the row: so rows in which the shorter of the two comes first as published, and rows in which
the longer does, weigh the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_sea.results.means import combined, strata_of
from lm_eval_sea.results.row_statistics import group_mean_statistics
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import is_number
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS
from lm_eval_sea.tasks._shared.facts import ORDER

_SCORES, _LISTS = "doc.option_scores", "doc.options"


@dataclass(frozen=True)
class Gaps:
    """The gaps of a task's rows."""

    of: Mapping[str, float]  # by the row's id, which is that of its translations, too
    clusters: Mapping[str, str]  # likewise
    groups: Mapping[str, str]  # likewise: whether the published list has the shorter of the two options first


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
    frame = task.rows_frame(_SCORES, _LISTS) if task.facts.setting == ORDER else None
    if frame is None:
        return None
    found, clusters, groups = {}, {}, {}
    columns = (frame.id, frame.cluster, frame.gold, frame[_SCORES], frame[_LISTS])
    for name, cluster, gold, scores, lists in zip(*columns, strict=True):
        of_lists = scores if isinstance(scores, list) else []
        logs: list[Any] = [score.get("loglikelihood") if isinstance(score, dict) else None for score in of_lists]
        if name is not None and len(logs) == 2 and all(map(is_number, logs)) and gold in (0, 1):
            found[name] = float(logs[int(gold)] - logs[1 - int(gold)])
            clusters[name] = cluster
            groups[name] = _shorter_first(lists, int(gold))
    return Gaps(found, clusters, groups) if found else None


def _shorter_first(lists: Any, gold: int) -> str:
    texts = [str(text).split("\n") for text in lists] if isinstance(lists, list) and len(lists) == 2 else [[], []]
    moved = [(len(own), len(other)) for own, other in zip(texts[gold], texts[1 - gold], strict=False) if own != other]
    return "shorter first" if moved and moved[0][0] < moved[0][1] else "longer first"


def gap_of(gaps: Gaps) -> Gap:
    """The mean of the means of both groups."""
    values, groups = list(gaps.of.values()), [gaps.groups[name] for name in gaps.of]
    clusters = [gaps.clusters[name] for name in gaps.of]
    rows = group_mean_statistics(groups, values)
    mean, spread = rows.of_all_rows, combined(strata_of(rows, "", clusters))
    half = spread.half_width() if len(set(clusters)) >= FEWEST_CLUSTERS else None
    low, high, p_value = (None, None, None) if half is None else (mean - half, mean + half, spread.p_value(mean))
    likelier = group_mean_statistics(groups, [(value > 0) + (value == 0) / 2 for value in values])
    return Gap(mean, low, high, p_value, len(values), likelier.of_all_rows)


def beside_others(own: Gaps, others: Mapping[str, Gaps]) -> Gap | None:
    """By how much the gap is larger than the mean gap of the other languages, on the rows that all have; None without such."""
    common = [name for name in own.of if others and all(name in other.of for other in others.values())]
    differences = {name: own.of[name] - sum(other.of[name] for other in others.values()) / len(others) for name in common}
    return gap_of(Gaps(differences, own.clusters, own.groups)) if common else None
