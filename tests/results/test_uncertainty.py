"""Standard errors against the jackknife, tests against scipy, the correction against statsmodels."""

import gc
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from lm_eval_sea.results.row_statistics import mean_statistics
from lm_eval_sea.results.strata import combined, strata_of
from lm_eval_sea.results.uncertainty import (
    FEWEST_CLUSTERS,
    clustered_standard_error,
    estimate,
    holm,
    paired_difference,
    score_interval,
)

SCORES = st.floats(0, 1).map(lambda score: round(score, 3))
CLUSTERED = st.lists(st.tuples(SCORES, st.integers(0, 4)), min_size=2, max_size=20)


@given(CLUSTERED)
def test_clustered_standard_error_is_the_jackknife_over_clusters(rows):
    scores, clusters = zip(*rows, strict=True)
    names, mean = set(clusters), np.mean(scores)
    error = clustered_standard_error(scores, clusters)
    if len(names) < 2:
        assert error is None
        return
    moves = [np.mean([score for score, cluster in rows if cluster != name]) - mean for name in names]
    assert error == pytest.approx(math.sqrt((len(names) - 1) / len(names) * np.square(moves).sum()), abs=1e-8)
    assert combined(strata_of(mean_statistics(scores), "toy", list(map(str, clusters)))).stderr >= error - 1e-9


def test_a_few_passages_with_most_rows_are_not_taken_for_many():
    """Sizes like those of TICO-19's articles, three with half of the rows; equal models whose differences vary by article."""
    random, sizes = np.random.default_rng(1), [350] * 3 + [63] * 15 + [1] * 104
    names = np.repeat(np.arange(len(sizes)), sizes)
    alarms = []
    for _ in range(250):
        deltas = 0.05 * random.normal(size=len(sizes))[names] + 0.2 * random.normal(size=len(names))
        alarms.append(paired_difference(deltas.tolist(), [0.0] * len(names), names.tolist()).p_value < 0.05)
        spread = combined(strata_of(mean_statistics(deltas), "toy", list(map(str, names))))
        assert (spread.p_value(deltas.mean()) < 0.05) == alarms[-1]
    assert np.mean(alarms) < 0.075, "0.11 with 121 degrees of freedom and Miller's error"


def test_by_hand():
    # mean 1/2; sums of deviations by cluster 1, 0 and −1; sqrt(3/2 · (1 + 0 + 1)) / 6
    result = estimate([1, 1, 1, 0, 0, 0], ["a", "a", "b", "b", "c", "c"])
    assert (result.mean, result.rows, result.clusters) == (0.5, 6, 3)
    assert result.stderr == pytest.approx(math.sqrt(3) / 6)
    # the defining equation of the interval; t table: 2 degrees of freedom, 97.5 %; 1/4 / (1/12) = 3 effective rows
    for end in (result.low, result.high):
        assert abs(0.5 - end) == pytest.approx(4.302653 * math.sqrt(end * (1 - end) / 3))


@given(right=st.integers(0, 200_000))
def test_the_interval_of_many_independent_rows_is_wilsons(right):
    share = right / 200_000
    expected = stats.binomtest(right, 200_000).proportion_ci(method="wilson")
    stderr = math.sqrt(share * (1 - share) / 200_000)
    assert score_interval(share, stderr, 200_000) == pytest.approx((expected.low, expected.high), abs=1e-6)


@given(CLUSTERED)
def test_an_interval_holds_its_mean_and_stays_within_the_scale(rows):
    scores, clusters = zip(*rows, strict=True)
    result = estimate(scores, clusters)
    if result.clusters < 2:
        assert (result.low, result.high) == (None, None)
    else:
        assert 0 <= result.low <= result.mean <= result.high <= 1
        assert result.low < result.high


@pytest.mark.parametrize("rows", [FEWEST_CLUSTERS, 30, 100])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(rows):
    found = [estimate([1.0] * right + [0.0] * (rows - right)) for right in range(rows + 1)]
    for truth in (0.05, 0.25, 0.5, 0.9, 0.99):
        assert stats.binom.pmf(range(rows + 1), rows, truth) @ [one.low <= truth <= one.high for one in found] > 0.9, truth


PAIRED = st.lists(st.tuples(SCORES, SCORES), min_size=FEWEST_CLUSTERS, max_size=30)


@given(PAIRED)
def test_paired_difference_of_independent_rows_is_the_paired_t_test(rows):
    first, second = zip(*rows, strict=True)
    result = paired_difference(first, second)
    assert result.mean == pytest.approx((sum(first) - sum(second)) / len(rows), abs=1e-12)
    if result.stderr > 1e-9:
        expected = stats.ttest_rel(first, second)
        low, high = expected.confidence_interval(0.95)
        assert result.p_value == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)
        assert (result.low, result.high) == pytest.approx((max(-1, low), min(1, high)), abs=1e-9)


def test_a_difference_of_few_clusters_or_of_rows_that_all_differ_alike_is_not_tested():
    result = paired_difference([1, 0, 1, 0], [0, 0, 1, 1], ["a", "a", "b", "c"])
    assert (result.low, result.high, result.p_value) == (None, None, None) and result.stderr > 0
    assert paired_difference([1, 0] * 4, [1, 0] * 4).p_value is None, "eight identical answers show no tie"
    assert paired_difference([1, 0] * 5, [1, 0] * 5).p_value == 1
    assert paired_difference([0.3] * 12, [0.2] * 12).p_value is None
    assert paired_difference([1], [0]) == (1, None, None, None, None, 1, 1)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        *((estimate, given) for given in [([],), ([1, math.nan],), ([1, 0], ["a"]), ([55.0, 1.0],)]),
        *((paired_difference, given) for given in [([], []), ([1], [1, 0])]),
    ],
)
def test_scores_that_cannot_be_averaged_or_paired_are_an_error(function, given):
    with pytest.raises(ValueError):
        function(*given)


@pytest.fixture(scope="module")
def little_garbage():
    """Objects there are already are not looked at again: statsmodels collects garbage at each call."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("little_garbage")
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_that_of_statsmodels(p_values):
    found = holm({"untested": None, **dict(enumerate(p_values)), "unknown": math.nan})
    assert (found.pop("untested"), found.pop("unknown")) == (None, None)
    assert list(found.values()) == pytest.approx(list(multipletests(p_values, method="holm")[1]))
