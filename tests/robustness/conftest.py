"""Shared by the tests of this folder, which try to get wrong numbers, lost results or tracebacks out of the pack."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import regex


@pytest.fixture(scope="package", autouse=True)
def quiet_log() -> Iterator[None]:
    """Ignores errors of log handlers that write to closed streams of earlier tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logging, "raiseExceptions", False)
        yield


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_text(text: str) -> None:
    """Fails if a text has controls of a terminal or of writing direction, or lone surrogates."""
    assert not regex.search(r"[\p{Bidi_Control}\p{Cs}\ufeff]|[^\P{Cc}\n\t]", text)


def edit(path: Path, change) -> None:
    """Changes the rows of a file of JSON lines; `change` gets the list of rows. Lone surrogates are written as escapes."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
