"""Downloads the data files of tasks, so that a machine without a network can run them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lm_eval_sea.catalogue.task_list import TaskRecord
from lm_eval_sea.tasks._shared import data
from lm_eval_sea.tasks._shared.configurations import Configuration, FoundFiles
from lm_eval_sea.tasks._shared.hub_files import download


class Fetched(NamedTuple):
    """Files of a repository that lie on this machine."""

    source: str
    folder: Path  # holds the files under their paths in the repository
    paths: list[str]

    def describe(self) -> str:
        """Lines of text: where, what, how large."""
        sizes = [f"{(self.folder / path).stat().st_size / 1e6:8.2f} MB  {path}" for path in self.paths]
        return "\n".join([f"{self.source}: {len(self.paths)} files in {self.folder}", *sizes])


def needed_files(tasks: Iterable[TaskRecord]) -> list[FoundFiles]:
    """The files of hub repositories that the tasks read; what a user makes cannot be fetched and is not among them.

    Raises:
        DataError: if it cannot be found out which they are.
    """
    named = defaultdict(set)
    configurations: dict[tuple[str, Configuration], None] = {}
    for task in tasks:
        if not isinstance(task.files, Configuration):
            if not data.is_made_by_user(task.source):
                named[task.source].update(task.files.values())
        elif task.files.on_hub:
            configurations[task.source, task.files] = None
    files = [FoundFiles(source, None, None, {"": sorted(named[source])}, card=False) for source in sorted(named)]
    return files + [configuration.find_on_hub(source) for source, configuration in configurations]


def not_on_hub(tasks: Iterable[TaskRecord]) -> list[str]:
    """The rows that the tasks read and that no hub repository has: SOURCE CONFIGURATION/SPLIT."""
    own = [task for task in tasks if isinstance(task.files, Configuration) and not task.files.on_hub]
    return list(dict.fromkeys(task.files.describe(task.source) for task in own))


def fetch_to_cache(tasks: Iterable[TaskRecord]) -> list[Fetched]:
    """Fills the hub's cache.

    Raises:
        DataError: if a file cannot be had.
    """
    return [Fetched(files.repository, files.fetch(), files.all_paths) for files in needed_files(tasks)]


def fetch_to_mirror(tasks: Iterable[TaskRecord], mirror: Path) -> list[Fetched]:
    """Makes or completes a folder that is laid out like the hub: MIRROR/OWNER/NAME/PATH.

    Raises:
        DataError: if a file cannot be had.
    """
    wanted = needed_files(tasks)
    for files in wanted:
        for path in files.all_paths:
            download(files.repository, path, revision=files.revision, local_dir=mirror / files.repository)
    return [Fetched(files.repository, mirror / files.repository, files.all_paths) for files in wanted]
