"""Where published rows are, and how they are loaded.

A folder OWNER/NAME below the current one, laid out like the hub, replaces the hub's repository of that name. Rows that a
checkout of another repository has, too, are read from it if it is a folder below the current one. `datasets` reads rows that a
repository names by configuration and split, and keeps them in its cache. Files that a task names by path come through
`hub_files.py`. They are JSON (`published/json_rows.py`), tables (`published/table_rows.py`) or, with any other ending, plain
text, which is one row {"text"}.
"""

from __future__ import annotations

import contextlib
import glob
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import datasets

from .facts import files_of_own_data
from .hub_files import DataError, download_all, fault_of_hub, not_given, one_line
from .published.json_rows import ENDINGS, read_json_rows
from .published.table_rows import DELIMITERS, read_table_rows


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


LOCAL_FOLDER = "local folder"
TEST_SPLIT = "test"
_POINTER = b"version https://git-lfs.github.com/spec/"  # a clone without Git LFS has such files instead of large ones


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Inside, and in functions that it decorates, a place that cannot be read raises a `DataError`."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{error.filename} cannot be read: {error.strerror}" if error.filename else one_line(error)) from error


def _is_folder(name: str) -> bool:
    """Whether there is such a folder, or one that may not be looked at: reading it raises the error."""
    try:
        return Path(name).is_dir()
    except PermissionError:
        return True


