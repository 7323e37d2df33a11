"""Draws of a task's score over runs and over questions: June 2026 and the corrected totals. Pure functions, no I/O."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lm_eval_sea.sea_helm.totals.task_score import Scoring, numbered

RUN_SEED = 94370244  # of the notebook
RUN_DRAWS = 30  # of the notebook
QUESTION_SEED = 1234
QUESTION_DRAWS = 2000  # as many as the replicates of August 2026: enough for the ends of an interval of 95 per cent


def run_draws(scoring: Scoring, generator: np.random.Generator) -> np.ndarray:
    """Scores when the run that answers is drawn anew for each row, (RUN_DRAWS,), per cent: SEA-HELM's bootstrap.

    The questions stay the same. With one run all draws are equal.
    """
    runs, rows = scoring.values.shape
    chosen = generator.integers(runs, size=(RUN_DRAWS, rows))
    return scoring.score(scoring.values[chosen, np.arange(rows)], np.ones((RUN_DRAWS, rows)))


def question_draws(scoring: Scoring, clusters: Sequence[str], generator: np.random.Generator) -> np.ndarray:
    """Scores when questions and runs are drawn anew, (QUESTION_DRAWS,), per cent.

    A draw takes as many clusters as there are, with replacement and whole, and as many runs as there are, with replacement,
    over which a row's score is averaged.
    """
    runs, rows = scoring.values.shape
    cluster_of_row = numbered(clusters)
    number = cluster_of_row.max() + 1
    draws = generator.integers(number, size=(QUESTION_DRAWS, number))
    counts = np.apply_along_axis(np.bincount, 1, draws, minlength=number)
    of_runs = generator.integers(runs, size=(QUESTION_DRAWS, runs))
    shares = np.apply_along_axis(np.bincount, 1, of_runs, minlength=runs) / runs
    return scoring.score(shares @ scoring.values, counts[:, cluster_of_row].astype(float))


def mean_and_published_error(draws: np.ndarray) -> tuple[float, float]:
    """Mean of the draws over runs, and √(variance / number of draws), the error that SEA-HELM publishes.

    The variance is the one with n − 1. The more draws, the smaller this error: it says how well the draws' mean is known, not how
    well the model is.
    """
    return float(draws.mean()), float(np.sqrt(draws.var(ddof=1) / len(draws)))


def standard_error(draws: np.ndarray) -> float:
    """Standard deviation of the draws over questions: the bootstrap's standard error of the score."""
    return float(draws.std(ddof=1))


def interval(draws: np.ndarray) -> tuple[float, float]:
    """The 2.5th and 97.5th percentiles of the draws over questions: the bootstrap's interval of 95 per cent."""
    low, high = np.percentile(draws, (2.5, 97.5))
    return float(low), float(high)
