"""Finds out whether log-likelihoods were rounded to a type of half precision. Pure function, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Iterable


# So many different numbers would hardly all fit by chance.
ENOUGH_VALUES = 8


def half_precision_type(loglikelihoods: Iterable[float]) -> str | None:
    """The type of half precision that all these log-likelihoods, in nats, fit in exactly; None if there is none.

    lm-eval's `hf` sums log-probabilities in the type of the model. In bfloat16 a sum around −50 nats is rounded to steps of
    0.25, so that different options get equal scores.
    """
    values = np.array(sorted(set(loglikelihoods)), dtype=np.float64)
    values = values[np.isfinite(values)]
    if len(values) < ENOUGH_VALUES:
        return None
    single = values.astype(np.float32)
    if (single == values).all() and not (single.view(np.uint32) & 0xFFFF).any():
        return "bfloat16"
    with np.errstate(over="ignore"):
        return "float16" if (values.astype(np.float16) == values).all() else None
