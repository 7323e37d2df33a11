"""How much a backend that shares prefixes has computed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Work:
    """How much was computed so far, in tokens.

    Attributes:
        distinct: distinct token positions of all calls, the least possible.
        forwarded: tokens that went through the model, padding included.
        verification: tokens of the plain forward passes the results were held against.
    """

    distinct: int = 0
    forwarded: int = 0
    verification: int = 0
