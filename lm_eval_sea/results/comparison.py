"""Means of tasks with their intervals, and the difference of two models. These numbers are computed nowhere else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from lm_eval_sea.catalogue.names import lite_name
from lm_eval_sea.results.facts import Facts
from lm_eval_sea.results.power import LEVEL, MAIN_SHARE, MOST, POWER, p_text
from lm_eval_sea.results.row_statistics import RowStatistics, group_mean_statistics, mean_statistics, scale_of
from lm_eval_sea.results.rows import Rows
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.strata import Stratum, combined, difference_strata, subtracted, unpaired, vary_little, weighted
from lm_eval_sea.results.types import grouped, is_number
from lm_eval_sea.results.uncertainty import (
    CONFIDENCE,
    FEWEST_CLUSTERS,
    Key,
    Spread,
    end_text,
    holm,
    percent,
    swap_test,
    t_quantile,
)
from lm_eval_sea.results.visible_text import counted, some_names
from lm_eval_sea.tasks._shared.facts import SEA_HELM
from lm_eval_sea.tasks._shared.metrics.normalisation import normalised_score

MAIN_CONFIDENCE = 1 - MAIN_SHARE * LEVEL  # of the interval of a main difference: it excludes 0 if the two models are told apart
VARIATION = re.compile(r"([pe])\d+")  # settings of `make/settings.py`: p is the same task in other words, e with other exemplars


def normalised(task: TaskRun) -> float | None:
    """The headline score where chance is 0 and the best score 100; below chance it is negative, except for SEA-HELM's tasks.

    None without a score, or with one that does not say how good the answers are (`Facts.counts`).
    """
    return max(task.score.normalised, _worst(task)) if task.score is not None and task.facts.counts else None


def _worst(task: TaskRun) -> float:
    """The lowest normalised score that a task can have."""
    return 0.0 if task.facts.suite == SEA_HELM else normalised_score(0.0, task.facts.chance)


def _before_cut(task: TaskRun, score: float) -> float:
    """A normalised score of a task before it is clipped at chance, at most two standard errors below chance.

    Clipped scores that vary about chance are above it on average, so a mean of many would seem better than guessing. A score
    further below chance would be clipped on other rows, too.
    """
    error = ((task.score and task.score.stderr) or 0.0) / (1 - task.facts.chance)
    return max(score, min(_worst(task), -2 * error))


def nested_weights(paths: Mapping[str, Sequence[Hashable]], sizes: Mapping[str, int] | None = None) -> dict[str, float]:
    """The weight of each task in nested means; the weights sum to 1.

    A path has the groups that a task is in, from the outermost to the innermost. All groups in a group weigh the same, and so do
    the tasks of an innermost group; but if all of these have sizes, they weigh by size.
    """
    weights = dict.fromkeys(paths, 1.0)
    depth = max((len(path) for path in paths.values()), default=0)
    for level in range(depth + 1):
        children: dict[Hashable, set[Hashable]] = {}
        for task, path in paths.items():
            children.setdefault(tuple(path[:level]), set()).add(path[level] if level < len(path) else task)
        for task, path in paths.items():
            weights[task] /= len(children[tuple(path[:level])])
    for names in grouped((tuple(path), task) for task, path in paths.items()).values():
        if sizes and all(name in sizes for name in names):
            whole, rows = sum(weights[name] for name in names), sum(sizes[name] for name in names)
            weights |= {name: whole * sizes[name] / rows for name in names}
    return weights


def part_sizes(tasks: Mapping[str, TaskRun]) -> dict[str, int]:
    """The number of rows of each task that is a part of an lm-eval group; the group's mean weights its parts by rows."""
    return {name: task.expected for name, task in tasks.items() if task.facts.part and task.expected}


def plain_name(name: str, facts: Facts) -> str:
    """The name of the task that this one words differently or gives other exemplars, or of which it is a part; else its own."""
    ending = facts.setting if VARIATION.fullmatch(facts.setting) else facts.part
    return name.removesuffix(f"_{ending}")


