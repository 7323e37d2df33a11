"""Levels against a recomputation by hand."""

import numpy as np
import pytest

from lm_eval_sea.sea_helm.totals.hierarchy import ALL, SEA, Place, aggregate, incomplete


def draws(value):
    return np.array([value, value + 1.0])


def test_every_level_is_the_mean_of_the_one_below():
    nodes = aggregate(
        {
            Place("id", "nlg", "translations", "translation-en-xx"): draws(10),
            Place("id", "nlg", "translations", "translation-xx-en"): draws(20),
            Place("id", "nlg", "", "abssum"): draws(45),
            Place("id", "nlr", "", "nli"): draws(50),
            Place("jv", "nlr", "", "nli"): draws(0),
        }
    )
    assert nodes[Place("id", "nlg", "translations")] == pytest.approx(draws(15))
    assert nodes[Place("id", "nlg")] == pytest.approx(draws(30))  # (15 + 45) / 2: a group counts as one task
    assert nodes[Place("id")] == pytest.approx(draws(40))
    assert nodes[SEA] == pytest.approx(draws(40))  # Javanese is not in the published average
    assert nodes[ALL] == pytest.approx(draws(20))


def test_what_is_missing_makes_all_above_incomplete():
    missing = Place("id", "nlg", "translations", "translation-en-xx")
    assert incomplete([missing]) == {Place("id", "nlg", "translations"), Place("id", "nlg"), Place("id"), SEA, ALL}
    assert incomplete([Place("jv", "nlr", "", "nli")]) == {Place("jv", "nlr"), Place("jv"), ALL}
    assert incomplete([]) == set()
