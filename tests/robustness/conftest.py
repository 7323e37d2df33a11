"""What the tests of this folder share; each is an attempt to get a wrong number, a lost result or a traceback out of the pack."""

from __future__ import annotations

import json
from pathlib import Path


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def edit(path: Path, change) -> None:
    """Changes the rows of a file of JSON lines; `change` gets the list of them. Lone surrogates are written as escapes."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