def rows_once(models: Iterable[Iterable[str]]) -> list[str]:
    """The names of all models' tasks; of a task and its lite version, which share rows, only the one that more models ran."""
    runs = Counter(name for own in models for name in own)
    whole = {name: name.removesuffix(lite_name("")) for name in runs}
    kept = (name for name in whole if runs[lite_name(name)] <= runs[name])
    return [name for name in kept if whole[name] == name or runs[whole[name]] < runs[name]]


def left_out(models: Mapping[str, Collection[str]]) -> list[str]:
    """A line on models that ran a task only in the version, whole or lite, that `rows_once` drops; none without such models."""
    kept, ending, left = set(rows_once(models.values())), lite_name(""), {}
    for model, own in models.items():
        other_of = {name: name.removesuffix(ending) if name.endswith(ending) else lite_name(name) for name in own}
        left[model] = [name for name, other in other_of.items() if name not in kept and other not in own]
    named = "; ".join(f"{model} ({some_names(names)})" for model, names in left.items() if names)
    which = "Means count a whole task or its lite one, whichever more models ran"
    return [f"{which}, so these are left out: {named}"] if named else []


@dataclass(frozen=True)
class Mean:
    """A mean of normalised scores, 0 at chance and 100 at best."""

    value: float
    stderr: float | None  # None: it is unknown for a task
    low: float | None  # 95 % interval; None: no standard error, or few
    high: float | None
    tasks: int
    few: bool  # whether a task, or a label of one, has too few passages for an interval; see `uncertainty.FEWEST`
    limited: bool  # whether a score in it is not of all rows


def mean_of(tasks: Mapping[str, TaskRun], weights: Mapping[str, float]) -> Mean | None:
    """The weighted mean, or another weighted sum, of one model's normalised scores; None without tasks. All must have a score."""
    if not tasks:
        return None
    scores = {name: normalised(task) or 0.0 for name, task in tasks.items()}
    before = {name: _before_cut(task, task.score.normalised) if task.score else 0.0 for name, task in tasks.items()}
    worst = {name: _worst(task) for name, task in tasks.items()}
    spread = weighted((weights[name], task.strata and _in_points(task, task.strata)) for name, task in tasks.items())

    def ends(lower: Mapping[str, float], upper: Mapping[str, float]) -> list[float]:
        """The least and the most that the sum can be; a negative weight swaps the ends of a task."""
        of_tasks = [sorted((weights[name] * lower[name], weights[name] * upper[name])) for name in tasks]
        return list(map(sum, zip(*of_tasks, strict=True)))

    (low_from, high_from), (least, most) = ends(before, scores), ends(worst, dict.fromkeys(tasks, 100.0))
    low, _ = spread.interval(low_from, least)
    _, high = spread.interval(high_from, most=most)
    value = sum(weights[name] * score for name, score in scores.items())
    if list(map(weights.__getitem__, tasks)) == [1] and low is not None and (own := interval_of_one(tasks.values())):
        [task] = tasks.values()
        low, high = (max(normalised_score(end / 100, task.facts.chance), _worst(task)) for end in own)
    return Mean(value, spread.stderr, low, high, len(tasks), spread.few, any(task.limited for task in tasks.values()))


def interval_of_one(tasks: Collection[TaskRun]) -> tuple[float, float] | None:
    """The interval of the score of a single task, in per cent; None for several tasks, or if there is none.

    The mean of a single task is its score, so it takes the interval of the score: that of Student's t covers the truth too
    rarely if few answers are wrong.
    """
    [score] = [task.score for task in tasks] if len(tasks) == 1 else [None]
    return None if score is None or score.low is None or score.high is None else (score.low, score.high)


def _in_points(task: TaskRun, strata: Sequence[Stratum]) -> list[Stratum]:
    """The strata of a score, scaled to its normalised points. Clipping at chance is ignored."""
    return [stratum.times(100 / (1 - task.facts.chance)) for stratum in strata]


