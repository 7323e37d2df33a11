"""A table of the report: a frame, what its columns are called, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

MISSING = "–"
LIMITED = "†"  # behind a number that is not of all rows

# By which the page filters rows, where a frame has such a column.
FILTERS = ("model", "language", "dataset", "variant")


class Cell(NamedTuple):
    """One entry, written out."""

    text: str
    key: str  # what a column is sorted by; empty for what is missing
    numeric: bool
    link: str  # part of the page's address behind "#", or empty
    strong: bool  # the best of its row


@dataclass(frozen=True)
class Column:
    """One column.

    Kinds: text; count (whole number); percent (one decimal); points (one decimal with its sign); score (percent with the 95 %
    interval from `low` and `high`; points may have one too); mean (percent with "2 of 3" from `low`, where not all are there);
    error (two decimals); p (p-value).
    """

    key: str
    title: str
    kind: str = "text"
    hint: str = ""
    low: str = ""
    high: str = ""
    marker: str = ""  # a column; where it is true the number is marked as not of all rows
    link: str = ""  # a column with links
    best_of: bool = False  # the largest such number of a row is emphasised


@dataclass(frozen=True)
class Table:
    """A table; `name` is that of its CSV file, which has all columns of the frame with the numbers unrounded."""

    name: str
    title: str
    note: str
    frame: pd.DataFrame
    columns: Sequence[Column]
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # column → value → what to write instead

    def cells(self) -> list[tuple[dict[str, str], list[Cell]]]:
        """The rows: what they are filtered by, and their entries."""
        rows = []
        for record in self.frame.to_dict("records"):
            keys = {name: self._name(name, record[name]) for name in FILTERS if name in record and not _absent(record[name])}
            best = _best(record, [column for column in self.columns if column.best_of])
            rows.append((keys, [self._cell(column, record, column.key in best) for column in self.columns]))
        return rows

    def _cell(self, column: Column, record: Mapping[str, Any], strong: bool) -> Cell:
        value = record.get(column.key)
        text = written(column, record) if _absent(value) or column.kind != "text" else self._name(column.key, value)
        numeric = column.kind != "text"
        key = "" if _absent(value) else repr(float(value)) if numeric else text
        link = record.get(column.link) if column.link else None
        return Cell(text, key, numeric, "" if _absent(link) else str(link), strong)

    def _name(self, key: str, value: Any) -> str:
        return self.names.get(key, {}).get(str(value), str(value))


def _absent(value: Any) -> bool:
    return value is None or (not isinstance(value, list | dict) and pd.isna(value)) or value == ""


def _best(record: Mapping[str, Any], columns: Sequence[Column]) -> set[str]:
    values = {column.key: record[column.key] for column in columns if not _absent(record.get(column.key))}
    best, worst = max(values.values(), default=0), min(values.values(), default=0)
    return {key for key, value in values.items() if value == best > worst}


def written(column: Column, record: Mapping[str, Any]) -> str:
    """An entry as the reader sees it; what is missing is a dash."""
    value = record.get(column.key)
    if _absent(value):
        return MISSING
    if column.kind == "text":
        return str(value)
    text = _number(column.kind, float(value))
    low, high = record.get(column.low), record.get(column.high)
    if column.kind in ("score", "points") and not _absent(low) and not _absent(high):
        text += f" [{_signed(low, column.kind)}, {_signed(high, column.kind)}]"
    if column.kind == "mean" and not _absent(low) and len(set(str(low).split(" of "))) > 1:
        text += f" ({low})"
    return text + (LIMITED if column.marker and record.get(column.marker) is True else "")


def _number(kind: str, value: float) -> str:
    if kind == "count":
        return f"{value:,.0f}"
    if kind == "error":
        return f"{value:.2f}"
    if kind == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    return _signed(value, kind)


def _signed(value: float, kind: str) -> str:
    text = f"{value:.1f}"
    if kind == "points":
        text = f"{value:+.1f}"
    return "0.0" if text in ("-0.0", "+0.0") else text.replace("-", "−")


def markdown(table: Table) -> str:
    """The table in GitHub's Markdown, numbers to the right."""
    head = [column.title for column in table.columns]
    ruler = ["---" if column.kind == "text" else "---:" for column in table.columns]
    body = [[_strong(cell) for cell in cells] for _, cells in table.cells()]
    return "\n".join("| " + " | ".join(line) + " |" for line in [list(map(escaped, head)), ruler, *body])


def _strong(cell: Cell) -> str:
    return f"**{escaped(cell.text)}**" if cell.strong else escaped(cell.text)


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    text = " ".join(text.split())
    for character in "\\`*_[]|#":
        text = text.replace(character, "\\" + character)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
