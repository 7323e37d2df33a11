"""How far log-probabilities may be from those of a plain forward pass."""

from __future__ import annotations

import torch

# Of a token, on average, in nats: the arithmetic of each type makes differences a few times smaller between batches of
# different shape.
_TOLERANCES = {torch.float64: 1e-4, torch.float32: 1e-4, torch.float16: 0.03}
_COARSE_TOLERANCE = 0.2


def tolerance(dtype: torch.dtype | None, *, quantized: bool) -> float:
    """Nats a token that two ways to batch the same computation may differ by; None is a type that is not known."""
    return _COARSE_TOLERANCE if quantized else _TOLERANCES.get(dtype, _COARSE_TOLERANCE)