class Pair(NamedTuple):
    """Two models on one task, on the rows that both were asked."""

    first: float  # normalised
    second: float
    low_from: float  # where the lower end of the interval of first − second is measured from; see `_before_cut`
    high_from: float  # likewise, the upper end
    strata: list[Stratum] | None  # of first − second, in points of normalised scores; None: unknown
    most: float  # the largest possible difference
    rows: int = 0  # that both were asked
    all_rows: bool = True  # whether neither model was asked others
    limited: bool = False  # whether a score is not of all rows of the data set
    alone: Callable[[], float | None] = lambda: None  # the p-value of `task_difference`, if this is the only common task


def pairs(first: Mapping[str, TaskRun], second: Mapping[str, TaskRun]) -> dict[str, Pair]:
    """The tasks on which two models can be compared: with common rows, or if rows are unknown, with equally many."""
    common = {name: _pair(task, second[name]) for name, task in first.items() if name in second and task.facts.counts}
    found = {name: pair for name, pair in common.items() if pair is not None}
    if len(found) == 1:
        [(name, pair)] = found.items()
        found[name] = pair._replace(alone=cache(lambda: getattr(task_difference(first[name], second[name]), "p_value", None)))
    return found


def _pair(first: TaskRun, second: TaskRun) -> Pair | None:
    on_one_scale = (first.facts.headline_metric, first.facts.chance) == (second.facts.headline_metric, second.facts.chance)
    if first.score is None or second.score is None or not on_one_scale:
        return None
    common, strata = common_rows(first, second), None
    scores = (first.score.normalised, second.score.normalised)
    if common is None:
        if first.evaluated != second.evaluated:
            return None
        if first.strata is not None and second.strata is not None:
            difference = unpaired(first.name, first.strata, second.strata)
            strata = _in_points(first, [replace(difference, origin=first.origin)])
    elif not common.clusters:
        return None
    else:
        if not common.all_rows:
            a, b = (normalised_score(rows.of_all_rows, first.facts.chance) for rows in (common.first, common.second))
            scores = (a, b)
        strata = _in_points(first, _difference_strata(first, second, common))
    a, b = (max(score, _worst(first)) for score in scores)
    low, high = _before_cut(first, scores[0]) - b, a - _before_cut(second, scores[1])
    rows, all_rows = (first.evaluated or 0, True) if common is None else (len(common.clusters), common.all_rows)
    return Pair(a, b, low, high, strata, 100 - _worst(first), rows, all_rows, first.limited or second.limited)


@dataclass(frozen=True)
class MeanDifference:
    """First − second, in points of normalised scores, over the tasks and rows that both were asked."""

    first: float
    second: float
    low_from: float  # where the lower end of the interval is measured from; see `Pair`
    high_from: float
    spread: Spread  # of the difference
    names: Collection[str]  # of the tasks
    most: float  # the largest possible difference
    rows: int  # that both were asked
    all_rows: bool  # whether neither model was asked others on these tasks
    limited: bool  # whether a score of one of them is not of all rows
    untold: Sequence[str]  # the tasks for which there is no interval
    alone: Callable[[], float | None]  # the p-value of the only common task

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self.names)

    @property
    def value(self) -> float:
        """The difference."""
        return self.first - self.second

    @property
    def p_value(self) -> float | None:
        """Two-sided, of no difference, measured from the same values as the interval.

        For a single task, a value up to 5 % is at least the task's own, which may take 0.2 s.
        """
        found = self.spread.p_value(max(0.0, self.low_from) if self.value > 0 else min(0.0, self.high_from))
        return found if found is None or found > LEVEL else max(found, self.alone() or 0.0)

    @property
    def seen(self) -> float | None:
        """The difference that `sentence` finds with a probability of 80 %; None where there is no test."""
        if self.spread.stderr is None or self.p_value is None:
            return None
        return self.spread.stderr * sum(t_quantile(share, self.spread.degrees) for share in ((1 + MAIN_CONFIDENCE) / 2, POWER))

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float | None, float | None]:
        """Both ends; None without standard error, or if few."""
        low, _ = self.spread.interval(self.low_from, -self.most, self.most, confidence)
        _, high = self.spread.interval(self.high_from, -self.most, self.most, confidence)
        return low, high


