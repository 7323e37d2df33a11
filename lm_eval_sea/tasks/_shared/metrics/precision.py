"""Whether log-likelihoods were rounded to half precision. Pure function, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Iterable


# This many different numbers hardly ever all fit by chance.
ENOUGH_VALUES = 8


def half_precision_type(loglikelihoods: Iterable[float]) -> str | None:
    """The half-precision type that represents all these log-likelihoods (nats) exactly; None if there is none.

    lm-eval's `hf` sums log-probabilities in the type of the model. In bfloat16, sums around −50 nats are rounded to steps of
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
