"""The score of one task from the scores of its rows, in per cent. Pure functions, no I/O.

The rule of August 2026 is `draws.replicates`. `notebook_scoring` is that of SEA-HELM's notebook of June 2026: it does not know
the task and recognises multiple choice by repeated right answers. `corrected_scoring` takes the kind of the task, its chance
level and its phenomena from the task itself. `ranked_scoring` is for tasks that rank labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lm_eval_sea.results.uncertainty import numbered
from lm_eval_sea.tasks._shared.metrics.normalisation import normalised_score


@dataclass(frozen=True)
class TaskRows:
    """The rows of one task as one or several runs (seeds) of a model scored them."""

    scores: np.ndarray  # (runs, rows): 1 or 0 for a label, F1 or ROUGE-L for a text
    labels: tuple[str | tuple[str, ...] | None, ...]  # a row's right answer; a tuple if there may be several, None for none
    clusters: tuple[str, ...]  # rows of one cluster share a passage
    phenomena: tuple[str, ...] | None = None  # a row's linguistic phenomenon, where the task has them
    is_label_task: bool = False
    chance: float = 0.0  # share of right answers by guessing
    best: float = 1.0  # score of a perfect row: 1 or 100
    parts: tuple[int, ...] | None = None  # the task of each row, if several tasks were made one


class Scoring(NamedTuple):
    """How a task is scored: what counts of each row, and how rows become a score."""

    values: np.ndarray  # (runs, rows)
    score: Callable[[np.ndarray, np.ndarray], np.ndarray]  # values and weights of rows, (…, rows) each → (…), per cent


def normalise(score: np.ndarray, chance: float) -> np.ndarray:
    """`normalised_score` of shares, with 0 for what is below chance (SEA-HELM's score calculations)."""
    normalised: np.ndarray = np.maximum(normalised_score(score, chance), 0)
    return normalised


def mean_over_groups(values: np.ndarray, weights: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Unweighted mean of the groups' weighted means; with right answers as groups and values of 0 and 1, balanced accuracy.

    A group without weights is left out, as scikit-learn leaves out classes without a row. Values and weights (how often each row
    counts) are (…, rows); groups, numbered from 0 without a gap, (rows,).
    """
    means, present = group_means(values, weights, groups)
    return weighted_mean(means, present)


def group_means(values: np.ndarray, weights: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean of each group, (…, groups), and 1 or 0 for whether any row of it has a weight; if none has, its mean is 0."""
    membership = np.eye(groups.max() + 1)[groups]  # (rows, groups)
    totals = weights @ membership
    present = totals > 0
    return ((values * weights) @ membership) / np.where(present, totals, 1), present.astype(float)


def weighted_mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean over the last axis, in which each row counts as often as its weight says."""
    mean: np.ndarray = (values * weights).sum(axis=-1) / weights.sum(axis=-1)
    return mean


def taken_for_multiple_choice(labels: Sequence[str | tuple[str, ...] | None], share: float = 1.0) -> bool:
    """Whether SEA-HELM takes a task for multiple choice: fewer different right answers than this share of the questions.

    The share is 1 in the notebook, so that two equal references of generated texts are enough; since August 2026 it is a half.
    Lists of references cannot be compared, so question answering never is; nor is a task without right answers.
    """
    return all(isinstance(label, str) for label in labels) and len(set(labels)) < share * len(labels)


def notebook_scoring(rows: TaskRows) -> Scoring:
    """The notebook's rule.

    Multiple choice: a row is right if its score, cut to a whole number, is 1 (the notebook repeats the right answer that often
    and compares); balanced accuracy, normalised with 1 / number of different right answers. Otherwise: the mean.
    """
    if not taken_for_multiple_choice(rows.labels):
        unit = 100 if rows.scores.max() <= 1 else 1  # the notebook takes scores for shares if none is above 1
        return Scoring(unit * rows.scores, weighted_mean)
    right = (np.trunc(rows.scores) == 1).astype(float)
    different = len(set(rows.labels))
    # one right answer for all rows leaves nothing to normalise
    return _balanced_scoring(right, numbered(rows.labels), 1 / different if different > 1 else 0.0)


def corrected_scoring(rows: TaskRows) -> Scoring:
    """The rule of SEA-HELM's metrics rather than of its notebook.

    A label task: balanced accuracy, or the mean of the accuracies of its linguistic phenomena where it has them, normalised with
    the chance level of the task. Otherwise: the mean.
    """
    if not rows.is_label_task:
        return Scoring(100 / rows.best * rows.scores, weighted_mean)
    return _balanced_scoring(rows.scores, numbered(rows.phenomena or rows.labels), rows.chance)


def ranked_scoring(rows: TaskRows) -> Scoring:
    """The rule of SEA-HELM's runs for tasks with ranked labels (`src/aggregate_metrics.py` at 6844e6c): the mean over the rows.

    For pragmatics, whose two tasks are one: the mean over the phenomena, each the mean of the tasks that have it.
    """
    if rows.phenomena is None or rows.parts is None:
        return Scoring(100 / rows.best * rows.scores, weighted_mean)
    cells = list(zip(rows.phenomena, rows.parts, strict=True))
    phenomena = numbered([phenomenon for phenomenon, _ in dict.fromkeys(cells)])
    return Scoring(
        100 / rows.best * rows.scores,
        lambda values, weights: mean_over_groups(*group_means(values, weights, numbered(cells)), phenomena),
    )


def _balanced_scoring(values: np.ndarray, groups: np.ndarray, chance: float) -> Scoring:
    return Scoring(values, lambda drawn, weights: normalise(mean_over_groups(drawn, weights, groups), chance))
