"""Rows in JSON files: a list of objects, or one object per line. Messages say which row is at fault.

`datasets` reads such files, too, but it says little about a broken one, turns all numbers of a column into fractions because of
one row, and ends the process for some files without objects.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


ENDINGS = (".json", ".jsonl")


def read_json_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, with all columns in each row. A column that a row lacks is None, as with `datasets`.

    Raises `ValueError`, one line, if it has anything but rows, or a row has strings that are not valid Unicode.
    """
    text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    rows: list[dict[str, Any]] = []
    for row in _whole(text) if text.lstrip()[:1] == "[" else _by_line(text):
        if not isinstance(row, dict):
            raise ValueError(f"row {len(rows)}: {str(row)[:40]!r} has no named columns")  # noqa: TRY004 (of the data, not of the caller)
        _check_text(row, len(rows))
        rows.append(row)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return [{column: row.get(column) for column in columns} for row in rows]


def _whole(text: str) -> list[Any]:
    try:
        rows: list[Any] = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    return rows


def _by_line(text: str) -> Iterator[Any]:
    for number, line in enumerate(line for line in text.split("\n") if line.strip()):
        try:
            yield _parsed(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"row {number}: no JSON, or a part of it: {error}") from error


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_repetition)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"column {next(name for name in names if names.count(name) > 1)!r} is there twice")
    return made


def _check_text(row: dict[str, Any], number: int) -> None:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        what = f"the byte 0x{code - 0xDC00:02x}, which is not UTF-8" if 0xDC80 <= code <= 0xDCFF else "half a character"
        raise ValueError(f"row {number}: {what}") from error
