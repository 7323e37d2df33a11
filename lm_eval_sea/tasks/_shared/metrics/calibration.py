"""Calibration: a model's scores of the labels after a row, minus its scores of the labels without the row. Pure functions.

A label's score is log p(label | prompt) minus a bias, and the label with the highest score is chosen. The methods differ in where
the bias comes from. All logarithms are natural. A label without probability for a row is never chosen for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Sequence


# Decimals of scores (nats) that are compared. Smaller differences are rounding errors, and the first label wins.
EQUAL_DECIMALS = 9


def log_sum_exp(values: Sequence[float]) -> float:
    """Natural logarithm of Σ_i exp(x_i), without overflow; −∞ if all values are −∞."""
    highest = max(values)
    if highest == -math.inf:
        return -math.inf
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


def log_softmax(loglikelihoods: Sequence[float]) -> list[float]:
    """Logarithms of the shares of the labels: l_i − log Σ_j exp(l_j). If no label is possible, the shares are equal."""
    total = log_sum_exp(loglikelihoods)
    if total == -math.inf:
        return [-math.log(len(loglikelihoods))] * len(loglikelihoods)
    return [loglikelihood - total for loglikelihood in loglikelihoods]


def content_free_log_shares(loglikelihoods: Sequence[Sequence[float]]) -> list[float]:
    """Log q: the shares of the labels after a prompt without content, averaged over the content-free inputs.

    Zhao et al. 2021, "Calibrate Before Use", section 5 ("N/A", "[MASK]" and the empty string, averaged). The log-likelihoods are
    nats, shape (inputs, labels).
    """
    shares = [log_softmax(of_input) for of_input in loglikelihoods]
    return [log_sum_exp(of_label) - math.log(len(shares)) for of_label in zip(*shares, strict=True)]


def pooled_content_free_log_shares(loglikelihoods: Sequence[Sequence[float]]) -> list[float]:
    """Log q from the sums of the labels' probabilities: q_l = Σ_i p(l | c_i) / Σ_m Σ_i p(m | c_i).

    The code of Zhao et al. 2021 does this (tonyzhaojh/few-shot-learning, `get_p_content_free` in run_classification.py): it
    averages the probabilities of all labels and then normalises the means. So the content-free input after which the labels are
    likeliest has the largest weight. The paper leaves the order open; `acc_cc` normalises for each input and then averages. Log q
    is −∞ for a label that is impossible after every input; if all labels are, the shares are equal.
    """
    return log_softmax([log_sum_exp(of_label) for of_label in zip(*loglikelihoods, strict=True)])


def subtract_bias(loglikelihoods: Sequence[float], biases: Sequence[float]) -> list[float]:
    """Log p(label | prompt) − bias of the label; −∞ for a label without probability.

    With the bias log q (see `content_free_log_shares`) this is contextual calibration, Zhao et al. 2021, equation 1 with
    W = diag(q)⁻¹ and b = 0: argmax p_i / q_i; the normalisation of p is the same for all labels. With log p(label | cue)
    it is domain-conditional PMI, Holtzman et al. 2021, "Surface Form Competition", section 3. With `batch_biases` or
    `batch_log_shares` it is batch calibration.
    """
    return [
        -math.inf if loglikelihood == -math.inf else round(loglikelihood - bias, EQUAL_DECIMALS)
        for loglikelihood, bias in zip(loglikelihoods, biases, strict=True)
    ]


def batch_biases(log_shares: np.ndarray) -> np.ndarray:
    """The mean log-probability of each label over the evaluated rows, nats, (labels,): batch calibration.

        ŷ_i = argmax_y [log p(y | x_i) − (1/M) Σ_m log p(y | x_m)]

    Zhou et al. 2024, "Batch Calibration", equations 1 (the mean) and 2 (the difference). There p are logits (section 3.1), and
    the first author's code also takes the mean of the label words' logits (cambridgeltl/ClaPS, algs/test_time_bn.py,
    `demean_only`). A row's logits and log-probabilities differ by one number for all labels, so each row is first normalised
    over the labels: `log_shares`, (rows, labels), are those of `log_softmax`. Rows in which a label has no probability do not
    count for that label.
    """
    is_possible = log_shares > -np.inf
    means: np.ndarray = np.where(is_possible, log_shares, 0).sum(axis=0) / np.maximum(is_possible.sum(axis=0), 1)
    return means


def batch_log_shares(log_shares: np.ndarray) -> np.ndarray:
    """The logarithm of the mean probability of each label over the evaluated rows, nats. Shapes are those of `batch_biases`.

        ŷ_i = argmax_y p(y | x_i) / ((1/M) Σ_m p(y | x_m))

    This is equation 1 of Zhou et al. 2024 with probabilities, and the quotient instead of equation 2. It is also the contextual
    calibration of Zhao et al. 2021 with the rows themselves as content-free inputs.
    """
    means: np.ndarray = np.logaddexp.reduce(log_shares, axis=0) - math.log(len(log_shares))
    return means
