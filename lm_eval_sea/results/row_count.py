"""Whether a run saw all rows of a data set, by the catalogue's number and not by the size of the file that it had."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_sea.results.run_files import TaskResult, count_of
from lm_eval_sea.some_names import some_names


def rows_expected(metadata: Mapping[str, Any]) -> int | None:
    """How many rows the catalogue has of a task's data; None where it does not say."""
    return count_of(metadata.get("rows")) or None


def row_count_note(task: TaskResult, metadata: Mapping[str, Any]) -> str | None:
    """One line if the run had another number of rows before it than the catalogue has; `--limit` is no such thing."""
    expected = rows_expected(metadata)
    if expected is None or task.rows_total in (None, expected):
        return None
    return f"{task.name}: the data had {task.rows_total:,} rows, and the catalogue has {expected:,}; was the file whole?"


def unknown_size_note(metadata: Mapping[str, Mapping[str, Any]]) -> str | None:
    """One line on the tasks whose number of rows the catalogue does not know, if there are any; parts of data sets have one.

    Args:
        metadata: name of a task → its metadata.
    """
    names = [name for name, facts in metadata.items() if "subset" not in facts and facts.get("rows", 0) is None]
    if not names:
        return None
    short = [name.removeprefix("sea_helm_") for name in names]
    return (
        f"the pack does not know how many rows {some_names(short)} should have, "
        "so a file that was cut off would not be noticed there"
    )
