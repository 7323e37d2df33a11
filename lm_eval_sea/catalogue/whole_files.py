"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import psutil

BESIDE = re.compile(r"\.(.+)\.([0-9]+)", re.DOTALL)  # temporary name of a file that is being written, with the process's id


def write_whole(path: Path, content: bytes | str) -> None:
    """Writes a file in an existing folder; an earlier version stays until the new one is complete.

    Text is written as UTF-8; what UTF-8 cannot hold becomes a question mark.
    """
    data = content if isinstance(content, bytes) else content.encode(errors="replace")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        error.filename = str(path)  # the error of a full disk names no file
        raise
    finally:
        beside.unlink(missing_ok=True)


def read_json(path: Path) -> Any:
    """The content of a JSON file that a command has written; None if it is not there or is no JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def remove_left_beside(paths: Collection[Path]) -> None:
    """Removes the temporary files that `write_whole` left beside these paths when its process was killed."""
    for folder in {path.parent for path in paths}:
        for left in folder.glob(".*"):
            found = BESIDE.fullmatch(left.name)
            # os.kill(…, 0) would be Ctrl-C on Windows
            if found and folder / found[1] in paths and not (len(found[2]) < 10 and psutil.pid_exists(int(found[2]))):
                with contextlib.suppress(OSError):  # somebody else's, or removed by another call
                    left.unlink()
