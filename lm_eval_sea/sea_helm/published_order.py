"""Samples of SEA-HELM's tasks in the order in which SEA-HELM publishes and scores the rows. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lm_eval_sea.tasks._shared.row_order import FEW_ROWS
from lm_eval_sea.tasks._shared.rows import PUBLISHED_POSITION

COLUMN = f"doc.{PUBLISHED_POSITION}"  # what is to be read of the samples


def in_published_order(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows in published order; those that do not say their place, as of earlier versions, in that of the samples."""
    listed = list(rows)
    if not all(isinstance(row[COLUMN], int) for row in listed):
        return listed
    return sorted(listed, key=lambda row: row[COLUMN])


def may_be_out_of_order(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the rows may be in another order than published, and do not say in which."""
    listed = list(rows)
    return len(listed) > FEW_ROWS and not all(isinstance(row[COLUMN], int) for row in listed)
