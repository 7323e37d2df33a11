"""Which difference rows can show, against the t test on drawn answers and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from lm_eval_sea.results.comparison import corrected_on_page
from lm_eval_sea.results.power import Planned, limit_to_see, seen_on_mean, seen_on_task, what_rows_show


@pytest.mark.parametrize(("rows", "tests", "level"), [(20, 1, 0.04), (900, 1, 0.04), (400, 40, 0.01 / 40)])
def test_the_difference_is_that_of_statsmodels_at_the_level_of_a_page(rows, tests, level):
    """An effect is a difference divided by its deviation on one row; two answers around one half correlate by 0.3."""
    for p_value, is_told in ((0.999 * level, True), (1.001 * level, False)):
        others = dict.fromkeys(range(1, tests), 0.9)
        [mean], tasks = (of.values() for of in corrected_on_page({0: 0.9 if others else p_value}, {0: p_value} | others))
        assert (min([mean] if tests == 1 else tasks) <= 0.05) is is_told
    effect = NormalIndPower(ddof=0).solve_power(nobs1=rows, alpha=level, power=0.8, ratio=0)
    assert seen_on_task(rows, tests) == pytest.approx(100 * effect * np.sqrt(2 * 0.25 * (1 - 0.3)), rel=1e-4)


ASKS = st.tuples(st.sampled_from("xy"), st.sampled_from(["th", "vi"]), st.sampled_from("ab"))


@given(st.lists(st.builds(Planned, st.integers(1, 400), st.sampled_from([0.0, 0.25]), st.just(1), ASKS), min_size=1, max_size=6))
def test_rows_that_tasks_share_count_once(tasks):
    """By the covariance of two tasks: all of it on the same texts, a tenth in another language, none on other texts."""
    rows_of = {name: sum(task.rows for task in tasks if task.asks[2] == name) for _, _, name in {task.asks for task in tasks}}
    weights = [task.rows / rows_of[task.asks[2]] / len(rows_of) for task in tasks]
    errors = [seen_on_task(task.rows) / (1 - task.chance) for task in tasks]
    shared = [[(a.asks[0] == b.asks[0]) * (1 if a.asks[1] == b.asks[1] else 0.1) for b in tasks] for a in tasks]
    parts = np.multiply(weights, errors)
    assert seen_on_mean(tasks) == pytest.approx(math.sqrt(parts @ np.array(shared) @ parts))


@given(
    st.floats(0.5, 60),
    st.lists(st.builds(Planned, st.integers(1, 90), st.sampled_from([0.0, 0.25, 0.5]), st.sampled_from([1, 3])), min_size=1),
)
def test_the_fewest_rows_that_show_a_difference_are_chosen(points, tasks):
    shown = [limit for limit in range(1, 91) if seen_on_mean([t._replace(rows=min(limit, t.rows)) for t in tasks]) <= points]
    most, labelled = max(task.rows for task in tasks), 10 * max(task.labels for task in tasks)
    assert limit_to_see(points, tasks) == min(most, max(labelled, shown[0] if shown else most))


def test_what_is_said():
    assert what_rows_show([]) is None
    text = what_rows_show([Planned(100)])
    assert text.startswith("two models that differ by 17.1 points on 100 rows would be told apart with")
    assert what_rows_show([Planned(2)]) == "2 rows are too few to tell two models apart, whatever their scores"
    text = what_rows_show([Planned(2)] * 30)
    assert text.startswith("two models that differ by 22.1 points of normalised scores in the mean of all tasks, would be told")
    text = what_rows_show([Planned(400)] * 4)
    assert "by 8.6 points on 400 rows (by" in text and "on any of 4 tasks), or by 4.3 points of normalised scores in" in text
