"""Scores on a scale on which guessing is 0 and the best answer is 100. Pure function, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar


if TYPE_CHECKING:
    import numpy as np

Number = TypeVar("Number", float, "np.ndarray")


def normalised_score(score: Number, chance: float) -> Number:
    """100 · (score − chance) / (1 − chance), both shares of the best possible score, chance below 1.

    Below chance it is negative; SEA-HELM's scale puts 0 there, which the caller does.
    """
    return 100 * (score - chance) / (1 - chance)
