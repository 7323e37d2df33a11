"""Results in a file of one JSON object a line, each on disk as soon as it is there: what was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any


class KeyedLines:
    """Records by key; several threads may add some, one process at a time."""

    def __init__(self, path: Path):
        """Reads what is there; a last line that was cut off is as good as none."""
        self.path = path
        self._records: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._ends_in_newline = True
        if path.is_file():
            content = path.read_bytes()
            self._ends_in_newline = content.endswith(b"\n") or not content
            for line in content.splitlines():
                try:
                    record = json.loads(line)
                    key = record.pop("key")
                except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
                    continue
                self._records[str(key)] = record

    def get(self, key: str) -> dict[str, Any] | None:
        """The record of a key; None if there is none yet."""
        return self._records.get(key)

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Keeps a record, on disk before this returns."""
        line = json.dumps({"key": key, **record}) + "\n"
        with self._lock:
            with self.path.open("ab") as file:
                file.write((b"" if self._ends_in_newline else b"\n") + line.encode())
                file.flush()
                os.fsync(file.fileno())
            self._ends_in_newline = True
            self._records[key] = record
