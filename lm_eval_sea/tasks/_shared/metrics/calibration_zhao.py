"""Contextual calibration in the order in which the code of Zhao et al. averages. Pure functions, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .calibration import log_softmax, log_sum_exp


if TYPE_CHECKING:
    from collections.abc import Sequence


def pooled_content_free_log_shares(loglikelihoods: Sequence[Sequence[float]]) -> list[float]:
    """Log q, the shares of the labels behind prompts without content, by the sums of their probabilities.

        q_l = Σ_i p(l | c_i) / Σ_m Σ_i p(m | c_i)

    This is what the code published with Zhao et al. 2021, "Calibrate Before Use", does (tonyzhaojh/few-shot-learning,
    `get_p_content_free` in run_classification.py): it averages the probabilities of all labels as the model gives them and
    normalises the means, so that the content-free input after which the labels are likeliest weighs most. The paper leaves the
    order open; `acc_cc` normalises for each input and averages then. The prediction is argmax p_l / q_l in both.

    Args:
        loglikelihoods: for each content-free input c_i the log-likelihood of each label in nats, shape (inputs, labels).

    Returns:
        Log q of each label in nats; −∞ for a label that is impossible behind every input. If all are, equal shares.
    """
    return log_softmax([log_sum_exp(of_label) for of_label in zip(*loglikelihoods, strict=True)])
