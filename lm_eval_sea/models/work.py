"""The work of a backend that shares prefixes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Work:
    """How much was computed so far, in tokens."""

    distinct: int = 0  # distinct token positions of all calls, the least possible
    forwarded: int = 0  # tokens that went through the model, padding included
    verification: int = 0  # tokens of the plain forward passes for comparison
