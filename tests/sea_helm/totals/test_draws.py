"""Draws against closed forms and the analytical clustered standard error."""

import numpy as np
import pytest

from lm_eval_sea.results.uncertainty import clustered_standard_error
from lm_eval_sea.sea_helm.totals.draws import (
    QUESTION_DRAWS,
    question_draws,
    standard_error,
)
from lm_eval_sea.sea_helm.totals.task_score import Scoring, weighted_mean


def test_error_over_questions_is_the_clustered_one():
    generator = np.random.default_rng(1)
    per_cluster = generator.random(60)
    values = np.repeat(per_cluster, 3)
    clusters = [str(number) for number in range(60) for _ in range(3)]
    draws = question_draws(Scoring(values[None], weighted_mean), clusters, np.random.default_rng(2))
    assert draws.shape == (QUESTION_DRAWS,)
    expected = clustered_standard_error(list(values), clusters)
    assert standard_error(draws) == pytest.approx(expected, rel=0.15)
    alone = question_draws(Scoring(values[None], weighted_mean), [str(row) for row in range(180)], np.random.default_rng(2))
    assert standard_error(alone) < 0.75 * expected  # as if all rows were independent: √3 too small


def test_runs_add_to_the_error_over_questions():
    rows = np.zeros(400)
    runs = np.array([rows, rows + 1.0])  # all questions alike, runs apart
    draws = question_draws(Scoring(runs, weighted_mean), [str(row) for row in range(400)], np.random.default_rng(3))
    # the mean of two runs drawn with replacement: 0, 1/2, 1 with 1/4, 1/2, 1/4 → standard deviation √(1/8)
    assert standard_error(draws) == pytest.approx(np.sqrt(1 / 8), rel=0.15)
