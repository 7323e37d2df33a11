"""Draws against loops over replicates and questions, closed forms, and the analytical clustered standard error."""

import random
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_sea.results.uncertainty import clustered_standard_error
from lm_eval_sea.sea_helm.totals.draws import QUESTION_DRAWS, REPLICATES, question_draws, replicates, standard_error
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.methods import METHODS
from lm_eval_sea.sea_helm.totals.task_score import Scoring, TaskRows, weighted_mean


def task(scores, labels, **more):
    labels = tuple(tuple(label) if isinstance(label, list) else label for label in labels)
    return TaskRows(np.array(scores, float), labels, tuple(map(str, range(len(labels)))), **more)


def restated(rows, seed):
    """One replicate, question by question."""
    size = len(rows.labels)
    means = [statistics.fmean(run[number] for run in rows.scores) for number in range(size)]
    generator = np.random.default_rng(seed)
    labels = list(rows.labels)
    if isinstance(labels[0], str) and len(set(labels)) < size / 2:
        recalls = []
        for label in sorted(set(labels)):
            positions = [number for number in range(size) if labels[number] == label]
            drawn = generator.choice(np.array(positions), size=len(positions), replace=True)
            recalls.append(statistics.fmean(means[number] / rows.best for number in drawn))
        chance = 1 / len(recalls)
        return 100 * max((statistics.fmean(recalls) - chance) / (1 - chance), 0)
    drawn = generator.integers(0, size, size=size)
    return 100 / rows.best * max(statistics.fmean(means[number] for number in drawn), 0)


def planted(runs=3):
    """A task of each kind: two and four labels of unequal sizes, texts, judged rows without labels, lists of references."""
    choose = random.Random(5)
    tasks = {
        Place("id", "nlu", "", "sentiment"): ["Positif"] * 31 + ["Negatif"] * 12,
        Place("th", "knowledge", "thai_exam", "thai_exam_ic"): [choose.choice("ABCD") for _ in range(57)],
        Place("id", "nlg", "", "abssum"): [f"summary {number}" for number in range(40)],
        Place("my", "multi-turn", "", "mt-bench-judge"): [None] * 23,
        Place("id", "nlu", "", "qa"): [["one", "two"]] * 30,
    }
    rows = {}
    for place, labels in tasks.items():
        best = 100.0 if place.task == "abssum" else 1.0
        count = len(labels)
        whole = place.task in ("sentiment", "thai_exam_ic")
        scores = [[float(choose.random() < 0.6) if whole else best * choose.random() for _ in range(count)] for _ in range(runs)]
        rows[place] = task(scores, labels, best=best)
    return rows


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from(["ก", "ข", "A", "a b"]), st.floats(0, 1)), min_size=9, max_size=40), st.integers(0, 2**32)
)
def test_replicates_are_those_of_loops_whatever_the_rows(rows, seed):
    labels, scores = zip(*rows, strict=True)
    one = task([scores], labels)
    if len(set(labels)) == 1:  # SEA-HELM divides by zero
        drawn = np.random.default_rng(seed).integers(0, len(scores), size=len(scores))
        assert replicates(one, np.array([seed])) == pytest.approx([100 * statistics.fmean(scores[number] for number in drawn)])
    else:
        assert replicates(one, np.array([seed])) == pytest.approx([restated(one, seed)], abs=1e-9)


def test_tasks_take_their_seeds_in_the_order_of_the_suite():
    """Also one that was not run."""
    rows = planted()
    first, second, *others = rows
    suite = [first, second, Place("vi", "nlr", "", "nli"), *others]
    drawn = METHODS["2026-08"].draw(rows, suite)
    generator = np.random.default_rng(94370244)
    for place in suite:
        seeds = generator.integers(0, 2**32 - 1, size=2000)
        if place in rows:
            assert drawn[place].score.shape == (REPLICATES,)
            assert drawn[place].score[:20] == pytest.approx([restated(rows[place], seed) for seed in seeds[:20]], abs=1e-9)


def test_answers_of_few_questions_are_named():
    for fewest, said in ((10, False), (9, True)):
        rows = task([[1] * (30 + fewest)], ["A"] * 30 + ["B"] * fewest, is_label_task=True)
        assert ("(A 30, B 9)" in (METHODS["2026-08"].remark(rows) or "")) == said


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
