"""SEA-HELM's totals of one model: every node of the hierarchy with its score, its two standard errors and what it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from tqdm import tqdm

from lm_eval_sea.sea_helm.totals.draws import (
    QUESTION_DRAWS,
    QUESTION_SEED,
    RUN_DRAWS,
    RUN_SEED,
    mean_and_published_error,
    question_draws,
    run_draws,
    standard_error,
)
from lm_eval_sea.sea_helm.totals.evidence import Evidence
from lm_eval_sea.sea_helm.totals.hierarchy import Place, aggregate, incomplete
from lm_eval_sea.sea_helm.totals.task_score import METHODS, TaskRows, taken_for_multiple_choice

PUBLISHED = "published"
# The two tasks of LINDSEA's pragmatics, whose rows the corrected rule scores together.
PRAGMATICS = "pragmatics"


@dataclass(frozen=True)
class Node:
    """One node of the hierarchy; scores and errors in points of 0 to 100."""

    place: Place
    score: float | None  # None: missing
    published_error: float | None
    error: float | None
    complete: bool
    runs: int | None = None  # of a task
    rows: int | None = None
    headline: tuple[str, float] | None = None  # of a task: lm-eval's own metric, mean over runs


@dataclass(frozen=True)
class Totals:
    """All nodes, and what a reader must know of them."""

    method: str
    nodes: dict[Place, Node]
    notes: list[str]


def pooled_pragmatics(rows: Mapping[Place, TaskRows]) -> dict[Place, TaskRows]:
    """The tasks with those of pragmatics made one: SEA-HELM's metric pools single and pair before it averages the phenomena.

    Where the two were run a different number of times, or one is absent, they stay as they are.
    """
    pooled = dict(rows)
    for language in {place.language for place in rows}:
        members = [place for place in rows if place.language == language and place.group == PRAGMATICS]
        parts = [rows[place] for place in members]
        if len(parts) < 2 or len({len(part.scores) for part in parts}) > 1:
            continue
        for place in members:
            del pooled[place]
        pooled[Place(language, members[0].competency, "", PRAGMATICS)] = replace(
            parts[0],
            scores=np.concatenate([part.scores for part in parts], axis=1),
            labels=sum((part.labels for part in parts), ()),
            clusters=tuple(f"{number} {cluster}" for number, part in enumerate(parts) for cluster in part.clusters),
            phenomena=sum((part.phenomena or () for part in parts), ()),
        )
    return pooled


def compute(evidence: Evidence, expected: Iterable[Place], unavailable: Mapping[Place, str], method: str) -> Totals:
    """Scores every task and averages level by level.

    Args:
        evidence: the rows of the tasks that were run.
        expected: all tasks of the suite.
        unavailable: the parts of SEA-HELM that cannot be run here → why.
        method: "published" or "corrected".
    """
    notes = list(evidence.notes)
    rows = pooled_pragmatics(evidence.rows) if method != PUBLISHED else dict(evidence.rows)
    languages = {place.language for place in rows}
    ran = evidence.rows.keys() | evidence.without_samples
    not_run = [place for place in dict.fromkeys([*expected, *unavailable]) if place.language in languages and place not in ran]
    missing = [*not_run, *sorted(evidence.without_samples)]
    uneven = evidence.unequal | {
        Place(place.language, place.competency, "", PRAGMATICS) for place in evidence.unequal if place.group == PRAGMATICS
    }
    of_runs, of_questions = _draws(rows, method)
    if method == PUBLISHED:
        for place in sorted(evidence.without_samples):
            notes.append(f"{place.language} {place.task}: counts as 0, as the published method demands of a task without rows")
            of_runs[place], of_questions[place] = np.zeros(RUN_DRAWS), np.zeros(QUESTION_DRAWS)
        notes += [
            f"{place.language} {place.task}: taken for multiple choice by the published rule, for two of its references are equal"
            for place, task in sorted(rows.items())
            if taken_for_multiple_choice(task.labels) and not task.is_label_task
        ]
    notes += _notes_on_missing(not_run, unavailable)
    lacking = incomplete([*missing, *uneven]) | uneven | evidence.without_samples
    runs, questions = aggregate(of_runs), aggregate(of_questions)
    nodes = {}
    for place, draws in runs.items():
        score, published_error = mean_and_published_error(draws)
        task = rows.get(place)
        nodes[place] = Node(
            place=place,
            score=score,
            published_error=published_error,
            error=standard_error(questions[place]),
            complete=place not in lacking,
            runs=task and len(task.scores),
            rows=task and len(task.labels),
            headline=evidence.headlines.get(place),
        )
    for place in missing:
        nodes.setdefault(place, Node(place, None, None, None, complete=False, headline=evidence.headlines.get(place)))
    return Totals(method, nodes, notes)


def _draws(rows: Mapping[Place, TaskRows], method: str) -> tuple[dict[Place, np.ndarray], dict[Place, np.ndarray]]:
    runs, questions = np.random.default_rng(RUN_SEED), np.random.default_rng(QUESTION_SEED)
    of_runs, of_questions = {}, {}
    for place, task in tqdm(sorted(rows.items()), desc="Drawing", unit="task"):
        scoring = METHODS[method](task)
        of_runs[place] = run_draws(scoring, runs)
        of_questions[place] = question_draws(scoring, task.clusters, questions)
    return of_runs, of_questions


def _notes_on_missing(missing: Iterable[Place], unavailable: Mapping[Place, str]) -> list[str]:
    by_language: dict[str, list[str]] = {}
    by_reason: dict[str, list[str]] = {}
    for place in missing:
        if reason := unavailable.get(place):
            by_reason.setdefault(reason, []).append(f"{place.language} {place.task}")
        else:
            by_language.setdefault(place.language, []).append(place.task)
    notes = [f"{language}: not run: {', '.join(tasks)}" for language, tasks in sorted(by_language.items())]
    return notes + [f"missing, for {reason}: {', '.join(tasks)}" for reason, tasks in by_reason.items()]
