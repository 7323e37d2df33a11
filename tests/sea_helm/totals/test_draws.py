"""Draws against closed forms and the analytical clustered standard error."""

import numpy as np
import pytest

from lm_eval_sea.results.uncertainty import clustered_standard_error
from lm_eval_sea.sea_helm.totals.draws import (
    QUESTION_DRAWS,
    RUN_DRAWS,
    mean_and_published_error,
    question_draws,
    run_draws,
    standard_error,
)
from lm_eval_sea.sea_helm.totals.task_score import Scoring, weighted_mean


def test_one_run_has_no_published_error():
    draws = run_draws(Scoring(np.array([[1.0, 0.0, 1.0]]), weighted_mean), np.random.default_rng(0))
    assert draws.shape == (RUN_DRAWS,)
    assert mean_and_published_error(draws) == pytest.approx((2 / 3, 0))


def test_each_row_takes_its_score_from_some_run():
    # the runs answer opposite halves, so that a draw of whole runs could only give one half
    values = np.array([[1.0] * 50 + [0.0] * 50, [0.0] * 50 + [1.0] * 50])
    draws = run_draws(Scoring(values, weighted_mean), np.random.default_rng(0))
    assert len(set(draws.round(6))) > 5
    mean, error = mean_and_published_error(draws)
    # a row is right with probability 1/2: variance of a draw is 1/4 / 100, of the mean of the draws a thirtieth of it
    assert mean == pytest.approx(0.5, abs=0.05)
    assert error == pytest.approx(np.sqrt(0.25 / 100 / RUN_DRAWS), rel=0.4)


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