class Source(NamedTuple):
    """Where the rows of a task are: files of a repository, or a configuration of it."""

    repository: str  # on the hub, such as "aisingapore/NLR-NLI", or a folder that the user makes
    files: tuple[tuple[str, str], ...] = ()  # the pack's name of a split → path, some with several; empty for a configuration
    config: str = ""
    splits: tuple[tuple[str, str], ...] = ()  # the pack's name of a split → the published one; only own data need all
    also: tuple[str, ...] = ()  # other names of the repository
    on_hub: bool = True  # false if no repository is known to have the rows
    checkout: str = ""  # a folder of the user that has them, too
    checkout_files: tuple[tuple[str, str], ...] = ()  # the pack's name of a split → path in it
    checkout_columns: tuple[str, ...] = ()  # of its tables, if their first line does not name them
    named_in: str = ""  # the user's own `data_set.yml`

    @classmethod
    def from_metadata(
        cls,
        *,
        data_source: str,
        data_files: Mapping[str, str | Sequence[str]] | None = None,
        data_config: str = "",
        data_splits: Mapping[str, str] | None = None,
        data_source_also: Sequence[str] = (),
        data_on_hub: bool = True,
        data_checkout: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> Source:
        """Takes the keys `data_…` of a task's metadata, and ignores others."""
        return cls(
            data_source,
            tuple((split, path) for split, paths in (data_files or {}).items() for path in _as_list(paths)),
            data_config,
            tuple((data_splits or {}).items()),
            tuple(data_source_also),
            data_on_hub,
            (data_checkout or {}).get("folder", ""),
            tuple((data_checkout or {}).get("files", {}).items()),
            tuple((data_checkout or {}).get("columns", ())),
            next(iter(files_of_own_data(others)), ""),
        )

    @property
    def is_made_by_user(self) -> bool:
        """Whether the repository is a folder that the user makes, and not on the hub."""
        return "/" not in self.repository or not self.on_hub or Path(self.repository).is_absolute()

    @property
    def is_at_hand(self) -> bool:
        """Whether there is a place to look for the rows: the hub, or a folder that the user has made."""
        return not self.is_made_by_user or self._folder() is not None or self._checkout_goes_first()

    def describe(self) -> str:
        """The name of the scored rows in messages."""
        if self.files:
            first, *others = [path for split, path in self.files if split == TEST_SPLIT]
            return f"{self.repository}/{first}" + (f" and {len(others)} more" if others else "")
        return f"{self.repository} {self.config}/{dict(self.splits)[TEST_SPLIT]}"

    @_readable()
    def load(self) -> tuple[dict[str, Sequence[dict[str, Any]]], str]:
        """The published splits by the pack's names, and the commit of the repository or "local folder".

        Raises `DataError` if they are missing, cannot be reached or cannot be read.
        """
        if self._checkout_goes_first():
            return self._of_checkout()._load_files()
        if self.files:
            return self._load_files()
        if not self.is_at_hand:
            raise self._to_be_made(self.checkout or self.repository)
        try:
            return self._load_config()
        except DataError as error:
            if not self.checkout or self._folder() is not None:
                raise
            advice = f"The repository {self.checkout} has these rows, too; clone it into the current folder."
            raise DataError(f"{str(error).rstrip('.')}. {advice}") from error.__cause__

    def _folder(self) -> Path | None:
        """The folder that replaces the hub's repository, if there is one."""
        return next((Path(name) for name in (self.repository, *self.also) if _is_folder(name)), None)

    def _checkout_goes_first(self) -> bool:
        return bool(self.checkout) and self._folder() is None and _is_folder(self.checkout)

    def _of_checkout(self) -> Source:
        return Source(self.checkout, self.checkout_files, on_hub=False, checkout_columns=self.checkout_columns)

    @_readable()
    def local_state(self) -> tuple[tuple[str, int, int, int], ...]:
        """Path, size in bytes and time stamps (ns) of the files of a local folder. They change when the user changes the rows.

        Empty if the rows come from the hub, because its commits do not change.
        """
        if self._checkout_goes_first():
            return self._of_checkout().local_state()
        folder = self._folder()
        if folder is None:
            return ()
        files = [folder / path for _, path in self.files] or sorted(folder.rglob("*"))
        states = [(str(file), file.stat()) for file in files if file.is_file()]
        return tuple((path, state.st_size, state.st_mtime_ns, state.st_ctime_ns) for path, state in states)

    def _load_files(self) -> tuple[dict[str, Sequence[dict[str, Any]]], str]:
        folder = Path(self.repository)
        if folder.is_dir():
            for _, path in self.files:
                if not (folder / path).is_file():
                    if self.named_in:
                        raise DataError(f"{self.named_in}: 'files' names {path}, which {folder} does not have", self.named_in)
                    raise DataError(f"the folder {folder} has no {path}. {self._advice()}")
            return self._read_files(folder), LOCAL_FOLDER
        if self.is_made_by_user:
            raise self._to_be_made(folder)
        folder = download_all(self.repository, [path for _, path in self.files])
        return self._read_files(folder), folder.name

    def _to_be_made(self, folder: Path | str) -> DataError:
        if self.named_in:
            return DataError(f"{self.named_in}: 'source' is the folder {folder}, which is not there", self.named_in)
        made = "which you make yourself: the README of the data set says how. Start where it is."
        return DataError(f"the current folder has no folder {folder}, {made}")

    def _advice(self, what: str = "Add it") -> str:
        if self.named_in:  # `data fetch` does not know it
            return f"Mend it, or what {self.named_in} says of it."
        if self.is_made_by_user:
            return "The README of the data set says how to make it."
        return f"{what} with `lm-eval-sea data fetch --to .`, or start elsewhere to use the hub."

    def _read_files(self, folder: Path) -> dict[str, Sequence[dict[str, Any]]]:
        splits: dict[str, list[dict[str, Any]]] = {}
        for split, path in self.files:
            rows = _rows_of_file(folder / path, f"{self.repository}/{path}", self.checkout_columns)
            if not rows:
                raise _without_rows(f"{self.repository}/{path}")
            splits.setdefault(split, []).extend(rows)
        return dict(splits)

    def hub_builder(self) -> datasets.DatasetBuilder:
        """The object with which `datasets` reads a configuration from the hub or its cache, whatever local folders there are.

        Raises `DataError` if the repository or the configuration cannot be loaded.
        """
        errors = []
        for name in (self.repository, *self.also):
            try:
                return self._builder(name, name)
            except DataError as error:
                errors.append(error)
        raise errors[0]

    def _builder(self, path: str, name: str, cache_dir: str | None = None) -> datasets.DatasetBuilder:
        try:
            builder = datasets.load_dataset_builder(path, self.config, cache_dir=cache_dir)
            if self.named_in and hasattr(builder.config, "keep_default_na"):  # a table, where an option may be "None"
                builder = datasets.load_dataset_builder(path, self.config, cache_dir=cache_dir, keep_default_na=False)
            return builder
        # Faults of networks, disks and data cards are errors of several libraries.
        except Exception as error:
            raise not_given(self.describe(), name, fault_of_hub(error, f"datasets/{name}"), error) from error

    def _builder_of_folder(self, folder: Path, cache: str) -> datasets.DatasetBuilder:
        if glob.escape(path := str(folder.resolve())) != path:
            raise DataError(f"{path} cannot be read: `datasets` takes * ? [ in paths for a pattern; give the folder another name")
        there = os.listdir(folder)  # `datasets` takes an unreadable folder for an empty one
        try:
            return self._builder(path, str(folder), cache)
        except DataError as error:
            said = "is incomplete or out of date" if "README.md" in there else "has no README.md, which says what its files are"
            raise DataError(f"{str(error).rstrip('.')}. The folder {folder} {said}. {self._advice('Fetch it again')}") from error

    def _load_config(self) -> tuple[dict[str, Sequence[dict[str, Any]]], str]:
        folder = self._folder()
        is_local = folder is not None
        with tempfile.TemporaryDirectory() as cache:
            builder = self._builder_of_folder(folder, cache) if folder is not None else self.hub_builder()
            if is_local:
                self._check_files(builder)
            try:
                builder.download_and_prepare()
                published = builder.as_dataset(in_memory=is_local)  # the cache is removed, and Windows removes no open file
                splits = {split: published[name] for split, name in self.splits if name in published}
            except Exception as error:
                if fault := fault_of_hub(error, f"datasets/{self.repository}"):
                    raise not_given(self.describe(), self.repository, fault, error) from error
                cause = error.__cause__ or error
                is_broken = is_local and getattr(cause, "errno", None) is None  # and not the disk full, for example
                again = f". {self._advice('Fetch it again')}" if is_broken else ""
                raise DataError(f"cannot read {self.describe()}: {one_line(cause).rstrip('.')}{again}") from error
        needed = [(split, name) for split, name in self.splits if split == TEST_SPLIT or self.named_in]
        if lacking := [name for split, name in needed if split not in splits]:
            raise DataError(f"{self.describe()}: there is no split {lacking[0]!r}; there is {', '.join(published)}")
        if not len(splits[TEST_SPLIT]):
            raise _without_rows(self.describe())
        return splits, LOCAL_FOLDER if is_local else str(builder.hash)

    def _check_files(self, builder: datasets.DatasetBuilder) -> None:
        """Looks for faults in local files before `datasets` reads them; it says little about JSON files."""
        wanted = {name for _, name in self.splits}
        for split, paths in (builder.config.data_files or {}).items():
            for path in map(Path, paths if str(split) in wanted else []):
                name = f"{self.repository}/{path.relative_to(Path(builder.base_path or path.anchor).resolve())}"
                if path.suffix.lower() not in ENDINGS:
                    _refuse_pointer(path, name)
                elif not _rows_of_file(path, name):
                    raise _without_rows(name)


def _refuse_pointer(path: Path, name: str) -> None:
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise DataError(f"{name} is a Git LFS pointer and not the rows; run `git lfs pull` where it was cloned", name)


def _without_rows(name: str) -> DataError:
    return DataError(f"{name} has no rows; expected at least one", name)


def _rows_of_file(path: Path, name: str, columns: Sequence[str] = ()) -> list[dict[str, Any]]:
    is_json = path.suffix.lower() in ENDINGS
    try:
        if is_json:
            return read_json_rows(path)
        _refuse_pointer(path, name)  # it would pass for a text, and perhaps for a table
        if path.suffix.lower() in DELIMITERS:
            return read_table_rows(path, columns)
        return [{"text": path.read_text(encoding="utf-8-sig")}]
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        if is_json:
            _refuse_pointer(path, name)
        said = one_line(error)
        row = said.partition(": ")[0]
        raise DataError(f"{name}, {said}", f"{name}, {row}" if row.startswith("row ") else name) from error


def _as_list(paths: str | Sequence[str]) -> Sequence[str]:
    return [paths] if isinstance(paths, str) else paths
