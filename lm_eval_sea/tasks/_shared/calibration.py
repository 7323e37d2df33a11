"""Calibration: what a model says about the labels of a row, less what it says about them without the row. Pure functions.

A label's score is log p(label | prompt) minus a bias, and the prediction is the label of the highest score. The methods differ
in where the bias comes from. All logarithms are natural. A label to which the model gives no probability for a row is never
chosen for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def softmax(loglikelihoods: Sequence[float]) -> list[float]:
    """Shares of the labels: p_i = exp(l_i) / Σ_j exp(l_j). With no label possible, equal shares."""
    highest = max(loglikelihoods)
    if highest == -math.inf:
        return [1 / len(loglikelihoods)] * len(loglikelihoods)
    weights = [math.exp(loglikelihood - highest) for loglikelihood in loglikelihoods]
    return [weight / sum(weights) for weight in weights]


def content_free_shares(loglikelihoods: Sequence[Sequence[float]]) -> list[float]:
    """q: the shares of the labels behind a prompt without content, averaged over the content-free inputs.

    Zhao et al. 2021, "Calibrate Before Use", section 5 ("N/A", "[MASK]" and the empty string, averaged).

    Args:
        loglikelihoods: for each content-free input the log-likelihood of each label, shape (inputs, labels).
    """
    shares = [softmax(of_input) for of_input in loglikelihoods]
    return [sum(of_label) / len(shares) for of_label in zip(*shares, strict=True)]


def subtract_bias(loglikelihoods: Sequence[float], biases: Sequence[float]) -> list[float]:
    """Log p(label | prompt) − bias of the label; −∞ for a label without probability.

    With the bias log q (see `content_free_shares`) this is contextual calibration, Zhao et al. 2021, equation 1 with
    W = diag(q)⁻¹ and b = 0: argmax p_i / q_i; the normalisation of p is the same for all labels. With log p(label | cue)
    it is domain-conditional PMI, Holtzman et al. 2021, "Surface Form Competition", section 3. With `batch_biases` it is batch
    calibration.
    """
    return [
        -math.inf if loglikelihood == -math.inf else loglikelihood - bias
        for loglikelihood, bias in zip(loglikelihoods, biases, strict=True)
    ]


def batch_biases(rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean log-probability of each label over the evaluated rows, nats.

    Batch calibration, Zhou et al. 2024, "Batch Calibration", section 3: the rows themselves tell the bias. Each row is
    normalised over the labels first; rows in which a label has no probability do not count for that label.

    Args:
        rows: for each row log p(label | prompt) of each label, shape (rows, labels).
    """
    normalised = [[_log(share) for share in softmax(row)] for row in rows]
    biases = []
    for of_label in zip(*normalised, strict=True):
        finite = [value for value in of_label if value != -math.inf]
        biases.append(math.fsum(finite) / len(finite) if finite else 0.0)
    return biases


def log_shares(shares: Sequence[float]) -> list[float]:
    """Natural logarithms; −∞ for a share of zero."""
    return [_log(share) for share in shares]


def _log(share: float) -> float:
    return math.log(share) if share > 0 else -math.inf
