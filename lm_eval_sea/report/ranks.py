"""Which models cannot be told apart on a task."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd


class Rank(NamedTuple):
    """Where a model stands on a task."""

    place: int  # 1 + the number of models that are better by more than the uncertainty
    tied: bool  # whether another model has the same place

    @property
    def text(self) -> str:
        """Such as "1" or, of several models, "1="."""
        return f"{self.place}=" if self.tied else str(self.place)

    @property
    def best(self) -> bool:
        """Whether the model is better than all others."""
        return self.place == 1 and not self.tied


def rank_classes(scores: pd.DataFrame, differences: pd.DataFrame) -> dict[tuple[str, str], Rank]:
    """The rank class of every model on every task on which all pairs of models were tested.

    A model is behind another one where the 95 % interval of their paired difference on the same rows lies on one side of 0. A
    difference without a p-value was not tested: rows that were not logged, or too few of them. Then no model has a rank there.

    Args:
        scores: `scores.headline_scores`.
        differences: `differences.differences_table`.

    Returns:
        (model, task) → rank.
    """
    ahead: dict[tuple[str, str], int] = {}
    tested = differences[differences.p_value.notna()].groupby("task").size()
    for row in differences.itertuples():
        if row.low > 0:  # NaN is not
            ahead[row.second, row.task] = ahead.get((row.second, row.task), 0) + 1
        if row.high < 0:
            ahead[row.first, row.task] = ahead.get((row.first, row.task), 0) + 1
    ranks = {}
    for task, group in scores.groupby("task", sort=False):
        if len(group) < 2 or tested.get(task, 0) < len(group) * (len(group) - 1) // 2:
            continue
        places = {model: 1 + ahead.get((model, task), 0) for model in group.model}
        for model, place in places.items():
            ranks[model, task] = Rank(place, list(places.values()).count(place) > 1)
    return ranks
