"""Downloads the data files of tasks, so that a machine without a network can run them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lm_eval_sea.task_list import TaskRecord
from lm_eval_sea.tasks._shared import data


class Fetched(NamedTuple):
    """Files of a repository that lie on this machine."""

    source: str
    folder: Path  # holds the files under their paths in the repository
    paths: list[str]

    def describe(self) -> str:
        """Lines of text: where, what, how large."""
        sizes = [f"{(self.folder / path).stat().st_size / 1e6:8.2f} MB  {path}" for path in self.paths]
        return "\n".join([f"{self.source}: {len(self.paths)} files in {self.folder}", *sizes])


def needed_files(tasks: Iterable[TaskRecord]) -> dict[str, list[str]]:
    """The files that the tasks read: repository → paths in it. What a user makes cannot be fetched and is not among them."""
    paths = defaultdict(set)
    for task in tasks:
        if not data.is_made_by_user(task.source):
            paths[task.source].update(task.files.values())
    return {source: sorted(paths[source]) for source in sorted(paths)}


def fetch_to_cache(tasks: Iterable[TaskRecord]) -> list[Fetched]:
    """Fills the hub's cache.

    Raises:
        DataError: if a file cannot be had.
    """
    return [Fetched(source, data.download_all(source, paths), paths) for source, paths in needed_files(tasks).items()]


def fetch_to_mirror(tasks: Iterable[TaskRecord], mirror: Path) -> list[Fetched]:
    """Makes or completes a folder that is laid out like the hub: MIRROR/OWNER/NAME/PATH.

    Raises:
        DataError: if a file cannot be had.
    """
    files = needed_files(tasks)
    for source, paths in files.items():
        for path in paths:
            data.download(source, path, local_dir=mirror / source)
    return [Fetched(source, mirror / source, paths) for source, paths in files.items()]
