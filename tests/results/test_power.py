"""Which difference rows can show, against the t test on drawn answers and by hand."""

import numpy as np
import pytest
from scipy import stats

from lm_eval_sea.results.power import seen_on_mean, seen_on_task, what_rows_show


@pytest.mark.parametrize(("rows", "tests"), [(100, 1), (900, 1), (400, 40)])
def test_eight_of_ten_pairs_with_that_difference_are_told_apart(rows, tests):
    """Right and wrong answers of two models that correlate by 0.3, around one half."""
    gap, draws = seen_on_task(rows, tests) / 100, 2000
    first, second = 0.5 + gap / 2, 0.5 - gap / 2
    both = first * second + 0.3 * np.sqrt(first * (1 - first) * second * (1 - second))
    cells = np.random.default_rng(0).multinomial(rows, [both, first - both, second - both, 1 - first - second + both], size=draws)
    mean = (cells[:, 1] - cells[:, 2]) / rows
    variance = ((cells[:, 1] + cells[:, 2]) / rows - mean**2) / (rows - 1)
    found = 2 * stats.t.sf(np.abs(mean) / np.sqrt(variance), rows - 1) < 0.05 / tests
    assert found.mean() == pytest.approx(0.8, abs=0.04)


def test_a_mean_of_equal_tasks_is_as_good_as_all_their_rows():
    assert seen_on_mean([100] * 4) == pytest.approx(seen_on_task(400))
    assert seen_on_mean([100]) == pytest.approx(seen_on_task(100))
    assert seen_on_mean([100, 10_000]) > seen_on_task(10_100)


def test_what_is_said():
    assert what_rows_show({}) is None and what_rows_show({"a": 0}) is None
    assert what_rows_show({"a": 100}).startswith("two models would be told apart that differ by 16.6 points on 100 rows: with")
    text = what_rows_show(dict.fromkeys("abcd", 400))
    assert "by 8.3 points on 400 rows (by" in text and "on any of 4 tasks), or by 4.1 on the mean of all tasks" in text
