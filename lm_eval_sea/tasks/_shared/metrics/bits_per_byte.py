"""How well a model foresees the right answer, in bits for each byte of it. Pure functions, no I/O.

    −Σ_i log p(a_i | x_i) / (ln 2 · Σ_i b_i)

over all rows, with b_i the bytes of answer i, is lm-eval's `bits_per_byte` and that of OLMES (Gu et al. 2024, arXiv:2406.08446).
Lower is better. Unlike accuracy it moves from the first checkpoint on, and it means the same for all tokenizers, but not for all
languages: a letter has one byte in English and three in Thai.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lm_eval.api.metrics import bits_per_byte


if TYPE_CHECKING:
    from collections.abc import Sequence


def bits_per_byte_stderr(rows: Sequence[tuple[float, int]]) -> float:
    """Standard error of `bits_per_byte`, a ratio of two sums, by linearisation (Cochran 1977, equation 6.13); 0 for one row.

        sqrt( n / (n − 1) · Σ_i (−l_i / ln 2 − R b_i)² ) / Σ_i b_i

    with R the ratio.

    Args:
        rows: l_i, the log-likelihood (nats), and b_i, the length in UTF-8 bytes, of each answer.
    """
    count = len(rows)
    if count < 2:
        return 0.0
    ratio: float = bits_per_byte(rows)
    squares = math.fsum((-loglikelihood / math.log(2) - ratio * length) ** 2 for loglikelihood, length in rows)
    return math.sqrt(squares * count / (count - 1)) / sum(length for _, length in rows)
