"""A table of the report: a frame, the titles of its columns, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from lm_eval_sea.results.power import p_text
from lm_eval_sea.results.uncertainty import Estimate, end_text

MISSING = "–"
LIMITED = "†"  # after a number that is not of all rows
CONTRADICTED = "‡"  # after a number of the results that the logged rows contradict
FEW = " few"  # after a number of so few independent rows that it says little
SHADES = 8  # of a heat map, from chance to the best possible score

_FORMS = {"count": ",.0f", "decimals": ".2f", "points": "+.1f"}  # kind → how its numbers are written

# Columns by which the page filters rows.
FILTERS = ("model", "language", "dataset", "variant")


class Cell(NamedTuple):
    """One entry, written out."""

    text: str
    key: str  # the sort key; empty for what is missing
    link: str  # part of the page's address behind "#", or empty
    strong: bool  # emphasised
    shade: int | None  # of a heat map, 0 to SHADES; None: not shaded


@dataclass(frozen=True)
class Column:
    """One column.

    Kinds: text; count (whole number); percent (one decimal); score (percent with the 95 % interval from `low` and `high`); points
    (one decimal with its sign; may have an interval, too); decimals (two; likewise); mean (score with "2 of 3" from `members`, in
    brackets where not all are there); p (p-value).
    """

    key: str
    title: str
    kind: str = "text"
    hint: str = ""
    low: str = ""
    high: str = ""
    members: str = ""
    marker: str = ""  # a column; if it is true, the number is marked as not of all rows
    few: str = ""  # likewise, as of too few rows
    contradicted: str = ""  # likewise, as one that the logged rows contradict
    link: str = ""  # a column with links
    strong: str = ""  # a column; if it is true, the number is emphasised
    shade: str = ""  # a column with normalised scores, by which entries are shaded
    shows: tuple[str, str] | None = None  # the filter and the value that the whole column belongs to


def with_interval(name: str, title: str, kind: str, *, marker: str = "", few: str = "", strong: str = "") -> Column:
    """The column of a mean whose interval is in the columns that `mean_and_ends` makes."""
    return Column(name, title, kind, low=f"{name}_low", high=f"{name}_high", marker=marker, few=few, strong=strong)


def columns(kind: str, *, marker: str = "", **titles: str) -> list[Column]:
    """Columns of one kind, with their titles."""
    return [Column(key, title, kind, marker=marker) for key, title in titles.items()]


def mean_and_ends(name: str, found: Estimate | None, times: float = 1.0) -> dict[str, float | None]:
    """The entries of a mean with its interval; empty where there is none."""
    values = (found.mean, found.low, found.high) if found else (None,) * 3
    names = (name, f"{name}_low", f"{name}_high")
    return {name: None if value is None else times * value for name, value in zip(names, values, strict=True)}


@dataclass(frozen=True)
class Table:
    """A table; `name` is that of its CSV file, which has all columns of the frame with the numbers unrounded."""

    name: str
    title: str
    note: str
    frame: pd.DataFrame
    columns: Sequence[Column]
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # column → value → what to write instead

    def cells(self, longest: int | None = None) -> list[tuple[dict[str, str], list[Cell]]]:
        """The rows, or the first of them: their filters and their entries."""
        rows = []
        for record in self.frame.iloc[:longest].to_dict("records"):
            values = {name: str(record[name]) for name in FILTERS if name in record and not _absent(record[name])}
            keys = {name: self.names.get(name, {}).get(value, value) for name, value in values.items()}
            rows.append((keys, [self._cell(column, record) for column in self.columns]))
        return rows

    def _cell(self, column: Column, record: Mapping[str, Any]) -> Cell:
        value: Any = record.get(column.key)
        text = written(column, record, self.names.get(column.key))
        key = "" if _absent(value) else text if column.kind == "text" else repr(float(value))
        link: Any = record.get(column.link)
        shade: Any = record.get(column.shade)
        return Cell(
            text=text,
            key=key,
            link="" if _absent(link) else str(link),
            strong=bool(column.strong) and record.get(column.strong) is True,
            shade=None if _absent(shade) else round(SHADES * min(1.0, max(0.0, float(shade) / 100))),
        )


def _absent(value: object) -> bool:
    return value is None or (not isinstance(value, list | dict) and pd.isna(value)) or value == ""


def written(column: Column, record: Mapping[str, Any], names: Mapping[str, str] | None = None) -> str:
    """An entry as the reader sees it; what is missing is a dash. `names` has other names for texts."""
    value: Any = record.get(column.key)
    if _absent(value):
        return MISSING
    if column.kind == "text":
        return (names or {}).get(str(value), str(value)) + _signs(column, record)
    text = number(column.kind, float(value))
    low: Any = record.get(column.low)
    high: Any = record.get(column.high)
    if not _absent(low) and not _absent(high):
        text += f" [{_end(column.kind, low)}, {_end(column.kind, high)}]"
    members = record.get(column.members)
    if not _absent(members) and len(set(str(members).split(" of "))) > 1:
        text = f"({text}; {members})"
    return text + _signs(column, record)


def _signs(column: Column, record: Mapping[str, Any]) -> str:
    signs = {FEW: column.few, LIMITED: column.marker, CONTRADICTED: column.contradicted}
    return "".join(sign for sign, name in signs.items() if name and record.get(name) is True)


def number(kind: str, value: float) -> str:
    """A number as columns of this kind show it."""
    if kind == "p":
        return p_text(value)
    text = format(value, _FORMS.get(kind, ".1f")).replace("-", "−")
    return "0.0" if text in ("−0.0", "+0.0") else text


def _end(kind: str, value: float) -> str:
    """An end of an interval; that of a difference always shows on which side of 0 it is."""
    return end_text(value, _FORMS[kind]) if kind in ("points", "decimals") else number(kind, value)
