"""SEA-HELM's aggregation since 5 August 2026: replicates of a task's score, questions drawn anew. Pure functions, no I/O.

A question's score is its mean over the runs. Each of 2,000 replicates has a generator of its own, whose seed comes from one
generator for all tasks. Equal to SEA-HELM's `src/aggregation` replicate for replicate, if the tasks come in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lm_eval_sea.sea_helm.totals.task_score import TaskRows, normalise

SEED = 94370244
REPLICATES = 2000
FEW_QUESTIONS = 10  # a right answer of multiple choice with fewer questions than this is named
_SEED_END = 2**32 - 1  # the greatest seed is one less


def replicate_seeds(generator: np.random.Generator) -> np.ndarray:
    """The seeds of a task's replicates, (REPLICATES,)."""
    return generator.integers(0, _SEED_END, size=REPLICATES)


def is_multiple_choice(labels: Sequence[str | tuple[str, ...] | None]) -> bool:
    """Whether there are fewer different right answers than half the questions; never without answers or with lists of them."""
    return all(isinstance(label, str) for label in labels) and len(set(labels)) < len(labels) / 2


def rare_labels(labels: Sequence[str | tuple[str, ...] | None]) -> dict[str, int]:
    """The questions per right answer, if one has fewer than FEW_QUESTIONS: it weighs as much as the others."""
    counts = Counter(map(str, labels))
    return dict(counts) if min(counts.values()) < FEW_QUESTIONS else {}


def replicates(rows: TaskRows, seeds: np.ndarray) -> np.ndarray:
    """The score of a task in each replicate, (len(seeds),), per cent.

    Multiple choice: questions drawn within each right answer; the mean over right answers of the mean score, normalised with
    1 / number of right answers. Otherwise: questions drawn from all, the mean score, never below 0.
    """
    scores = rows.scores.mean(axis=0) / rows.best
    if not is_multiple_choice(rows.labels):
        [means] = _means_of_drawn([scores], seeds)
        scaled: np.ndarray = 100 * np.maximum(means, 0)
        return scaled
    labels = np.array(rows.labels)
    groups = [scores[labels == label] for label in np.unique(labels)]
    chance = 1 / len(groups) if len(groups) > 1 else 0.0  # one right answer for all questions leaves nothing to normalise
    return normalise(_means_of_drawn(groups, seeds).mean(axis=0), chance)


def _means_of_drawn(groups: Sequence[np.ndarray], seeds: np.ndarray) -> np.ndarray:
    """The mean of each group's values, as many drawn with replacement as it has, (groups, len(seeds)).

    A seed's generator draws for one group after the other.
    """
    sizes = [len(values) for values in groups]
    drawn = [np.empty((len(seeds), size), dtype=np.int32) for size in sizes]
    for number, seed in enumerate(seeds):
        generator = np.random.default_rng(seed)
        for positions, size in zip(drawn, sizes, strict=True):
            positions[number] = generator.integers(0, size, size=size)
    return np.stack([values[positions].mean(axis=1) for values, positions in zip(groups, drawn, strict=True)])
