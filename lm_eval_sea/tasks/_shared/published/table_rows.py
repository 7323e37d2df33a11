"""Rows in CSV and TSV files, read as text. `datasets` would make numbers of some cells and None of others, such as "NA"."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


DELIMITERS = {".csv": ",", ".tsv": "\t"}
_OTHERS = {";": "semicolons", "\t": "tabs", ",": "commas"}


def read_table_rows(path: Path, columns: Sequence[str] = ()) -> list[dict[str, str]]:
    """The rows of a file. Cells may be in quotation marks, which are doubled inside a cell.

    `columns` are their names; empty if the first line of the file has them. Raises `ValueError`, one line, if the file is not
    UTF-8, has a column twice, or a row has another number of cells.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        there = f"the byte 0x{error.object[error.start]:02x}, which is not UTF-8; save the file as UTF-8"
        raise ValueError(f"byte {error.start}: {there}") from error
    delimiter, first = DELIMITERS[path.suffix.lower()], text.partition("\n")[0]
    if not columns and delimiter not in first and (other := next((name for each, name in _OTHERS.items() if each in first), "")):
        raise ValueError(f"line 1: {other} stand between the cells; save it with {_OTHERS[delimiter]}")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = list(columns) or next(reader, [])
        cells_of_rows = [cells for cells in reader if cells]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: no table: {error}") from error
    if repeated := [name for name in columns if columns.count(name) > 1]:
        raise ValueError(f"column {repeated[0]!r} is there twice")
    for number, cells in enumerate(cells_of_rows):
        if len(cells) != len(columns):
            raise ValueError(f"row {number}: {len(cells)} cells; expected {len(columns)}, one for each of {', '.join(columns)}")
    return [dict(zip(columns, cells, strict=True)) for cells in cells_of_rows]
