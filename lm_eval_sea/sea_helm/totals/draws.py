"""Draws of a task's score over runs and over questions. Pure functions, no I/O.

The totals of June 2026 use `run_draws` and `question_draws`, the corrected ones only the latter. Since 5 August 2026 SEA-HELM
has `replicates` of a score, each with newly drawn questions; a question's score is its mean over the runs. Each of 2,000
replicates has its own generator, whose seed comes from one generator for all tasks. They equal those of SEA-HELM's
`src/aggregation` one for one if the tasks come in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lm_eval_sea.results.uncertainty import numbered
from lm_eval_sea.sea_helm.totals.task_score import Scoring, TaskRows, normalise, taken_for_multiple_choice

RUN_SEED, RUN_DRAWS = 94370244, 30  # of the notebook of June 2026
SEED, REPLICATES = 94370244, 2000  # of August 2026
MOST_LABELS = 0.5  # different right answers of multiple choice, as a share of the questions
QUESTION_SEED, QUESTION_DRAWS = 1234, REPLICATES  # ours: enough draws for the ends of an interval of 95 per cent
FEW_CLUSTERS = 30  # of a task; with fewer, percentile intervals are too narrow, most of all for scores near 0 or 1
SEED_END = 2**32 - 1  # the greatest seed is one less


def run_draws(scoring: Scoring, generator: np.random.Generator) -> np.ndarray:
    """Scores with the run drawn again for each row, (RUN_DRAWS,), per cent: SEA-HELM's bootstrap.

    The questions stay the same. With one run all draws are equal.
    """
    runs, rows = scoring.values.shape
    chosen = generator.integers(runs, size=(RUN_DRAWS, rows))
    return scoring.score(scoring.values[chosen, np.arange(rows)], np.ones((RUN_DRAWS, rows)))


def question_draws(scoring: Scoring, clusters: Sequence[str], generator: np.random.Generator) -> np.ndarray:
    """Scores with questions and runs drawn again, (QUESTION_DRAWS,), per cent.

    A draw takes as many whole clusters as there are, with replacement, and as many runs as there are, with replacement, over
    which a row's score is averaged.
    """
    runs, rows = scoring.values.shape
    cluster_of_row = numbered(clusters)
    number = cluster_of_row.max() + 1
    draws = generator.integers(number, size=(QUESTION_DRAWS, number))
    counts = np.apply_along_axis(np.bincount, 1, draws, minlength=number)
    of_runs = generator.integers(runs, size=(QUESTION_DRAWS, runs))
    shares = np.apply_along_axis(np.bincount, 1, of_runs, minlength=runs) / runs
    return scoring.score(shares @ scoring.values, counts[:, cluster_of_row].astype(float))


def published_error(draws: np.ndarray) -> float:
    """√(variance / number of draws) of the draws over runs, as SEA-HELM has it: the error of their mean, not of the score."""
    return float(np.sqrt(draws.var(ddof=1) / len(draws)))


def standard_error(draws: np.ndarray) -> float:
    """Standard deviation of the draws over questions: the bootstrap's standard error of the score."""
    return float(draws.std(ddof=1))


def interval(draws: np.ndarray) -> tuple[float, float]:
    """The 2.5th and 97.5th percentiles of the draws over questions: the bootstrap's interval of 95 per cent."""
    low, high = np.percentile(draws, (2.5, 97.5))
    return float(low), float(high)


def replicates(rows: TaskRows, seeds: np.ndarray) -> np.ndarray:
    """The score of a task in each replicate, (len(seeds),), per cent.

    Multiple choice: questions drawn within each right answer; the mean over right answers of the mean score, normalised with
    1 / number of right answers. Otherwise: questions drawn from all, the mean score, never below 0.
    """
    scores = rows.scores.mean(axis=0) / rows.best
    if not taken_for_multiple_choice(rows.labels, MOST_LABELS):
        [means] = _means_of_drawn([scores], seeds)
        scaled: np.ndarray = 100 * np.maximum(means, 0)
        return scaled
    labels = np.array(rows.labels)
    groups = [scores[labels == label] for label in np.unique(labels)]
    chance = 1 / len(groups) if len(groups) > 1 else 0.0  # one right answer for all questions leaves nothing to normalise
    return normalise(_means_of_drawn(groups, seeds).mean(axis=0), chance)


def _means_of_drawn(groups: Sequence[np.ndarray], seeds: np.ndarray) -> np.ndarray:
    """The mean of each group's values, as many drawn with replacement as it has, (groups, len(seeds)).

    The generator of a seed draws for the groups one after the other.
    """
    sizes = [len(values) for values in groups]
    drawn = [np.empty((len(seeds), size), dtype=np.int32) for size in sizes]
    for number, seed in enumerate(seeds):
        generator = np.random.default_rng(seed)
        for positions, size in zip(drawn, sizes, strict=True):
            positions[number] = generator.integers(0, size, size=size)
    return np.stack([values[positions].mean(axis=1) for values, positions in zip(groups, drawn, strict=True)])
