"""SEA-HELM's totals of one model: every node of the hierarchy with its score, its uncertainty and what it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lm_eval_sea.sea_helm.totals.draws import interval, mean_and_published_error, standard_error
from lm_eval_sea.sea_helm.totals.evidence import Evidence
from lm_eval_sea.sea_helm.totals.hierarchy import Place, aggregate, incomplete
from lm_eval_sea.sea_helm.totals.methods import METHODS, PRAGMATICS, Draws, pooled_pragmatics
from lm_eval_sea.sea_helm.totals.suite import Judge, Suite
from lm_eval_sea.sea_helm.totals.task_score import TaskRows


@dataclass(frozen=True)
class Node:
    """One node of the hierarchy; scores and errors in points of 0 to 100."""

    place: Place
    score: float | None  # None: missing
    published_error: float | None  # None where SEA-HELM states none
    error: float | None
    interval: tuple[float, float] | None
    complete: bool
    in_suite: bool = True  # False: a task that enters no mean
    runs: int | None = None  # of a task
    rows: int | None = None
    headline: tuple[str, float] | None = None  # of a task: lm-eval's own metric, mean over runs


@dataclass(frozen=True)
class Totals:
    """All nodes, and what a reader must know of them."""

    method: str
    suite: Suite
    nodes: dict[Place, Node]
    notes: list[str]


def compute(evidence: Evidence, suite: Suite, judges: Mapping[str, Judge], method: str) -> Totals:
    """Scores every task and averages those of the suite level by level, by one of `METHODS`.

    `judges` has for the tasks that lm-eval does not score what does.
    """
    rule = METHODS[method]
    notes = list(evidence.notes)
    rows = pooled_pragmatics(evidence.rows) if rule.pooled else dict(evidence.rows)
    members = _members(suite, evidence, notes)
    ran = evidence.rows.keys() | evidence.without_samples
    languages = {place.language for place in evidence.rows}
    not_run = [place for place in members if place.language in languages and place not in ran]
    missing = [*not_run, *sorted(evidence.without_samples & set(members))]
    draws = rule.draw(rows, suite.places)
    for place in sorted(evidence.without_samples & set(members)):
        if rule.zero is not None:
            notes.append(f"{place.language} {place.task}: has no rows and counts as 0, as in the method of {method}")
            draws[place] = rule.zero
    notes += [f"{place.language} {place.task}: {remark}" for place, task in sorted(rows.items()) if (remark := rule.remark(task))]
    notes += _notes_on_missing(not_run, judges, evidence.without_scores)
    inside = {place: draw for place, draw in draws.items() if _pooled_from(place) & set(members)}
    if outside := sorted(draws.keys() - inside.keys()):
        names = ", ".join(f"{place.language} {place.task}" for place in outside)
        notes.append(f"in no mean, because they are not in the suite {suite.name} {suite.version}: {names}")
    uneven = evidence.unequal | {
        Place(place.language, place.competency, "", PRAGMATICS) for place in evidence.unequal if place.group == PRAGMATICS
    }
    in_means = [place for place in (*missing, *uneven) if _pooled_from(place) & set(members)]
    lacking = incomplete(in_means) | uneven | evidence.without_samples
    nodes = _nodes(inside, rows, evidence, lacking, rule.published_error, in_suite=True)
    nodes |= _nodes({place: draws[place] for place in outside}, rows, evidence, lacking, rule.published_error, in_suite=False)
    for place in [*missing, *sorted(evidence.without_samples)]:
        headline = evidence.headlines.get(place)
        nodes.setdefault(place, Node(place, None, None, None, None, False, place in members, headline=headline))
    return Totals(method, suite, nodes, notes)


def _members(suite: Suite, evidence: Evidence, notes: list[str]) -> list[Place]:
    """The tasks of the suite that the model is to have: all, or for a base model without those that base models leave out."""
    if not evidence.base_model:
        return list(suite.places)
    left_out = sorted({place.task for place in suite.places if place.task in suite.base_skips})
    if left_out:
        notes.append(f"exemplars and no chat template, so a base model: SEA-HELM leaves out {', '.join(left_out)}")
    return [place for place in suite.places if place.task not in suite.base_skips]


def _pooled_from(place: Place) -> set[Place]:
    """A task itself and, of pooled pragmatics, the two tasks that it is made of."""
    parts = {Place(place.language, place.competency, PRAGMATICS, f"pragmatic-{part}") for part in ("single", "pair")}
    return {place} | (parts if place.task == PRAGMATICS else set())


def _nodes(
    draws: Mapping[Place, Draws],
    rows: Mapping[Place, TaskRows],
    evidence: Evidence,
    lacking: set[Place],
    published_error: bool,
    *,
    in_suite: bool,
) -> dict[Place, Node]:
    """The nodes of these tasks and, if they are in the suite, of all means above them."""
    scores = {place: draw.score for place, draw in draws.items()}
    questions = {place: draw.questions for place, draw in draws.items()}
    if in_suite:
        scores, questions = aggregate(scores), aggregate(questions)
    nodes = {}
    for place, drawn in scores.items():
        score, error_of_mean = mean_and_published_error(drawn) if published_error else (float(drawn.mean()), None)
        task = rows.get(place)
        nodes[place] = Node(
            place=place,
            score=score,
            published_error=error_of_mean,
            error=standard_error(questions[place]),
            interval=interval(questions[place]),
            complete=place not in lacking,
            in_suite=in_suite,
            runs=len(task.scores) if task else None,
            rows=len(task.labels) if task else None,
            headline=evidence.headlines.get(place),
        )
    return nodes


def _notes_on_missing(missing: Iterable[Place], judges: Mapping[str, Judge], answered: set[Place]) -> list[str]:
    by_language: dict[str, list[str]] = {}
    by_judge: dict[tuple[Judge, bool], list[str]] = {}
    for place in missing:
        if judge := judges.get(place.task):
            by_judge.setdefault((judge, place in answered), []).append(f"{place.language} {place.task}")
        else:
            by_language.setdefault(place.language, []).append(place.task)
    notes = [f"{language}: not run: {', '.join(tasks)}" for language, tasks in sorted(by_language.items())]
    return notes + [
        f"not scored yet, needs {judge.name}: {', '.join(tasks)}; {'' if has_answers else 'run them, then '}{judge.command}"
        for (judge, has_answers), tasks in by_judge.items()
    ]
