"""A scale on which guessing is 0 and the best answer is 100. Pure function, no I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar


if TYPE_CHECKING:
    import numpy as np

Number = TypeVar("Number", float, "np.ndarray")


def normalised_score(score: Number, chance: float) -> Number:
    """100 · (score − chance) / (1 − chance). Both are shares of the best possible score, and chance is below 1.

    Scores below chance are negative. SEA-HELM's scale has 0 for them; the caller sets that.
    """
    return 100 * (score - chance) / (1 - chance)
