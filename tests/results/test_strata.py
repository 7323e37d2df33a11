"""Means of tasks and comparisons of models, against scipy and numbers by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from lm_eval_sea.results.comparison import corrected_on_page
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.row_statistics import (
    group_mean_statistics,
    macro_f1_statistics,
    mean_statistics,
    of_one_more,
    statistics_of,
)
from lm_eval_sea.results.score import task_score
from lm_eval_sea.results.strata import Origin, combined, difference_strata, reported_stratum, strata_of
from lm_eval_sea.results.types import Score
from lm_eval_sea.results.uncertainty import FEWEST, FEWEST_CLUSTERS, swap_test

from .lm_eval_output import sacrebleu_of

SCORES = st.lists(st.floats(0.01, 0.99).map(lambda score: round(score, 3)), min_size=FEWEST, max_size=20, unique=True)


def alone(count):
    return [str(number) for number in range(count)]


@given(SCORES)
def test_the_interval_of_one_task_is_the_t_interval(scores):
    spread = combined(strata_of(mean_statistics(scores), "a", alone(len(scores))))
    expected = stats.ttest_1samp(scores, 0)
    assert spread.half_width() == pytest.approx((expected.confidence_interval(0.95).high - np.mean(scores)), rel=1e-6)
    assert spread.p_value(np.mean(scores)) == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)


@given(SCORES, SCORES)
def test_independent_tasks_are_welchs_test(first, second):
    strata = [
        *strata_of(mean_statistics(first), "a", alone(len(first))),
        *strata_of(mean_statistics(second), "b", alone(len(second))),
    ]
    spread = combined([strata[0], strata[1].times(-1)])
    expected = stats.ttest_ind(first, second, equal_var=False)
    assert spread.degrees == pytest.approx(expected.df, rel=1e-6)
    assert spread.p_value(np.mean(first) - np.mean(second)) == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)


@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)), min_size=FEWEST, max_size=12))
def test_tasks_that_may_share_texts_are_as_uncertain_as_they_can_be(pairs):
    """Where names do not tell what two tasks share, their errors are added; where they do, the tasks are one of their means."""

    def halves(pools, families):
        return [
            replace(part.times(0.5), origin=Origin(name, family))
            for name, pool, family, scores in zip("ab", pools, families, zip(*pairs, strict=True), strict=True)
            for part in strata_of(mean_statistics(scores), pool, alone(len(pairs)))
        ]

    errors = [stats.sem(scores) / 2 for scores in zip(*pairs, strict=True)]
    together = combined(halves("ab", "xx")).stderr
    assert together == pytest.approx(sum(errors), abs=1e-9)
    alike = combined(halves("aa", "xx"))
    expected = combined(strata_of(mean_statistics(np.mean(pairs, axis=1).tolist()), "a", alone(len(pairs))))
    assert (alike.stderr, alike.degrees) == pytest.approx((expected.stderr, expected.degrees), abs=1e-9), "the same passages"
    assert alike.stderr <= together + 1e-9
    assert combined(halves("ab", "xy")).stderr == pytest.approx(math.hypot(*errors), abs=1e-9), "independent"


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=FEWEST, max_size=30), st.integers(2, 4))
def test_the_mean_of_wordings_with_the_same_answers_is_as_certain_as_one_of_them(answers, wordings):
    """Also where no answer is wrong: those to other rows would be wrong in all wordings. Without a row in common they are not."""
    names, rows = alone(len(answers)), mean_statistics(answers)
    same = [part.times(1 / wordings) for _ in range(wordings) for part in strata_of(rows, "a", names)]
    assert combined(same).stderr == pytest.approx(combined(strata_of(rows, "a", names)).stderr)
    other = [part.times(1 / wordings) for pool in range(wordings) for part in strata_of(rows, str(pool), names)]
    assert combined(other).stderr == pytest.approx(combined(same).stderr / math.sqrt(wordings))


@pytest.mark.parametrize("right", [0, 3, 8])
def test_right_and_wrong_answers_vary_at_least_as_with_one_of_each_more(right):
    """Also where their error was reported; another one has no such floor."""
    scores = [1.0] * right + [0.0] * (8 - right)
    share = (right + 1) / 10
    for strata in (
        strata_of(mean_statistics(scores), "a", alone(8)),
        [reported_stratum("a", np.mean(scores), np.std(scores, ddof=1) / math.sqrt(8), 8)],
    ):
        found = combined(strata)
        assert found.stderr == pytest.approx(max(math.sqrt(share * (1 - share) / 8), stats.sem(scores)))
        assert found.half_width() > 0
    assert combined([reported_stratum("a", 0.5, 0.01, 8)]).stderr == 0.01


@pytest.mark.parametrize("matches", [0, 1, 2])
@pytest.mark.parametrize("metric", ["bleu", "chrf++"])
def test_bleu_and_chrf_vary_at_least_as_one_right_answer_more_would_move_them(metric, matches):
    """Against sacreBLEU of the texts with one reference more. An error that was reported has about the same floor."""
    reference = "the old market town by the river"
    pairs = [(reference, reference if n < matches else "town the by") for n in range(30)]
    rows, names = statistics_of(metric, pairs), list(map(str, range(30)))
    own, more = sacrebleu_of(metric, pairs), sacrebleu_of(metric, [*pairs, (reference, reference)])
    left_out = [sacrebleu_of(metric, pairs[:n] + pairs[n + 1 :]) for n in range(30)]
    of_jackknife = np.sqrt(29 / 30 * np.square(np.array(left_out) - np.mean(left_out)).sum())
    assert 100 * combined(strata_of(rows, "toy", names)).stderr == pytest.approx(max(of_jackknife, more - own))
    assert 100 * combined(difference_strata(rows, rows, "toy", names)).stderr == pytest.approx(more - own)
    assert (0.8 if metric == "chrf++" else 0.3) * (more - own) < 100 * of_one_more(metric, own / 100, 30) < 1.1 * (more - own)
    errors = (0.0, 100 * of_one_more(metric, own / 100, 30))
    few, same = (task_score(metric, facts_of({}), Score(own, error), evaluated=30) for error in errors)
    assert (few.low, few.high) == (same.low, same.high) and few.stderr == 0


def test_few_passages_have_no_interval():
    assert combined(strata_of(mean_statistics([1, 0, 1, 0] * 5), "a", ["a", "b", "c", "d"] * 5)).half_width() is None
    rare = group_mean_statistics(["x"] * 40 + ["y"] * 4, [1.0, 0.0] * 22)
    assert combined(strata_of(rare, "a", alone(44))).half_width() is None, "four rows of a label"
    assert combined([reported_stratum("a", 0.5, 0.05, 100)]).half_width() == pytest.approx(0.05 * stats.t.ppf(0.975, 99))


def test_balanced_accuracy_has_strata_by_label():
    """The mean of two labels' shares: half the error of Welch's test of their difference, and its degrees of freedom."""
    x, y = [0.2, 0.5, 0.9, 0.4, 0.6], [0.1, 0.8, 0.3, 0.7, 0.2, 0.5, 0.4]
    found = combined(strata_of(group_mean_statistics(["x"] * 5 + ["y"] * 7, x + y), "a", alone(12)))
    expected = stats.ttest_ind(x, y, equal_var=False)
    assert found.stderr == pytest.approx(abs(np.mean(x) - np.mean(y)) / abs(expected.statistic) / 2)
    assert found.degrees == pytest.approx(expected.df)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("xy"), st.sampled_from("abcde")), min_size=8, max_size=20))
def test_labels_that_share_passages_have_the_jackknife_of_each_labels_mean(rows):
    scores, labels, passages = zip(*rows, strict=True)
    of_label = {label: [(score, passage) for score, other, passage in rows if other == label] for label in set(labels)}
    counts = [len({passage for _, passage in own}) for own in of_label.values()]
    assume(min(counts) > 1)

    def moves(passage):
        for own, count in zip(of_label.values(), counts, strict=True):
            left = [score for score, other in own if other != passage]
            yield math.sqrt(1 - 1 / count) * (np.mean(left) - np.mean([score for score, _ in own])) / len(of_label)

    expected = math.sqrt(sum(sum(moves(passage)) ** 2 for passage in set(passages)))
    strata = strata_of(group_mean_statistics(labels, scores), "a", passages)
    assume(len(strata) == 1)
    assert np.sqrt(np.square(strata[0].contributions).sum()) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=FEWEST_CLUSTERS, max_size=12))
def test_the_swap_test_is_scipys(rows):
    golds, first, second = (list(column) for column in zip(*rows, strict=True))
    models = [macro_f1_statistics(list(zip(golds, chosen, strict=True)), 3) for chosen in (first, second)]
    table = np.concatenate([model.values for model in models])

    def score_of(chosen):
        sums = table[chosen].sum(axis=-2)
        return models[0].score(np.atleast_2d(sums)).reshape(sums.shape[:-1])

    def statistic(one, other, axis):
        return score_of(one) - score_of(other)

    places = np.arange(len(rows))
    expected = stats.permutation_test(
        (places, places + len(rows)), lambda a, b, axis: abs(statistic(a, b, axis)), permutation_type="samples",
        vectorized=True, n_resamples=np.inf, alternative="greater",
    )  # fmt: skip
    found = swap_test(models[0].score, models[0].values, models[1].values, alone(len(rows)))
    assert found == pytest.approx(expected.pvalue, abs=1e-9)


def test_whole_clusters_are_swapped():
    """Ten passages of two rows; the first model is right on all of one half of them: 2 of 2^10 ways are as far apart."""
    golds = [0, 1] * 10
    models = [macro_f1_statistics(list(zip(golds, chosen, strict=True)), 2) for chosen in (golds, [1 - gold for gold in golds])]
    clusters = [str(n // 2) for n in range(20)]
    assert swap_test(models[0].score, models[0].values, models[1].values, clusters) == 2 / 2**10
    assert swap_test(models[0].score, models[0].values, models[1].values, ["p"] * 10 + ["q"] * 10) is None
    assert swap_test(models[0].score, models[0].values, models[0].values, clusters) == 1


def test_differences_of_labels_are_paired_by_label():
    first, second = ([1.0, 0.0, 1.0, 1.0, 0.0, 1.0] * 4, [0.0, 0.0, 1.0, 1.0, 1.0, 0.0] * 4)
    groups = ["x", "x", "y", "y", "y", "y"] * 4
    found = combined(difference_strata(*(group_mean_statistics(groups, scores) for scores in (first, second)), "a", alone(24)))
    deltas = {name: [a - b for a, b, g in zip(first, second, groups, strict=True) if g == name] for name in "xy"}
    expected = sum(max(stats.sem(own) ** 2, floor(own)) for own in deltas.values()) / 4
    assert found.stderr**2 == pytest.approx(expected)


def floor(deltas):
    count = len(deltas)
    return ((np.square(deltas).sum() + 1) / (count + 1) - (sum(deltas) / (count + 1)) ** 2) / count


def test_the_level_is_split_between_the_main_comparisons_and_the_rest():
    assert corrected_on_page({"m": 0.03}, {"a": 0.02, "b": None}) == ({"m": pytest.approx(0.0375)}, {"a": 0.02, "b": None})
    first, rest = corrected_on_page({"m": 0.5}, {"a": 0.009, "b": 0.9})
    assert first["m"] == pytest.approx(0.625) and rest["a"] == pytest.approx(2 * 0.009 / 0.2) and rest["b"] == 1


@pytest.mark.parametrize("nulls", [(True, True), (True, False), (False, False)])
def test_no_more_than_one_page_in_twenty_makes_a_false_claim(nulls):
    """P-values of two main comparisons and ten others; those of the rest are always of no difference."""
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(2000):
        main = {n: float(rng.random() if null else 1e-9) for n, null in enumerate(nulls)}
        first, rest = corrected_on_page(main, {n: float(rng.random()) for n in range(10)})
        wrong += any(first[n] <= 0.05 for n, null in enumerate(nulls) if null) or min(rest.values()) <= 0.05
    assert wrong / 2000 < 0.065  # 5 %, and three standard errors
