"""Calibration with pooled content-free probabilities, against the published procedure in plain numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.tasks._shared.metrics.calibration import content_free_log_shares, subtract_bias
from lm_eval_sea.tasks._shared.metrics.calibration_zhao import pooled_content_free_log_shares
from lm_eval_sea.tasks._shared.metrics.ranking import first_maximum

nats = st.floats(-30, 0)


@st.composite
def rows(draw):
    inputs, labels = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    content_free = draw(st.lists(st.lists(nats, min_size=labels, max_size=labels), min_size=inputs, max_size=inputs))
    return content_free, draw(st.lists(nats, min_size=labels, max_size=labels))


@given(rows())
def test_as_in_the_published_procedure(row):
    """Probabilities averaged over the inputs, normalised, inverted on a diagonal, and multiplied with the row's."""
    content_free, loglikelihoods = row
    q = np.mean(np.exp(np.array(content_free)), axis=0)
    q = q / np.sum(q)
    log_q = pooled_content_free_log_shares(content_free)
    assert np.exp(log_q) == pytest.approx(q, rel=1e-9)
    p = np.exp(loglikelihoods)
    calibrated = np.linalg.inv(np.identity(len(q)) * q) @ (p / np.sum(p))
    chosen = first_maximum(subtract_bias(loglikelihoods, log_q))
    assert calibrated[chosen] == pytest.approx(np.max(calibrated), rel=1e-6)


def test_a_likely_input_weighs_more_than_in_the_other_order():
    content_free = [[math.log(0.4), math.log(0.4)], [math.log(0.001), math.log(0.009)]]
    assert np.exp(pooled_content_free_log_shares(content_free)) == pytest.approx([0.401 / 0.81, 0.409 / 0.81])
    assert np.exp(content_free_log_shares(content_free)) == pytest.approx([0.3, 0.7])


def test_one_input_leaves_no_order_to_choose():
    content_free = [[-1.0, -2.0, -3.5]]
    assert pooled_content_free_log_shares(content_free) == pytest.approx(content_free_log_shares(content_free))


def test_impossible_labels():
    assert pooled_content_free_log_shares([[-math.inf, -1.0], [-math.inf, -2.0]]) == [-math.inf, 0.0]
    assert pooled_content_free_log_shares([[-math.inf, -math.inf]]) == pytest.approx([math.log(0.5)] * 2)
