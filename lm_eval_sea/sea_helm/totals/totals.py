"""SEA-HELM's totals of one model: every node of the hierarchy with its score, its uncertainty and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.results.types import grouped
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.sea_helm.totals.draws import FEW_CLUSTERS, interval, published_error, standard_error
from lm_eval_sea.sea_helm.totals.evidence import Evidence
from lm_eval_sea.sea_helm.totals.hierarchy import Place, aggregate, incomplete
from lm_eval_sea.sea_helm.totals.methods import METHODS, PRAGMATICS, Method, pooled_place, pooled_pragmatics
from lm_eval_sea.sea_helm.totals.suite import Suite
from lm_eval_sea.sea_helm.totals.task_score import TaskRows

_ROUNDING = 1e-9  # points; means of equal scores are not quite equal


@dataclass(frozen=True)
class Node:
    """One node of the hierarchy; scores and errors in points of 0 to 100. The fields are columns of the files (`views`)."""

    place: Place
    score: float | None = None  # None: missing
    low: float | None = None  # 95 % interval
    high: float | None = None
    standard_error: float | None = None
    published_error: float | None = None  # None where SEA-HELM states none
    complete: bool = False
    in_suite: bool = True  # False: a task that enters no mean
    runs: int | None = None  # of a task
    rows: int | None = None
    headline: tuple[str, float] | None = None  # of a task: lm-eval's own metric, mean over runs


@dataclass(frozen=True)
class Totals:
    """All nodes, and what a reader must know about them."""

    model: str
    method: str
    suite: Suite
    nodes: dict[Place, Node]
    notes: list[str]


def compute(evidence: Evidence, suite: Suite, method: str) -> Totals:
    """Scores every task and averages those of the suite level by level, by one of `METHODS`."""
    rule = METHODS[method]
    notes = list(evidence.notes)
    rows = pooled_pragmatics(evidence.rows) if rule.pooled else dict(evidence.rows)
    members = _members(suite, rule, evidence, notes)
    ran = evidence.rows.keys() | evidence.without_samples
    languages = {place.language for place in evidence.rows}
    not_run = [place for place in members if place.language in languages and place not in ran]
    empty = sorted(evidence.without_samples & set(members))
    draws = rule.draw(rows, suite.places)
    if rule.zero is not None:
        for place in empty:
            notes.append(f"{place.language} {place.task}: has no rows and counts as 0, as in the method of {method}")
            draws[place] = rule.zero
    counted, uneven = _with_pooled(members), _with_pooled(evidence.unequal)
    scored = sorted({place.language for place in draws if place in counted})
    if without := [language for language in dict.fromkeys(place.language for place in members) if language not in scored]:
        only = f"means over languages are only of {', '.join(scored)}" if scored else "there is no mean over languages"
        notes.append(f"{only}; nothing of the suite is scored in {', '.join(without)}")
    notes += [f"{place.language} {place.task}: {remark}" for place, task in sorted(rows.items()) if (remark := rule.remark(task))]
    of_tasks = {place: draw.questions for place, draw in draws.items()}
    notes += _notes_on_intervals(rule, rows, of_tasks)
    if rule.published_error:
        notes.append("published s.e. is the error of the mean of 30 draws of the runs (0 for one run), not the error of a score")
    notes += _notes_on_missing(not_run, evidence.without_scores)
    if outside := sorted(draws.keys() - counted):
        names = ", ".join(f"{place.language} {place.task}" for place in outside)
        notes.append(f"in no mean, because they are not in the suite {suite.name} {suite.version}: {names}")
    lacking = incomplete([*(set(members) - evidence.rows.keys()), *(uneven & counted)]) | uneven | evidence.without_samples
    nodes = {}
    questions = _all_levels(of_tasks, counted)
    for place, drawn in _all_levels({place: draw.score for place, draw in draws.items()}, counted).items():
        task, (low, high) = rows.get(place), interval(questions[place])
        nodes[place] = Node(
            place=place,
            score=float(drawn.mean()),
            low=low,
            high=high,
            standard_error=standard_error(questions[place]),
            published_error=published_error(drawn) if rule.published_error else None,
            complete=place not in lacking,
            in_suite=place not in outside,
            runs=len(task.scores) if task else None,
            rows=len(task.labels) if task else None,
            headline=evidence.headlines.get(place),
        )
    for place in [*not_run, *sorted(evidence.without_samples)]:
        nodes.setdefault(place, Node(place, in_suite=place in members, headline=evidence.headlines.get(place)))
    return Totals(evidence.model, method, suite, nodes, notes)


def _notes_on_intervals(rule: Method, rows: Mapping[Place, TaskRows], questions: Mapping[Place, np.ndarray]) -> Iterator[str]:
    """Lines on the tasks whose draws over questions say less than an interval seems to."""
    tasks = sorted(rows.items())
    if alike := [place for place, _ in tasks if np.ptp(questions[place]) < _ROUNDING]:
        yield (
            f"all draws of {_named(alike)} have the same score, because all rows score alike or are cut off at chance. These "
            "scores are not certain, though their intervals have no width, and intervals of means over them are too narrow"
        )
    if near := [place for place, task in tasks if task.is_label_task and _is_cut_off(questions[place])]:
        yield (
            f"{_named(near)}: perhaps at chance. What is below chance counts as 0, so a model that guesses has totals above 0, "
            "whose intervals may exclude 0"
        )
    if few := [place for place, task in tasks if len(set(task.clusters)) < FEW_CLUSTERS]:
        yield (
            f"{_named(few)}: fewer than {FEW_CLUSTERS} questions or passages; the intervals are percentiles of draws, which are "
            "too narrow for so few"
        )
    if not rule.by_passage and (of_passages := [place for place, task in tasks if len(set(task.clusters)) < len(task.clusters)]):
        yield (
            f"{_named(of_passages)}: questions about one passage are drawn separately, as in SEA-HELM, so the intervals are too "
            "narrow; the method corrected draws whole passages"
        )


def _named(places: Iterable[Place]) -> str:
    return some_names([f"{place.language} {place.task}" for place in places])


def _is_cut_off(draws: np.ndarray) -> bool:
    """Whether an interval of the draws begins at 0, below which nothing counts."""
    return interval(draws)[0] < _ROUNDING < float(np.ptp(draws))


def _members(suite: Suite, rule: Method, evidence: Evidence, notes: list[str]) -> list[Place]:
    """The tasks of the suite that the model should have, without those that SEA-HELM leaves out for base models or always."""
    languages = {place.language for place in evidence.rows}
    if never := sorted({place.task for place in suite.places if place.task in rule.leaves_out and place.language in languages}):
        notes.append(f"SEA-HELM leaves {', '.join(never)} out of its means of ranked labels")
    members = [place for place in suite.places if place.task not in rule.leaves_out]
    if not evidence.base_model:
        return members
    left_out = sorted({place.task for place in members if place.task in suite.base_skips})
    if left_out:
        notes.append(f"exemplars and no chat template, so a base model: SEA-HELM leaves out {', '.join(left_out)}")
    return [place for place in members if place.task not in suite.base_skips]


def _with_pooled(places: Iterable[Place]) -> set[Place]:
    """The tasks, and for those of pragmatics also the one that they are pooled into."""
    places = set(places)
    return places | {pooled_place(place) for place in places if place.group == PRAGMATICS}


def _all_levels(draws: dict[Place, np.ndarray], counted: set[Place]) -> dict[Place, np.ndarray]:
    """The draws of all tasks, and of all means over the `counted` ones."""
    return aggregate({place: drawn for place, drawn in draws.items() if place in counted}) | draws


def _notes_on_missing(missing: Sequence[Place], answered: set[Place]) -> list[str]:
    known = sea_helm().judge_of
    judged = [place for place in missing if place.task in known]
    by_language = grouped((place.language, place.task) for place in missing if place.task not in known)
    by_judge = grouped(((known[place.task], place in answered), f"{place.language} {place.task}") for place in judged)
    notes = [f"{language}: not run: {', '.join(tasks)}" for language, tasks in sorted(by_language.items())]
    return notes + [
        f"not scored yet, needs {judge}: {', '.join(tasks)}; {'' if has_answers else 'run them, then '}{sea_helm().judges[judge]}"
        for (judge, has_answers), tasks in by_judge.items()
    ]
