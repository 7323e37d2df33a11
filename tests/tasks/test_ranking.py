"""The ranking formulae against hand calculations and brute force."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.metrics.ranking import OptionScore, first_maximum, log_perplexity, predictions


def option(loglikelihood, characters=1, size=1, tokens=None, log_perplexity=None):
    return OptionScore(loglikelihood, False, characters, size, tokens, log_perplexity)


def test_log_perplexity_divides_by_every_token_of_the_text():
    # 10 tokens, prompt −30 nats, option −6 nats
    assert log_perplexity(-30.0, -6.0, 10) == pytest.approx(3.6)


def test_log_perplexity_of_no_tokens_is_refused():
    with pytest.raises(ValueError, match="at least one token"):
        log_perplexity(-1.0, -1.0, 0)


def test_each_metric_can_choose_another_option():
    options = [
        option(-4.0, characters=1, size=1, tokens=1, log_perplexity=3.0),  # acc: largest sum
        option(-6.0, characters=12, size=2, tokens=1, log_perplexity=3.0),  # acc_norm: −0.5 a character
        option(-8.0, characters=2, size=24, tokens=1, log_perplexity=3.0),  # acc_bytes: −0.33 a byte
        option(-9.0, characters=2, size=2, tokens=9, log_perplexity=3.0),  # acc_token: −1 a token
        option(-9.5, characters=2, size=2, tokens=1, log_perplexity=2.9),  # acc_ppl
    ]
    assert predictions(options) == {"acc": 0, "acc_norm": 1, "acc_bytes": 2, "acc_token": 3, "acc_ppl": 4}


def test_ties_go_to_the_first_option():
    options = [option(-2.0, tokens=2, log_perplexity=1.0), option(-2.0, tokens=2, log_perplexity=1.0)]
    assert set(predictions(options).values()) == {0}


def test_without_tokens_the_token_metrics_are_left_out():
    assert set(predictions([option(-1.0), option(-2.0)])) == {"acc", "acc_norm", "acc_bytes"}


def test_an_impossible_option_loses():
    assert first_maximum([-math.inf, -1e9]) == 1


@pytest.mark.parametrize("position", [0, 1, 2])
def test_nan_is_refused_wherever_it_stands(position):
    scores = [-1.0, -2.0, -3.0]
    scores[position] = math.nan
    with pytest.raises(ValueError, match="NaN"):
        first_maximum(scores)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_first_maximum_is_the_first_index_that_no_score_exceeds(scores):
    expected = next(i for i, score in enumerate(scores) if all(score >= other for other in scores))
    assert first_maximum(scores) == expected