def difference_of_means(common: Mapping[str, Pair], weights: Mapping[str, float]) -> MeanDifference | None:
    """The difference of two models' means over the tasks of `pairs`, whose weights sum to 1; None without such tasks."""
    if not common:
        return None
    summed = ("first", "second", "low_from", "high_from", "most")
    spread = weighted((weights[name], pair.strata) for name, pair in common.items())
    return MeanDifference(
        **{part: sum(weights[name] * getattr(pair, part) for name, pair in common.items()) for part in summed},
        spread=spread,
        names=tuple(common),
        rows=sum(pair.rows for pair in common.values()),
        all_rows=all(pair.all_rows for pair in common.values()),
        limited=any(pair.limited for pair in common.values()),
        untold=[name for name, pair in common.items() if pair.strata is None or (spread.few and combined(pair.strata).few)],
        alone=next(pair.alone for pair in common.values()),
    )


def sentence(first: str, second: str, found: MeanDifference | None, asked: int) -> str:
    """A sentence on two models: `found` is first − second, and `asked` the number of tasks that either was asked.

    The error rate is `MAIN_SHARE` of 5 %, as on a page that also compares them on languages, suites and tasks. The interval
    excludes 0 if they are told apart.
    """
    if found is None:
        return f"{first} and {second} cannot be compared: they have no common task with rows that both were asked."
    tasks = counted(found.tasks, "common task")
    tasks += f" of {asked}" if asked > found.tasks else ""
    tasks += "" if found.all_rows else f", on the {found.rows:,} rows that both were asked"
    p_value, (low, high) = _scaled(found.p_value, MAIN_SHARE), found.interval(MAIN_CONFIDENCE)
    if p_value is None or low is None or high is None or found.seen is None:
        why = (
            "too few passages, or too few rows of a label"
            if found.spread.few
            else "their rows were not logged, or contradict the results, and these have no standard errors"
        )
        where = f" ({some_names(found.untold)})" if found.untold else ""
        return f"{first} and {second} cannot be compared on {tasks}: {why}{where}."
    better, worse = (first, second) if found.value > 0 else (second, first)
    low, high = (low, high) if found.value > 0 else (-high, -low)
    interval = f"({100 * MAIN_CONFIDENCE:.0f}\u00a0% interval [{end_text(low)}, {end_text(high)}])"
    text = p_text(p_value)
    said = f"p {text if text.startswith('<') else f'= {text}'}".replace(" 0.", " .").replace(" ", "\u00a0")
    if p_value <= LEVEL:
        return f"{better} is better than {worse} by {abs(found.value):.1f} points {interval} on {tasks}, {said}."
    more = f"{better} has {abs(found.value):.1f} points more {interval}, {said}" if found.value else "their means are equal"
    seen = f" A difference of {found.seen:.1f} points would probably have been seen." if found.seen else ""
    if found.seen > MOST:
        seen = f" On so few rows not even a difference of {MOST} points would probably have been seen."
    return f"{first} and {second} cannot be told apart on {tasks}: {more}.{seen}"


class CommonRows(NamedTuple):
    """The rows that two models were asked, in the same order."""

    first: RowStatistics
    second: RowStatistics
    clusters: list[str]
    all_rows: bool  # whether neither model has others


