"""Folders that a command writes into and completes later, and files that one process at a time adds to."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path, PurePosixPath
from typing import IO

from lm_eval_sea.catalogue.whole_files import read_json, remove_left_beside, write_whole
from lm_eval_sea.results.types import list_of

_WRITTEN = (".html", ".js", ".md", ".png", ".svg", ".pdf", ".csv", ".tex")


def appending(path: Path) -> IO[bytes]:
    """Opens a file to append to it; refuses links, because in a folder from elsewhere one may lead to any file of the user."""
    return open(path, "ab", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o666))


def lock(file: IO[bytes], busy: Exception | None = None, *, patience: float = 0) -> None:
    """Locks a file, waiting up to `patience` seconds; raises `busy`, or BlockingIOError, if another process has the lock.

    The lock of a killed process ends with it. It does nothing where there are no locks: on Windows, and on some shared disks.
    """
    try:
        import fcntl
    except ImportError:
        return
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise busy or error from None
            time.sleep(0.2)
        except OSError:
            return


class WrittenFolder:
    """A folder that a command writes its files into. A manifest in it says which they are."""

    def __init__(self, folder: Path, manifest: str) -> None:
        """Takes a folder, which need not exist, and the name of the command's manifest in it."""
        self._folder = folder
        self._manifest = manifest
        self._written: list[str] = []

    def write(self, name: str, content: bytes | str) -> Path:
        """Writes a file, whole or not at all, as `write_whole` does; the name is its path in the folder, with slashes."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
        self._written.append(name)
        return path

    def finish(self) -> None:
        """Removes what an earlier call wrote here and this one did not, and notes what this one wrote."""
        inside = self._folder.resolve()
        for name in set(self._earlier()) - set(self._written):
            if (path := self._folder / name).parent.resolve().is_relative_to(inside):  # unless a link leads out of it
                path.unlink(missing_ok=True)
        self.write(self._manifest, json.dumps(sorted(self._written), indent=1) + "\n")
        remove_left_beside({self._folder / name for name in self._written})

    def _earlier(self) -> list[str]:
        names = list_of(read_json(self._folder / self._manifest))
        # a manifest may come with a folder from elsewhere: nothing outside the folder is touched
        paths = [PurePosixPath(name) for name in names if isinstance(name, str)]
        return [str(path) for path in paths if not path.is_absolute() and ".." not in path.parts and path.suffix in _WRITTEN]
