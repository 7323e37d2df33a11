"""Task scores against definitions written out as loops, scikit-learn, and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.sea_helm.totals.draws import MOST_LABELS
from lm_eval_sea.sea_helm.totals.task_score import (
    corrected_scoring,
    mean_over_groups,
    notebook_scoring,
    taken_for_multiple_choice,
    weighted_mean,
)

from .test_draws import task


def score(scoring):
    values = scoring.values.mean(axis=0)
    return float(scoring.score(values, np.ones(len(values))))


@given(st.lists(st.tuples(st.sampled_from("AB"), st.floats(0, 1), st.sampled_from([0, 0, 0, 1, 3])), min_size=1, max_size=8))
def test_a_weight_counts_a_row_that_often(rows):
    """A label whose rows all count 0 times is left out of the mean."""
    repeated = [(gold, value) for gold, value, weight in rows for _ in range(weight)]
    if not repeated:
        return
    groups = np.unique([gold for gold, _, _ in rows], return_inverse=True)[1]
    values, weights = (np.array([row[column] for row in rows], float) for column in (1, 2))
    means = [np.mean([value for gold, value in repeated if gold == label]) for label in {gold for gold, _ in repeated}]
    assert mean_over_groups(values, weights, groups) == pytest.approx(np.mean(means))
    assert weighted_mean(values, weights) == pytest.approx(np.mean([value for _, value in repeated]))


@pytest.mark.parametrize(
    ("labels", "by_notebook", "since_august"),
    [
        (["A", "B", "A", "B", "A"], True, True),
        (["A", "B"] * 2, True, False),  # 2 of 4 are not fewer than half
        (["one", "two", "three"], False, False),
        ([("A",)] * 9, False, False),  # lists of references
        ([None] * 9, False, False),
    ],
)
def test_published_multiple_choice_is_told_by_repeated_answers(labels, by_notebook, since_august):
    assert (taken_for_multiple_choice(labels), taken_for_multiple_choice(labels, MOST_LABELS)) == (by_notebook, since_august)


def test_scores_of_texts():
    # right is only a score whose whole part is 1; recalls: "same" 1 of 2, "other" 0, so below the chance of 1/2
    assert score(notebook_scoring(task([[1.5, 80, 0.9]], ["same", "same", "other"]))) == 0
    rows = task([[1.5, 80, 0.9]], ["same", "same", "other"], best=100.0)
    assert score(corrected_scoring(rows)) == pytest.approx((1.5 + 80 + 0.9) / 3)
    # ROUGE-L is from 0 to 100; the notebook takes it for a share if no row has more than 1
    poor = task([[0.5, 1]], ["x", "y"], best=100.0)
    assert (score(corrected_scoring(poor)), score(notebook_scoring(poor))) == pytest.approx((0.75, 75))


def test_corrected_score_takes_chance_and_phenomena_from_the_task():
    rows = task([[1, 1, 0, 1]], "AABB", phenomena=("x", "x", "x", "y"), is_label_task=True, chance=0.5)
    # phenomena: x 2/3, y 1 → 5/6 → 2/3 above chance
    assert score(corrected_scoring(rows)) == pytest.approx(200 / 3)
    # recalls 1, 0 and 1: 2/3, above chance (2/3 − 1/3) / (2/3)
    of_labels = task([[*[1] * 6, 0, 1]], "AAAAAABC", is_label_task=True, chance=1 / 3)
    assert score(corrected_scoring(of_labels)) == pytest.approx(50)
    one_label_seen = task([[1, 1, 0]], "AAA", is_label_task=True, chance=0.25)
    assert score(corrected_scoring(one_label_seen)) == pytest.approx(100 * (2 / 3 - 0.25) / 0.75)
    assert score(notebook_scoring(one_label_seen)) == pytest.approx(200 / 3)
