"""Scores that rank the options of a row by their probabilities. Pure functions, no I/O.

All log-likelihoods are natural logarithms (nats). Ties go to the first option everywhere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple


if TYPE_CHECKING:
    from collections.abc import Sequence


PROBABILITY = "gold_probability"


class OptionScore(NamedTuple):
    """A model's scores of one option of one row."""

    loglikelihood: float  # log p(option | prompt), nats
    is_greedy: bool  # whether greedy decoding of the prompt yields the option
    characters: int  # length of the option in Unicode code points, without the space before it
    bytes: int  # the same in UTF-8 bytes
    tokens: int | None  # tokens of the option with the space before it; None without a tokenizer
    log_perplexity: float | None  # mean negative log-likelihood per token of prompt and option, nats; None without a tokenizer
    content_free: list[float] | None = None  # log p(option | prompt without content) per content-free input, nats; if calibrated
    cue: float | None = None  # log p(option | answer cue alone), nats; if a metric is a PMI


def log_perplexity(prompt_loglikelihood: float, option_loglikelihood: float, tokens: int) -> float:
    """Logarithm of the perplexity of prompt and option as one text, in nats per token.

        −(log p(prompt) + log p(option | prompt)) / L

    L is the number of tokens of the whole text with the begin-of-sequence token. The first token has no probability, so the
    numerator has L − 1 terms. This is the score of SailCompass' T_o,PPL and its siblings (Guo et al. 2024, section 5.1), as its
    evaluation framework computes it: OpenCompass, `HuggingFace._get_ppl`.
    """
    return -(prompt_loglikelihood + option_loglikelihood) / tokens


def gold_probability(loglikelihood: float) -> float:
    """100 · p(right label | prompt and answer tag), which SEA-HELM's tasks `…-logprobs` average (src/metrics/logprob_metric.py).

    No other label is compared with it. `loglikelihood` is the sum over the label's tokens, nats.
    """
    return 100 * math.exp(loglikelihood)


def first_maximum(scores: Sequence[float]) -> int:
    """Index of the largest score, the first one among equals.

    Raises `ValueError` if a score is NaN: comparisons with NaN are always false, so some option would win.
    """
    if any(math.isnan(score) for score in scores):
        raise ValueError("a score is not a number (NaN); does the model overflow in this dtype?")
    return max(range(len(scores)), key=lambda index: (scores[index], -index))


def predictions(options: Sequence[OptionScore]) -> dict[str, int]:
    """The option that each metric chooses: metric name → index into `options`.

    acc        sum of log-probabilities                            (lm-eval's `acc`)
    acc_norm   the same divided by the option's characters         (lm-eval's `acc_norm`)
    acc_bytes  the same divided by the option's bytes in UTF-8     (lm-eval's `acc_bytes`)
    acc_token  the same divided by the option's tokens
    acc_ppl    lowest perplexity of the whole text, see `log_perplexity`

    `acc_token` and `acc_ppl` are left out if the tokens are not known. Raises `ValueError` if a score is NaN.
    """
    loglikelihoods = [option.loglikelihood for option in options]
    chosen = {
        "acc": first_maximum(loglikelihoods),
        "acc_norm": first_maximum([option.loglikelihood / option.characters for option in options]),
        "acc_bytes": first_maximum([option.loglikelihood / option.bytes for option in options]),
    }
    by_token = [option.loglikelihood / option.tokens for option in options if option.tokens is not None]
    if len(by_token) == len(options):
        chosen["acc_token"] = first_maximum(by_token)
    by_perplexity = [-option.log_perplexity for option in options if option.log_perplexity is not None]
    if len(by_perplexity) == len(options):
        chosen["acc_ppl"] = first_maximum(by_perplexity)
    return chosen
