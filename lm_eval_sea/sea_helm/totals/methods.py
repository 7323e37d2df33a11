"""The methods that turn the rows of tasks into draws of their scores, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from lm_eval_sea.sea_helm.totals import draws
from lm_eval_sea.sea_helm.totals.draws import QUESTION_DRAWS, REPLICATES, RUN_DRAWS
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.task_score import (
    Scoring,
    TaskRows,
    corrected_scoring,
    notebook_scoring,
    ranked_scoring,
    taken_for_multiple_choice,
)

# The two tasks of LINDSEA's pragmatics, whose rows the corrected rule scores together.
PRAGMATICS = "pragmatics"
_FEW_QUESTIONS = 10  # a note names right answers with fewer questions
RANKED = "logprobs"  # the one method of a suite with ranked labels, and of no other


class Draws(NamedTuple):
    """The draws of a task's score, per cent."""

    score: np.ndarray  # their mean is the score
    questions: np.ndarray  # how much it varies over questions


class Method(NamedTuple):
    """One way to make totals."""

    draw: Callable[[Mapping[Place, TaskRows], Sequence[Place]], dict[Place, Draws]]  # rows and the suite's tasks → draws
    zero: Draws | None = None  # of a task that was run and left no rows; None if such a task does not count
    remark: Callable[[TaskRows], str | None] = lambda rows: None  # what a reader must know of a task
    published_error: bool = False  # whether SEA-HELM states an error of the mean of the score's draws
    pooled: bool = False  # whether the two tasks of pragmatics are one
    by_passage: bool = True  # whether questions are drawn with all that share a passage
    leaves_out: frozenset[str] = frozenset()  # tasks of the suite that are in no mean


def _by_questions(rows: Mapping[Place, TaskRows], suite: Sequence[Place]) -> dict[Place, Draws]:
    """August 2026. Every task of the suite takes its seeds, even without rows, so that the others' replicates stay the same."""
    generator = np.random.default_rng(draws.SEED)
    drawn = {}
    for place in tqdm(_in_order(rows, suite), desc="Drawing", unit="task"):
        seeds = generator.integers(0, draws.SEED_END, size=REPLICATES)
        if place in rows:
            scores = draws.replicates(rows[place], seeds)
            drawn[place] = Draws(scores, scores)
    return drawn


def _by_passages(
    rule: Callable[[TaskRows], Scoring],
    draw: Callable[[Scoring, np.random.Generator], np.ndarray],
    rows: Mapping[Place, TaskRows],
    suite: Sequence[Place],
) -> dict[Place, Draws]:
    """The methods of June 2026, corrected and ranked: draws over questions take whole passages, and draw runs, too."""
    generator, questions = np.random.default_rng(draws.RUN_SEED), np.random.default_rng(draws.QUESTION_SEED)
    drawn = {}
    for place in tqdm([place for place in _in_order(rows, suite) if place in rows], desc="Drawing", unit="task"):
        scoring = rule(rows[place])
        drawn[place] = Draws(draw(scoring, generator), draws.question_draws(scoring, rows[place].clusters, questions))
    return drawn


def _as_run(scoring: Scoring, generator: np.random.Generator) -> np.ndarray:
    """The score itself, as the only draw."""
    values = scoring.values.mean(axis=0)
    return scoring.score(values, np.ones(len(values)))[None]


def _in_order(rows: Mapping[Place, TaskRows], suite: Sequence[Place]) -> list[Place]:
    """The suite's tasks in its order, then the others by name."""
    return [*suite, *sorted(rows.keys() - set(suite))]


def pooled_place(place: Place) -> Place:
    """The place of the task that the two tasks of pragmatics are made into."""
    return Place(place.language, place.competency, "", PRAGMATICS)


def pooled_pragmatics(rows: Mapping[Place, TaskRows]) -> dict[Place, TaskRows]:
    """The tasks with those of pragmatics made one: SEA-HELM's metric pools single and pair before it averages the phenomena.

    If the two were run a different number of times, or one is absent, they stay as they are.
    """
    pooled = dict(rows)
    for language in {place.language for place in rows}:
        members = [place for place in rows if place.language == language and place.group == PRAGMATICS]
        parts = [rows[place] for place in members]
        if len(parts) < 2 or len({len(part.scores) for part in parts}) > 1:
            continue
        for place in members:
            del pooled[place]
        pooled[pooled_place(members[0])] = replace(
            parts[0],
            scores=np.concatenate([part.scores for part in parts], axis=1),
            labels=sum((part.labels for part in parts), ()),
            clusters=tuple(f"{number} {cluster}" for number, part in enumerate(parts) for cluster in part.clusters),
            phenomena=sum((part.phenomena or () for part in parts), ()),
            parts=tuple(number for number, part in enumerate(parts) for _ in part.clusters),
        )
    return pooled


def _remark_on_replicates(rows: TaskRows) -> str | None:
    is_choice = taken_for_multiple_choice(rows.labels, draws.MOST_LABELS)
    counts = Counter(map(str, rows.labels))
    if is_choice and min(counts.values()) < _FEW_QUESTIONS:
        named = ", ".join(f"{label} {count}" for label, count in sorted(counts.items()))
        return f"a right answer with few questions weighs as much as the others ({named})"
    if is_choice != rows.is_label_task:
        return f"{'taken' if is_choice else 'not taken'} for multiple choice by its right answers"
    return None


def _remark_on_notebook(rows: TaskRows) -> str | None:
    if taken_for_multiple_choice(rows.labels) and not rows.is_label_task:
        return "taken for multiple choice by the notebook, because two of its references are equal"
    return None


_NOTEBOOK = partial(_by_passages, notebook_scoring, draws.run_draws)
METHODS = {
    "2026-08": Method(_by_questions, Draws(np.zeros(REPLICATES), np.zeros(REPLICATES)), _remark_on_replicates, by_passage=False),
    "2026-06": Method(_NOTEBOOK, Draws(np.zeros(RUN_DRAWS), np.zeros(QUESTION_DRAWS)), _remark_on_notebook, published_error=True),
    "corrected": Method(partial(_by_passages, corrected_scoring, _as_run), pooled=True),
    # `LINDSEA_CATEGORIES` of `src/aggregate_metrics.py` has only pairs and pragmatics
    RANKED: Method(partial(_by_passages, ranked_scoring, _as_run), pooled=True, leaves_out=frozenset({"syntax-criteria"})),
}