def common_rows(first: TaskRun, second: TaskRun) -> CommonRows | None:
    """The common rows; None if scores are not made of known rows, or not in the same way."""
    one, other = first.telling_rows, second.telling_rows
    if one is None or other is None or one.metric != other.metric or one.statistics is None or other.statistics is None:
        return None
    if _kind(one.statistics) != _kind(other.statistics):
        return None
    if one.fingerprint == other.fingerprint:
        return CommonRows(one.statistics, other.statistics, one.clusters, all_rows=True)
    places = common_places(one, other)
    clusters = [one.clusters[place] for place in places[0]]
    all_rows = len(clusters) == len(one.keys) == len(other.keys)
    (a, _), (b, _) = one.at(places[0]), other.at(places[1])
    if a is None or b is None:
        return None
    if a.groups is not None and a.of_rows is not None and b.of_rows is not None:  # their own rows may have more labels
        groups = [f"{number:09}" for number in a.groups.tolist()]  # in their order
        drawn, scores = (a.of_draws, b.of_draws), (a.of_rows.tolist(), b.of_rows.tolist())
        a, b = (replace(group_mean_statistics(groups, own), of_draws=of) for own, of in zip(scores, drawn, strict=True))
    return CommonRows(a, b, clusters, all_rows)


def _kind(rows: RowStatistics) -> object:
    """How the score is made of rows; if labels weigh the same, their number does not matter, because common rows decide it."""
    return (rows.is_mean, rows.of_rows is None, rows.groups is None and rows.values.shape[1])


def common_places(one: Rows, other: Rows) -> tuple[list[int], list[int]]:
    """The places of the common rows in both, by the rows' names, because another version of the data may number them differently.

    If either repeats a name, by number and name.
    """
    names = [[name for _, name in rows.keys] for rows in (one, other)]
    keys = names if all(len(set(own)) == len(own) for own in names) else [one.keys, other.keys]
    first, second = ({key: place for place, key in enumerate(own)} for own in keys)
    common = [key for key in first if key in second]
    return [first[key] for key in common], [second[key] for key in common]


@dataclass(frozen=True)
class TaskDifference:
    """First − second on one task, in percentage points, on the rows that both were asked."""

    metric: str
    test: str
    difference: float
    stderr: float | None
    low: float | None  # 95 % interval
    high: float | None
    p_value: float | None
    rows: int
    clusters: int

    @property
    def few(self) -> bool:
        """Whether the rows are too few for an interval."""
        return self.low is None


def task_difference(first: TaskRun, second: TaskRun) -> TaskDifference | None:
    """Two models on one task; None without common rows.

    The interval is that of `strata.difference_strata`; there is none if neither model's rows tell how its score varies
    (`RowStatistics.tells_its_error`). If the score is the mean of the rows' scores, this is the paired t test by cluster, whose
    error has a floor only if it is 0, or for means over seeds and calibrated answers. If all rows make the score together
    (balanced accuracy, macro-F1, BLEU, chrF++), the p-value is that of `uncertainty.swap_test`; for BLEU and chrF++ it is at
    least that of the interval: if two models have the same BLEU and one earns it on few rows, swaps find the other better too
    often. If the rows do not give the headline metric, the metric of single rows counts.
    """
    common, metric = common_rows(first, second), first.facts.headline_metric
    if common is None:
        common, metric = _common_items(first, second), first.facts.metric_of_rows
    if common is None or not common.clusters:
        return None
    a, b, clusters = common.first, common.second, len(set(common.clusters))
    strata = _difference_strata(first, second, common)
    plain = combined([replace(stratum, least=0.0) for stratum in strata])
    spread = plain if a.is_mean and plain.stderr and not vary_little(a, b) else combined(strata)
    tells = a.tells_its_error(common.clusters) or b.tells_its_error(common.clusters)
    spread = spread._replace(few=spread.few or clusters < FEWEST_CLUSTERS or not tells)
    value = a.of_all_rows - b.of_all_rows
    low, high = map(percent, spread.interval(value, -1.0, 1.0))
    test, p_value = "t test", spread.p_value(value)
    if not a.is_mean:
        swapped = None if low is None else swap_test(a.score, a.values, b.values, common.clusters)
        least = 0.0 if a.right is None else p_value or 0.0  # of BLEU and chrF++
        test, p_value = "swaps", None if swapped is None else max(least, swapped)
    return TaskDifference(metric, test, 100 * value, percent(spread.stderr), low, high, p_value, len(common.clusters), clusters)


