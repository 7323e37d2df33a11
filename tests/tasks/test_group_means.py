"""Balanced accuracy and its kin against scikit-learn, brute force and hand calculation."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from lm_eval_sea.tasks._shared.metrics import group_means
from lm_eval_sea.tasks._shared.metrics.group_means import Outcome, mean_of_groups, mean_of_groups_stderr, normalised

LABELS = ("Positif", "Negatif", "Netral")


def outcomes(golds, predictions, chance=1 / 3):
    return [Outcome(gold, float(gold == prediction), chance) for gold, prediction in zip(golds, predictions, strict=True)]


@settings(max_examples=30)  # scikit-learn takes its time
@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from((*LABELS, "null"))), min_size=1))
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
def test_balanced_accuracy_is_that_of_scikit_learn(pairs):
    golds, predictions = zip(*pairs, strict=True)
    assert mean_of_groups(outcomes(golds, predictions)) == pytest.approx(balanced_accuracy_score(golds, predictions))


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.booleans()), min_size=1))
def test_the_order_of_rows_makes_no_difference(pairs):
    rows = [Outcome(group, float(right), 0.5) for group, right in pairs]
    for function in (mean_of_groups, mean_of_groups_stderr, normalised, group_means.normalised_stderr):
        assert function(rows) == function(rows[::-1]) == function([tuple(row) for row in rows])


def test_normalisation_by_hand():
    golds = ["Positif"] * 4 + ["Negatif"] * 2 + ["Netral"] * 2
    predictions = ["Positif"] * 3 + ["Netral"] + ["Negatif"] * 2 + ["Netral", "null"]
    rows = outcomes(golds, predictions)
    assert mean_of_groups(rows) == pytest.approx((3 / 4 + 1 + 1 / 2) / 3)
    assert normalised(rows) == pytest.approx(100 * (0.75 - 1 / 3) / (2 / 3))
    found = [normalised(outcomes(golds, answers)) for answers in (["Positif"] * 8, ["null"] * 8, golds)]
    assert found == [0, 0, 100], "one label for all is chance, and nothing is below 0"
    # s² of 3 right of 4 is 1/4, of 1 of 2 is 1/2; 2 of 2 vary as 3 of 4 would
    assert mean_of_groups_stderr(rows) == pytest.approx(math.sqrt(0.25 / 4 + 3 / 16 / 2 + 0.5 / 2) / 3)
    assert group_means.normalised_stderr(rows) == pytest.approx(150 * mean_of_groups_stderr(rows))


def test_the_standard_error_is_the_spread_over_repetitions():
    """Rows of three labels with known recalls, drawn again and again."""
    generator = random.Random(7)
    counts, recalls = Counter(Positif=60, Negatif=30, Netral=10), {"Positif": 0.9, "Negatif": 0.5, "Netral": 0.3}
    labels = list(counts.elements())
    runs = [[Outcome(label, float(generator.random() < recalls[label]), 1 / 3) for label in labels] for _ in range(2000)]
    errors = [mean_of_groups_stderr(run) for run in runs]
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std([mean_of_groups(run) for run in runs], ddof=1), rel=0.05)


def test_shares_by_phenomenon():
    rows = [Outcome("morphology", 1.0, 0.5), Outcome("morphology", 0.0, 0.5), Outcome("argument_structure", 1.0, 0.5)]
    assert group_means.share_in_morphology(rows) == 0.5
    assert group_means.share_in_morphology_stderr(rows) == pytest.approx(0.5)
    assert group_means.share_in_argument_structure(rows) == 1.0
    assert group_means.share_in_argument_structure_stderr(rows) == pytest.approx(math.sqrt(2 / 9)), "one row is not certain"
    assert math.isnan(group_means.share_in_NPIs_and_negation(rows)), "no row, no score"
