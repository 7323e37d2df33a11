"""Scores of rows, against the libraries that score the drawn rows themselves."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import balanced_accuracy_score, f1_score

from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.row_statistics import macro_f1_statistics, statistics_of
from lm_eval_sea.results.score import task_score
from lm_eval_sea.results.strata import combined, strata_of
from lm_eval_sea.results.types import Score
from lm_eval_sea.tasks._shared.metrics.overlap import bleu_of_counts, ngram_counts

from .lm_eval_output import sacrebleu_of

WORDS = st.lists(st.sampled_from(["ban", "cat", "dog", "eel", "fox", "gnu", "hen"]), min_size=1, max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)
REPEATS = st.lists(st.integers(0, 3), min_size=6, max_size=6)
slow = partial(pytest.param, marks=pytest.mark.slow)


def drawn(rows, repeats):
    return [row for row, count in zip(rows, repeats, strict=False) for _ in range(count)]


@settings(max_examples=40)
@given(PAIRS, REPEATS)
def test_corpus_scores_of_a_draw_are_sacrebleus_of_the_drawn_texts(pairs, repeats):
    chosen = drawn(pairs, repeats)
    if not chosen:
        return
    counts = [list(ngram_counts(answer.split(), reference.split())) for reference, answer in pairs]
    weights = np.array([repeats[: len(pairs)]], dtype=float)
    for metric, logged, score in (
        ("chrf++", pairs, sacrebleu_of("chrf++", chosen)),
        ("bleu", pairs, sacrebleu_of("bleu", chosen)),
        ("bleu_th", counts, bleu_of_counts(drawn(counts, repeats))),
    ):
        rows = statistics_of(metric, logged)
        assert 100 * rows.score(weights @ rows.values)[0] == pytest.approx(score, abs=1e-8)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=20))
def test_means_of_groups_are_balanced_accuracy(answers):
    golds, chosen = zip(*answers, strict=True)
    logged = [[gold, float(gold == choice), 1 / 3] for gold, choice in answers]
    found = statistics_of("balanced_acc", logged).of_all_rows
    assert found == pytest.approx(np.mean([np.mean([c == g for g, c in answers if g == name]) for name in set(golds)]))
    if set(chosen) <= set(golds):
        assert found == pytest.approx(balanced_accuracy_score(golds, chosen))


@pytest.mark.parametrize("logged", [[], [None], [1.0, None], [["a"]], [{}], [55.0], ["text"], [[1, 2, 3]], [True, "x"]])
def test_entries_without_a_score_give_none(logged):
    assert statistics_of("acc", logged) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_macro_f1_of_choices_is_the_librarys(choices):
    golds, chosen = zip(*choices, strict=True)
    found = statistics_of("f1", [[*choice, 4] for choice in choices]).of_all_rows
    assert found == pytest.approx(f1_score(golds, chosen, labels=range(4), average="macro", zero_division=0))


@pytest.mark.parametrize(("rare", "share"), [(5, 0.85), slow(5, 0.5), slow(20, 0.95)])
def test_the_interval_of_balanced_accuracy_holds_the_truth_where_a_label_is_rare(rare, share):
    """Of 100 rows; a rare label whose rows are all right by chance has no variance of its own."""
    draw, held, labels = np.random.default_rng(4), 0, ["many"] * (100 - rare) + ["few"] * rare
    for _ in range(300):
        right = draw.random(100) < [0.9 if label == "many" else share for label in labels]
        rows = statistics_of("balanced_acc", [[label, float(was), 0.5] for label, was in zip(labels, right, strict=True)])
        found = task_score("balanced_acc", facts_of({}), None, rows, list(map(str, range(100))), evaluated=100)
        held += found.low <= 100 * (0.9 + share) / 2 <= found.high
        assert (found.stderr / 100) ** 2 >= (rare + 1) / (rare + 2) ** 2 / rare / 2**2  # of all its rows right and one wrong more
    assert held / 300 > 0.93


def test_a_label_with_one_row_leaves_balanced_accuracy_without_an_interval():
    rows = statistics_of("balanced_acc", [["many", float(n % 2), 0.5] for n in range(30)] + [["few", 1.0, 0.5]])
    found = task_score("balanced_acc", facts_of({}), Score(0.75, 0.05), rows, list(map(str, range(31))), evaluated=31)
    assert (found.score, found.stderr, found.low, found.high) == (75, 5, None, None)


@pytest.mark.parametrize(("rare", "rows"), [(0.1, 20), slow(0.15, 10), slow(0.02, 40)])
def test_the_interval_of_macro_f1_holds_the_truth_where_a_label_is_rare(rare, rows):
    """Against macro-F1 of all the rows that could be asked; draws without a label, or with one row of it, have no interval."""
    draw, held = np.random.default_rng(5), []
    right = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    shares = np.array([0.8 - rare, 0.2, rare])
    joint = shares[:, None] * right
    truth = np.mean(2 * np.diag(joint) / (joint.sum(0) + joint.sum(1)))
    for _ in range(300):
        golds = draw.choice(3, rows, p=shares)
        choices = [[int(gold), int(draw.choice(3, p=right[gold])), 3] for gold in golds]
        found = task_score("f1", facts_of({}), None, statistics_of("f1", choices), list(map(str, range(rows))), evaluated=rows)
        assert (found.low is None) == (np.bincount(golds, minlength=3).min() < 2)
        held += [] if found.low is None else [found.low <= 100 * truth <= found.high]
    assert len(held) > 20 and np.mean(held) > 0.92


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_answers_all_right_or_all_wrong_still_have_an_error(answer):
    """It is that of the rows with one right and one wrong more, of which 1/22 differ; the interval is Wilson's."""
    rows = statistics_of("acc", [answer] * 20)
    found = task_score("acc", facts_of({}), Score(answer, 0.0), rows, [str(n // 2) for n in range(20)], evaluated=20)
    assert [found.stderr, found.stderr_plain] == pytest.approx([100 * (1 / 22 * 21 / 22 / 20) ** 0.5] * 2)
    square = stats.t.ppf(0.975, 9) ** 2 / 10
    assert [found.low, found.high] == pytest.approx(sorted([100 * answer, 100 * abs(answer - square / (1 + square))]))


@pytest.mark.parametrize("count", [20, slow(40)])
def test_the_interval_of_f1_holds_the_truth_where_hardly_any_answer_has_a_right_word(count):
    """One answer in ten has a few right words: beta(½, 3) has the mean 1/7. Also that of the mean of three such tasks."""
    draw, held = np.random.default_rng(7), []
    for _ in range(200):
        scores = np.where(draw.random((3, count)) < 0.1, draw.beta(0.5, 3, (3, count)), 0)
        rows, names = [statistics_of("f1", of_task.tolist()) for of_task in scores], list(map(str, range(count)))
        one = task_score("f1", facts_of({}), None, rows[0], names, evaluated=count)
        strata = [part.times(100 / 3) for n, own in enumerate(rows) for part in strata_of(own, str(n), names)]
        ends = [(one.low, one.high), combined(strata).interval(100 * scores.mean())]
        held.append([low <= 100 / 70 <= high for low, high in ends])
    assert (np.mean(held, axis=0) > 0.93).all(), "of the rows' own variance 0.8 and 0.9"


@pytest.mark.parametrize("metric", ["bleu", slow("bleu_th")])
def test_bleu_of_rows_that_hardly_share_four_words_with_their_references_has_no_interval(metric):
    """Of 50 rows one in 20 is translated, and the others share no word: without a translated row sacreBLEU smooths nothings."""
    draw, held, reference = np.random.default_rng(6), [], "the river runs slowly past the old market"

    def logged(right):
        texts = [(reference, reference if row else "x y z u v w") for row in right]
        return texts if metric == "bleu" else [list(ngram_counts(b.split(), a.split())) for a, b in texts]

    truth = statistics_of(metric, logged(np.arange(2000) % 20 == 0)).of_all_rows
    for _ in range(150):
        right = draw.random(50) < 0.05
        rows = statistics_of(metric, logged(right))
        found = task_score(metric, facts_of({}), None, rows, list(map(str, range(50))), evaluated=50)
        assert (found.low is None) == (right.sum() < 2)
        held += [] if found.low is None else [found.low <= 100 * truth <= found.high]
    assert len(held) > 50 and np.mean(held) > 0.9


def test_the_error_of_a_score_of_all_rows_counts_passages_and_not_the_draws_of_the_results():
    """Macro-F1 on passages of four equal answers: against the jackknife over passages by scikit-learn."""
    draw = np.random.default_rng(3)
    golds = np.repeat(draw.integers(0, 3, 30), 4)
    chosen = np.where(np.repeat(draw.random(30) < 0.6, 4), golds, (golds + 1) % 3)
    passages = np.repeat(np.arange(30), 4)
    rows = macro_f1_statistics(list(zip(golds.tolist(), chosen.tolist(), strict=True)), 3)
    value = f1_score(golds, chosen, average="macro")
    left_out = np.array([f1_score(golds[passages != p], chosen[passages != p], average="macro") for p in range(30)])
    expected = np.sqrt(29 / 30 * np.square(left_out - left_out.mean()).sum())
    found = task_score("f1_macro", facts_of({}), Score(value, 0.01), rows, [str(p) for p in passages], evaluated=120)
    assert found.stderr == pytest.approx(100 * expected) and found.stderr > 5
    assert found.stderr_plain == pytest.approx(1) and found.clusters == 30
    assert task_score("f1_macro", facts_of({}), Score(value, 0.01), evaluated=120).stderr == pytest.approx(1)