def _difference_strata(first: TaskRun, second: TaskRun, common: CommonRows) -> list[Stratum]:
    one, other = first.strata or [], second.strata or []
    if common.all_rows and one and [stratum.codes for stratum in one] == [stratum.codes for stratum in other]:
        return subtracted(one, other, common.first, common.second)
    found = difference_strata(common.first, common.second, first.facts.pool, common.clusters)
    return [replace(stratum, origin=first.origin) for stratum in found]


def _common_items(first: TaskRun, second: TaskRun) -> CommonRows | None:
    """The rows that have a score of their own, 0 to 1, in both runs."""
    one, other = first.logged, second.logged
    if one is None or other is None or first.facts.headline_metric != second.facts.headline_metric:
        return None
    scale = scale_of(first.facts.metric_of_rows)
    own, others = (rows.frame.score.tolist() for rows in (one, other))
    places = zip(*common_places(one, other), strict=True)
    scored = [(a, b) for a, b in places if is_number(own[a]) and is_number(others[b])]
    scores = [[own[a] / scale for a, _ in scored], [others[b] / scale for _, b in scored]]
    if not all(0 <= score <= 1 for found in scores for score in found):
        return None
    clusters = [one.clusters[place] for place, _ in scored]
    return CommonRows(mean_statistics(scores[0]), mean_statistics(scores[1]), clusters, all_rows=False)


class RankSet(NamedTuple):
    """The places that a model can have, from 1."""

    first: int
    last: int

    @property
    def text(self) -> str:
        """Such as "1" or "2–4"."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


def rank_sets(models: Sequence[str], apart: Mapping[tuple[str, str], float]) -> dict[str, RankSet]:
    """The places that models can have; all are right at once if all pairs in `apart` are (Mogstad et al. 2024).

    A model's first place is 1 + the number of surely better models, its last the number of models minus that of surely worse
    ones. `apart` has first − second of the pairs that are told apart.

    Pairs that were compared on different tasks can go round in a circle, each model better than the next. No order has them all,
    so the pairs of a circle count as not told apart.
    """
    place = {model: number for number, model in enumerate(models)}
    wins = np.zeros((len(models), len(models)), dtype=bool)
    for (first, second), difference in apart.items():
        winner, loser = (first, second) if difference > 0 else (second, first)
        wins[place[winner], place[loser]] = True
    _, circle = connected_components(wins, connection="strong")
    wins &= circle[:, None] != circle
    better, worse = wins.sum(axis=0).tolist(), wins.sum(axis=1).tolist()
    return {model: RankSet(1 + better[number], len(models) - worse[number]) for model, number in place.items()}


def corrected_on_page(
    main: Mapping[Key, float | None], rest: Mapping[Key, float | None]
) -> tuple[dict[Key, float | None], dict[Key, float | None]]:
    """Corrected p-values of all claims of a page: with 95 % probability no claim with p ≤ 0.05 is false (Wiens 2003).

    Of the level of 5 %, `MAIN_SHARE` is for the main comparisons, of the means over all tasks, and the rest for all others; if
    every main comparison is told apart, its part goes to the others. Within each part, Holm's correction is used.
    """
    first = {key: _scaled(value, MAIN_SHARE) for key, value in holm(main).items()}
    passed = bool(first) and all(value is not None and value <= LEVEL for value in first.values())
    share = 1.0 if passed else 1 - MAIN_SHARE
    return first, {key: _scaled(value, share) for key, value in holm(rest).items()}


def _scaled(p_value: float | None, share: float) -> float | None:
    return None if p_value is None else min(1.0, p_value / share)
