"""How well a model predicts the right answer, in bits per byte. Pure functions, no I/O.

    −Σ_i log p(a_i | x_i) / (ln 2 · Σ_i b_i)

over all rows, where b_i are the bytes of answer i. This is lm-eval's `bits_per_byte` and that of OLMES (Gu et al. 2024,
arXiv:2406.08446). Lower is better. Unlike accuracy, it changes from the first checkpoint on. It means the same for all
tokenizers, but not for all languages: a letter has one byte in English and three in Thai.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


BITS = "bits_per_byte"  # the metric; names of others that are about it begin like this


def score_text(doc: Mapping[str, Any], results: Sequence[float]) -> dict[str, tuple[float, int]]:
    """A text and its log-likelihood, for `bits_per_byte` and its error."""
    pair = (results[0], len(doc["text"].encode()))
    return {BITS: pair, f"{BITS}_stderr": pair}


def bits_per_byte_stderr(rows: Sequence[tuple[float, int]]) -> float:
    """Standard error of `bits_per_byte`, see `ratio_stderr`, from log p (nats) and b_i (UTF-8 bytes) of each answer."""
    return ratio_stderr([(-loglikelihood / math.log(2), length) for loglikelihood, length in rows])


def ratio_stderr(pairs: Sequence[tuple[float, float]]) -> float:
    """Standard error of a ratio of two sums, R = Σ y_i / Σ x_i, by linearisation (Cochran 1977, equation 6.13); 0 for one pair.

        sqrt( n / (n − 1) · Σ_i (y_i − R x_i)² ) / Σ_i x_i

    The pairs are y_i and x_i of independent units.
    """
    count = len(pairs)
    if count < 2:
        return 0.0
    whole = math.fsum(x for _, x in pairs)
    ratio = math.fsum(y for y, _ in pairs) / whole
    return math.sqrt(math.fsum((y - ratio * x) ** 2 for y, x in pairs) * count / (count - 1)) / whole
