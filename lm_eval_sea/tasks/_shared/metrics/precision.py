"""Finds out whether log-likelihoods were rounded to a type of half precision. Pure function, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Iterable


# As many different numbers are hardly all short by chance.
ENOUGH_VALUES = 8


def half_precision_type(loglikelihoods: Iterable[float]) -> str | None:
    """The type of half precision that all these numbers fit in exactly, or None.

    lm-eval's `hf` sums log-probabilities in the type of the model: in bfloat16 a sum around −50 nats is rounded to steps of
    0.25, so that options tie which do not.

    Args:
        loglikelihoods: what a model has answered, nats.
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
