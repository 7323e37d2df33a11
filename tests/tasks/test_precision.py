"""Rounded log-likelihoods are recognised, others are not."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.metrics.precision import half_precision_type

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
