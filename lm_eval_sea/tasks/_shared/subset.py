"""A fixed part of a task's rows, listed by id in its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hub_files import DataError


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


SHOWN = 3


def rows_of_subset(rows: Sequence[Mapping[str, Any]], subset: Mapping[str, Any], file: str) -> list[Any]:
    """The rows that a subset names, in their own order. Its `ids` are a text with spaces between them.

    Raises `DataError` if a row is missing, because a score on the others would pass for that of the subset.
    """
    wanted = dict.fromkeys(str(subset["ids"]).split())
    found = [row for row in rows if row["id"] in wanted]
    missing = list(wanted.keys() - {row["id"] for row in found})
    if missing:
        some = ", ".join(sorted(missing)[:SHOWN]) + (", …" if len(missing) > SHOWN else "")
        raise DataError(
            f"{file} lacks {len(missing)} of the {len(wanted)} rows of this subset (id {some}); it has {len(rows):,} rows. "
            "Run the task without `_lite`, or get the whole file."
        )
    return found
