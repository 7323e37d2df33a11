"""The ranking formulae against hand calculations and brute force; rounded log-likelihoods are recognised."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.metrics.precision import half_precision_type
from lm_eval_sea.tasks._shared.metrics.ranking import OptionScore, first_maximum, log_perplexity, predictions


def option(loglikelihood, characters=1, size=1, tokens=None, log_perplexity=None):
    return OptionScore(loglikelihood, False, characters, size, tokens, log_perplexity)


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


many = st.lists(st.floats(-5000, -0.0078125, width=32), min_size=20, unique=True)


@given(many)
def test_rounding_to_bfloat16_is_recognised(values):
    rounded = [float(value) for value in torch.tensor(values).to(torch.bfloat16)]
    if len(set(rounded)) >= 8:
        assert half_precision_type(rounded) == "bfloat16"


def test_other_numbers():
    spread = torch.linspace(-50, -1, 100)
    assert half_precision_type(map(float, spread.to(torch.float16))) == "float16"
    assert half_precision_type(map(float, spread)) is None
    assert half_precision_type([-1.0, -2.0, -3.0]) is None, "a few round numbers say nothing"
