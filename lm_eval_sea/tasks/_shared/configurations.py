"""Finds the files of a data set's configuration, in a folder laid out like the hub or on the hub.

Some data sets name their rows by configuration ("id") and split ("eval"), and their files may be called anything. Which files
these are is said by the data card, the head of the repository's README.md:

    configs:
    - config_name: id
      data_files:
      - split: eval
        path: data/id/eval.jsonl

`datasets` reads it too, but does not find again offline what it has loaded this way from the hub.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import huggingface_hub
import yaml
from huggingface_hub import errors

from .hub_files import DataError, download, download_all

CARD = "README.md"
LOCAL_FOLDER = "local folder"
# The hub's own copy of a data set as Parquet files, CONFIG/SPLIT/0000.parquet.
PARQUET_BRANCH = "refs/convert/parquet"
# Where the files of a split lie if no data card says so.
USUAL_PLACES = ("data/{config}/{split}.*", "{config}/{split}.*", "{config}/{split}/*.parquet")

_SHARD = re.compile(r"-\d+-of-(\d+)\b")


def data_files(name: str | None, arguments: Mapping[str, Any]) -> Mapping[str, str] | Configuration:
    """The files that a task file names by its `dataset_name` and `dataset_kwargs`, in the form that `data.load_rows` takes."""
    return Configuration.from_task(name, **arguments) if "splits" in arguments else arguments["data_files"]


class FoundFiles(NamedTuple):
    """The files of a configuration."""

    repository: str
    folder: Path | None  # where they lie, if that is a folder beside the current one
    revision: str | None  # of the hub repository, if they lie there
    paths: dict[str, list[str]]  # split → paths
    card: bool  # whether the repository has a data card

    @property
    def all_paths(self) -> list[str]:
        """The paths of all files, with that of the data card."""
        return [CARD] * self.card + sorted({path for paths in self.paths.values() for path in paths})

    def fetch(self) -> Path:
        """The folder that holds the files; from the hub they are downloaded, or found in its cache.

        Raises:
            DataError: if one of them cannot be had.
        """
        return self.folder or download_all(self.repository, self.all_paths, self.revision)


class Configuration(NamedTuple):
    """Rows that are named by configuration and split, not by file."""

    config: str
    splits: tuple[tuple[str, str], ...]  # the pack's name of a split → the published one; only the first has to be there
    also: tuple[str, ...] = ()  # other names of the repository
    on_hub: bool = True

    @classmethod
    def from_task(cls, config: str, splits: dict[str, str], also: Sequence[str] = (), on_hub: bool = True) -> Configuration:
        """From the keys `dataset_name` and `dataset_kwargs` of a task file."""
        return cls(config, tuple(splits.items()), tuple(also), on_hub)

    def describe(self, source: str) -> str:
        """What the rows are called in messages."""
        return f"{source} {self.config}/{self.splits[0][1]}"

    def find(self, source: str) -> FoundFiles:
        """Finds the files in a folder SOURCE under the current one or, if there is none, on the hub.

        Args:
            source: hub repository, such as "aisingapore/NLR-NLI".

        Raises:
            DataError: if they are not there, or there is no way to know which they are.
        """
        for name in (source, *self.also):
            if Path(name).is_dir():
                return self._in_folder(name)
        return self.find_on_hub(source)

    def find_on_hub(self, source: str) -> FoundFiles:
        """Finds the files on the hub or, if it cannot be reached, in its cache; arguments and errors as those of `find`."""
        if not self.on_hub:
            raise DataError(
                f"cannot get {self.describe(source)}: no repository on the hub has these rows. Put them into a folder "
                f"{source}, as tasks/sea_helm/README.md says, and start beside it."
            )
        first_error = None
        for name in (source, *self.also):
            try:
                return self._on_hub(name)
            except DataError as error:
                first_error = first_error or error
        raise first_error

    def _in_folder(self, name: str) -> FoundFiles:
        folder = Path(name)
        card = folder / CARD
        declared = _declared(card.read_text(encoding="utf-8"), self.config, name) if card.is_file() else None
        there = _files_below(folder)
        return self._found(name, folder, None, declared, there, card.is_file())

    def _on_hub(self, name: str) -> FoundFiles:
        try:
            card = download(name, CARD)
        except DataError:  # a repository without a card, or none at all
            if (listed := _listed(name, None)) is not None:
                return self._found(name, None, None, None, listed, False)
            if (snapshot := _cached(name)) is None:
                raise
            return self._found(name, None, snapshot.name, None, _files_below(snapshot), False)
        commit = card.parent.name
        declared = _declared(card.read_text(encoding="utf-8"), self.config, name)
        patterns = [pattern for of_split in (declared or {}).values() for pattern in of_split]
        if patterns and not set("*?[") & set("".join(patterns)):
            return self._found(name, None, commit, declared, patterns, True)  # these are paths, and nothing has to be looked up
        listed = _listed(name, commit)
        try:
            return self._found(name, None, commit, declared, _files_below(card.parent) if listed is None else listed, True)
        except DataError:
            if declared is not None:
                raise
            return self._in_parquet_branch(name)

    def _in_parquet_branch(self, name: str) -> FoundFiles:
        # the first file tells the commit, also of what the cache has
        first = download(name, f"{self.config}/{self.splits[0][1]}/0000.parquet", revision=PARQUET_BRANCH)
        folder = first.parents[2]
        listed = _listed(name, folder.name)
        return self._found(name, None, folder.name, None, _files_below(folder) if listed is None else listed, False)

    def _found(
        self,
        name: str,
        folder: Path | None,
        revision: str | None,
        declared: dict[str, list[str]] | None,
        there: Iterable[str],
        card: bool,
    ) -> FoundFiles:
        """The files of all splits.

        Args:
            name: of the repository.
            folder: where it lies, or None if it is on the hub.
            revision: of the repository on the hub.
            declared: the data card's patterns of paths by published split, None if it says nothing.
            there: all paths of the repository that can be known.
            card: whether there is a card.
        """
        there = sorted(there)
        paths = {}
        for split, published in self.splits:
            if declared is None:
                patterns = [place.format(config=self.config, split=published) for place in USUAL_PLACES]
            else:
                patterns = declared.get(published, [])
            paths[split] = _matching(patterns, there)
            _check_shards(paths[split], name)
        needed, published = self.splits[0]
        if not paths[needed]:
            where = "the folder" if folder else "the hub's repository"
            known = f" has only {', '.join(declared)}" if declared else " does not say which they are"
            raise DataError(
                f"cannot get {self.describe(name)}: {where} {name} has no files of the split {published!r} of {self.config!r}; "
                f"its data card{known}."
            )
        return FoundFiles(name, folder, revision, {split: files for split, files in paths.items() if files}, card)


def _declared(card: str, config: str, name: str) -> dict[str, list[str]] | None:
    """The patterns of paths by split that a data card gives for a configuration; None if it gives none for any.

    Raises:
        DataError: if the card has other configurations only.
    """
    head = re.match(r"---\n(.*?)\n---", card.lstrip("\ufeff").replace("\r\n", "\n"), re.DOTALL)
    try:
        configs = (yaml.safe_load(head[1]) or {}).get("configs") if head else None
    except yaml.YAMLError as error:
        raise DataError(f"the data card of {name} ({CARD}) is no YAML: {str(error).splitlines()[0]}") from error
    if not configs:
        return None
    by_name = {entry.get("config_name", "default"): entry for entry in configs}
    if config not in by_name:
        raise DataError(f"{name} has no configuration {config!r}; its data card names {', '.join(map(str, by_name))}")
    entry = by_name[config]
    if "data_files" not in entry:
        return None
    prefix = f"{entry['data_dir']}/" if entry.get("data_dir") else ""
    return {
        split: [prefix + path.removeprefix("./") for path in paths] for split, paths in _by_split(entry["data_files"]).items()
    }


def _by_split(data_files: Any) -> dict[str, list[str]]:
    """The forms in which a data card gives files, as one: split → patterns of paths."""
    by_split: dict[str, list[str]] = {}
    for entry in _as_list(data_files):
        split, paths = (entry["split"], entry["path"]) if isinstance(entry, dict) else ("train", entry)
        by_split.setdefault(split, []).extend(_as_list(paths))
    return by_split


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _matching(patterns: Iterable[str], paths: Sequence[str]) -> list[str]:
    """The paths that match a pattern; in the patterns' order, each once."""
    found = [path for pattern in patterns for path in paths if fnmatchcase(path, pattern)]
    return list(dict.fromkeys(found))


def _check_shards(paths: Sequence[str], name: str) -> None:
    """Refuses a split of which a part of the files is missing, as an interrupted download leaves it.

    Raises:
        DataError: saying how many there are.
    """
    for path in paths:
        if (match := _SHARD.search(path)) and len(paths) < int(match[1]):
            raise DataError(
                f"{name} has {len(paths)} of the {int(match[1])} files of {path.rpartition('/')[0] or path}; with a network, "
                "run `lm-eval-sea data fetch`"
            )


def _listed(name: str, revision: str | None) -> list[str] | None:
    """All paths of a hub repository; None if the hub cannot be asked."""
    try:
        return huggingface_hub.HfApi().list_repo_files(name, repo_type="dataset", revision=revision)
    except Exception:  # the faults of networks come in classes of several libraries; the cache may do
        return None


def _cached(name: str) -> Path | None:
    """The folder of the hub's cache with the files of the main branch; None if there is none."""
    try:
        return Path(huggingface_hub.snapshot_download(name, repo_type="dataset", local_files_only=True))
    except errors.LocalEntryNotFoundError:
        return None


def _files_below(folder: Path) -> list[str]:
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    return [path.as_posix() for path in paths if not path.parts[0].startswith(".")]  # downloads leave notes in .cache
