"""Downloads the data files of tasks for a machine without a network; a `DataError` says which are not available."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lm_eval_sea.catalogue.task_list import TaskRecord
from lm_eval_sea.tasks._shared.hub_files import DataError, download, download_all, fault_of_hub, not_given
from lm_eval_sea.tasks._shared.sources import Source

CARD = "README.md"
# How `datasets` names a file of the hub.
_HUB_FILE = re.compile(r"hf://datasets/(?P<repository>[^/]+/[^/@]+)@(?P<commit>[^/]+)/(?P<path>.+)")


class _Files(NamedTuple):
    """Files of a repository."""

    repository: str
    paths: list[str]
    commit: str | None = None  # None: the newest

    def describe(self, folder: Path) -> str:
        """Lines of text: the folder of the files on this machine, and their paths in the repository and sizes."""
        sizes = [f"{(folder / path).stat().st_size / 1e6:8.2f} MB  {path}" for path in self.paths]
        return "\n".join([f"{self.repository}: {len(self.paths)} files in {folder}", *sizes])


def _on_hub(tasks: Iterable[TaskRecord]) -> tuple[list[_Files], list[Source]]:
    """The files that tasks name by path, and the sources that they name by configuration; without folders that users make."""
    sources = [source for source in dict.fromkeys(task.source for task in tasks) if not source.is_made_by_user]
    named: dict[str, set[str]] = defaultdict(set)
    for source in sources:
        if source.files:
            named[source.repository].update(path for _, path in source.files)
    files = [_Files(repository, sorted(paths)) for repository, paths in sorted(named.items())]
    return files, [source for source in sources if not source.files]


def _files_of_configuration(source: Source) -> _Files:
    """The files that the data card of a repository names for a configuration, and the card.

    `datasets` reads a configuration from a folder only if the files of the card's first configuration are there, too.
    """
    builder = source.hub_builder()
    first = next(iter(builder.builder_configs), source.config)
    builders = [builder, source._replace(config=first).hub_builder()]
    found = [file for each in builders for files in (each.config.data_files or {}).values() for file in files]
    hub_files = [match for file in found if (match := _HUB_FILE.fullmatch(str(file)))]
    if not hub_files:
        raise DataError(f"cannot get {source.describe()}: the hub does not say which files these are")
    paths = [CARD, *dict.fromkeys(match["path"] for match in hub_files)]
    return _Files(hub_files[0]["repository"], paths, hub_files[0]["commit"])


def mixed_mirrors(repositories: Iterable[str]) -> Iterator[str]:
    """Notes on folders with files of several commits, which huggingface_hub records beside each file."""
    for folder in dict.fromkeys(map(Path, repositories)):
        notes = folder / ".cache" / "huggingface" / "download"
        found: dict[str, str] = {}
        with contextlib.suppress(OSError):  # an unreadable folder, which is reported when its rows are loaded
            for note in sorted(notes.rglob("*.metadata")):
                if (folder / note.relative_to(notes).with_suffix("")).is_file():
                    found.setdefault(note.read_text(encoding="utf-8", errors="replace").partition("\n")[0], note.stem)
        if len(found) > 1:
            (one, first), (other, second), *_ = found.items()
            yield (
                f"{folder} has files of {len(found)} commits of the repository, such as {first} of {one[:8]} and {second} of "
                f"{other[:8]}; `lm-eval-sea data fetch --to NEW_FOLDER` gets all of one commit"
            )


def fetch_to_cache(tasks: Iterable[TaskRecord]) -> list[str]:
    """Fills the hub's cache and that of `datasets`; returns lines of text on what was fetched."""
    named, configured = _on_hub(tasks)
    lines = [files.describe(download_all(files.repository, files.paths)) for files in named]
    for source in configured:
        builder = source.hub_builder()
        try:
            builder.download_and_prepare()
        # Errors of networks, disks and readers are of classes from several libraries.
        except Exception as error:
            fault = fault_of_hub(error, f"datasets/{source.repository}")
            raise not_given(source.describe(), source.repository, fault, error.__cause__ or error) from error
        rows = ", ".join(f"{name} {split.num_examples:,} rows" for name, split in builder.info.splits.items())
        lines.append(f"{source.repository} {source.config}: {rows} in {builder.cache_dir}")
    return lines


def fetch_to_mirror(tasks: Iterable[TaskRecord], mirror: Path) -> list[str]:
    """Makes or completes a folder that is laid out like the hub, MIRROR/OWNER/NAME/PATH; returns lines on what was fetched."""
    named, configured = _on_hub(tasks)
    wanted = named + list(map(_files_of_configuration, configured))
    for files in wanted:
        folder = mirror / files.repository
        new = [place for place in (folder, *folder.parents) if not place.exists()]
        try:
            for path in files.paths:
                download(files.repository, path, revision=files.commit, local_dir=folder)
        except DataError:
            if new and not any((folder / path).is_file() for path in files.paths):  # an empty folder would hide the repository
                shutil.rmtree(folder, ignore_errors=True)
                with contextlib.suppress(OSError):
                    for place in new[1:]:
                        place.rmdir()
            raise
    return [files.describe(mirror / files.repository) for files in wanted]
