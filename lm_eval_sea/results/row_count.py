"""Whether a run saw all rows of a data set, by the catalogue's number and not by the size of the file that it had."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_sea.results.run_files import TaskResult


def rows_expected(metadata: Mapping[str, Any]) -> int | None:
    """How many rows the catalogue has of a task's data; None where it does not say."""
    rows = metadata.get("rows")
    return rows if isinstance(rows, int) and not isinstance(rows, bool) and rows > 0 else None


def row_count_note(task: TaskResult, metadata: Mapping[str, Any]) -> str | None:
    """One line if the run had another number of rows before it than the catalogue has; `--limit` is no such thing."""
    expected = rows_expected(metadata)
    if expected is None or task.rows_total in (None, expected):
        return None
    return f"{task.name}: the data had {task.rows_total:,} rows, and the catalogue has {expected:,}; was the file whole?"
