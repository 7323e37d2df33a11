"""Scores of draws of rows, against the libraries that score the drawn rows themselves."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from lm_eval_sea.results.score import statistics_of
from lm_eval_sea.results.uncertainty import cluster_weights, spread_of
from lm_eval_sea.tasks._shared.metrics.overlap import bleu_of_counts, ngram_counts

WORDS = st.lists(st.sampled_from(["ban", "cat", "dog", "eel", "fox", "gnu", "hen"]), min_size=1, max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)
REPEATS = st.lists(st.integers(0, 3), min_size=6, max_size=6)


def drawn(rows, repeats):
    return [row for row, count in zip(rows, repeats, strict=False) for _ in range(count)]


@settings(max_examples=40)
@given(PAIRS, REPEATS)
def test_corpus_scores_of_a_draw_are_sacrebleus_of_the_drawn_texts(pairs, repeats):
    chosen = drawn(pairs, repeats)
    if not chosen:
        return
    references, answers = zip(*chosen, strict=True)
    expected = {
        "chrf++": sacrebleu.corpus_chrf(answers, [references], word_order=2).score,
        "bleu": sacrebleu.corpus_bleu(answers, [references]).score,
    }
    weights = np.array([repeats[: len(pairs)]], dtype=float)
    for metric, score in expected.items():
        assert 100 * statistics_of(metric, pairs).of_draws(weights)[0] == pytest.approx(score, abs=1e-8)


@settings(max_examples=40)
@given(PAIRS, REPEATS)
def test_bleu_of_counted_words_is_that_of_the_task(pairs, repeats):
    counts = [list(ngram_counts(answer.split(), reference.split())) for reference, answer in pairs]
    chosen = drawn(pairs, repeats)
    if chosen:
        expected = bleu_of_counts([ngram_counts(answer.split(), reference.split()) for reference, answer in chosen])
        weights = np.array([repeats[: len(pairs)]], dtype=float)
        assert 100 * statistics_of("bleu_th", counts).of_draws(weights)[0] == pytest.approx(expected, abs=1e-8)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=20))
def test_means_of_groups_are_balanced_accuracy(answers):
    golds, chosen = zip(*answers, strict=True)
    logged = [[gold, float(gold == choice), 1 / 3] for gold, choice in answers]
    found = statistics_of("balanced_acc", logged).of_all_rows
    assert found == pytest.approx(np.mean([np.mean([c == g for g, c in answers if g == name]) for name in set(golds)]))
    if set(chosen) <= set(golds):
        assert found == pytest.approx(balanced_accuracy_score(golds, chosen))


@pytest.mark.parametrize("logged", [[], [None], [1.0, None], [["a"]], [{}], [55.0], ["text"], [[1, 2, 3]], [True, "x"]])
def test_what_tells_no_score_is_none(logged):
    assert statistics_of("acc", logged) is None


def test_draws_of_a_mean_vary_as_its_standard_error_says():
    rows = [float(number % 3 == 0) for number in range(300)]
    clusters = [str(number // 2) for number in range(300)]
    draws = statistics_of("acc", rows).of_draws(cluster_weights("toy", clusters))
    sums = [sum(rows[number : number + 2]) - 2 * np.mean(rows) for number in range(0, 300, 2)]
    stderr = np.sqrt(np.square(sums).sum()) / 300  # the clustered standard error by its definition
    spread = spread_of(draws)
    assert spread.stderr == pytest.approx(stderr, rel=0.1)  # 1,000 draws know a standard deviation to about 2 %
    assert spread.low == pytest.approx(np.mean(rows) - 1.96 * stderr, abs=0.3 * stderr)


def test_a_cluster_weighs_the_same_wherever_it_stands():
    first, second = cluster_weights("toy", ["a", "b", "a"]), cluster_weights("toy", ["b", "c"])
    assert (first[:, 0] == first[:, 2]).all() and (first[:, 1] == second[:, 0]).all()
    assert (first[:, 0] != cluster_weights("other", ["a"])[:, 0]).all()
    assert first.min() > 0
