"""How far log-likelihoods may be from those of a plain forward pass, and the check that they are not further."""

from __future__ import annotations

import torch

# Of a token, on average, in nats: the arithmetic of each type makes differences a few times smaller between batches of
# different shape.
_TOLERANCES: dict[torch.dtype | None, float] = {torch.float64: 1e-4, torch.float32: 1e-4, torch.float16: 0.03}
_COARSE_TOLERANCE = 0.2


class Mismatch(Exception):
    """Log-likelihoods along shared prefixes are not those of the plain forward pass, or there are none."""


def tolerance(dtype: torch.dtype | None, *, quantized: bool) -> float:
    """Nats a token that two ways to batch the same computation may differ by; None is a type that is not known."""
    return _COARSE_TOLERANCE if quantized else _TOLERANCES.get(dtype, _COARSE_TOLERANCE)


def check_agreement(shared: float, plain: float, tokens: int, per_token: float) -> None:
    """Holds a log-likelihood along a shared prefix against that of the plain forward pass.

    Args:
        shared: nats, along the shared prefix.
        plain: nats, of the plain forward pass.
        tokens: how many tokens both are of.
        per_token: what `tolerance` gives.

    Raises:
        Mismatch: if they differ by more than the tolerance of that many tokens, or one is not a number.
    """
    if not abs(plain - shared) <= per_token * tokens:
        raise Mismatch(f"along a shared prefix {tokens} token(s) came out as {shared:.6g} nats and not as {plain:.6g}")
