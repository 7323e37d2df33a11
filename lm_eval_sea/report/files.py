"""The files of a report: each is whole or as it was, and what an earlier report left behind is removed."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath

MANIFEST = ".lm_eval_sea_report.json"


class ReportFolder:
    """A folder that a report is written into."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: list[str] = []

    def write(self, name: str, content: bytes | str) -> Path:
        """Writes a file; the one that was there stays until the new one is whole.

        Args:
            name: path in the folder, with slashes.
            content: text is written as UTF-8; what UTF-8 cannot hold becomes a question mark.
        """
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode(errors="replace")
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_bytes(data)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        self._written.append(name)
        return path

    def finish(self) -> None:
        """Removes what an earlier report wrote here and this one did not, and notes what this one wrote."""
        for name in set(self._earlier()) - set(self._written):
            (self._folder / name).unlink(missing_ok=True)
        self.write(MANIFEST, json.dumps(sorted(self._written), indent=1) + "\n")

    def _earlier(self) -> list[str]:
        try:
            names = json.loads((self._folder / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        if not isinstance(names, list):
            return []
        # a manifest may come with a folder from elsewhere: nothing outside the folder is touched
        return [name for name in names if isinstance(name, str) and _is_inside(PurePosixPath(name))]


def _is_inside(path: PurePosixPath) -> bool:
    return not path.is_absolute() and ".." not in path.parts and path.suffix in (".html", ".md", ".png", ".csv")
