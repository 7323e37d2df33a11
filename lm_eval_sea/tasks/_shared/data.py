"""Published rows in, processed rows out: loading, checking, and messages that say which file, row and field is at fault."""

from __future__ import annotations

import functools
import hashlib
import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import huggingface_hub
from huggingface_hub import errors

Row = dict[str, Any]
# Gets the published splits by name and returns the function from a published row to a processed row, or to several.
RowProcessor = Callable[[Mapping[str, Sequence[Row]]], Callable[[Row], Row | list[Row]]]

TEST_SPLIT = "test"
LOCAL_FOLDER = "local folder"


class DataError(ValueError):
    """Data that cannot be had or cannot be scored; the message is one line that says what and how to mend it."""


class LoadedRows(NamedTuple):
    """Processed rows and where they come from."""

    rows: datasets.Dataset
    revision: str  # commit of the hub repository, or "local folder"
    sha256: str  # over the processed rows; equal digests mean equal rows


def download(source: str, path: str, **options: Any) -> Path:
    """A file of a hub repository: from the hub, or from its cache if the hub cannot be reached.

    Args:
        source: hub repository, such as "sail/Sailcompass_data".
        path: path inside the repository.
        options: of `huggingface_hub.hf_hub_download`, such as `revision` or `local_dir`.

    Returns:
        Where the file lies.

    Raises:
        DataError: if it cannot be had.
    """
    try:
        return Path(huggingface_hub.hf_hub_download(source, path, repo_type="dataset", **options))
    except errors.LocalEntryNotFoundError as error:
        raise DataError(
            f"cannot get {path} of {source}: the hub cannot be reached and its cache lacks the file. With a network, run "
            f"`lm-eval-sea data fetch`; without one, start in a folder that holds {source}/{path}."
        ) from error
    except errors.EntryNotFoundError as error:
        raise DataError(f"cannot get {path} of {source}: the repository on the hub has no such file.") from error
    except errors.GatedRepoError as error:
        raise DataError(
            f"cannot get {path} of {source}: ask for access on the repository's page, then log in with `hf auth login`."
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise DataError(f"cannot get {path} of {source}: the hub has no such repository, or it asks for a login.") from error
    # What is left are the faults of networks and disks, in classes of several libraries.
    except Exception as error:
        raise DataError(f"cannot get {path} of {source}: {_one_line(error)}") from error


def download_all(source: str, paths: Iterable[str]) -> Path:
    """Files of a hub repository, all of one commit.

    Returns:
        The folder of the hub's cache that holds them; its name is the commit.

    Raises:
        DataError: if one of them cannot be had.
    """
    commit = None
    for path in paths:
        folder = download(source, path, revision=commit).parents[path.count("/")]
        commit = folder.name
    return folder


def _one_line(error: BaseException) -> str:
    return textwrap.shorten(str(error), 300) or type(error).__name__


def is_made_by_user(source: str) -> bool:
    """Whether a source is no repository of the hub, but a folder that the user makes: its name has no owner."""
    return "/" not in source


def _locate(source: str, files: Mapping[str, str]) -> tuple[Path, str]:
    """The folder that holds the files, and the commit that they are of.

    `datasets` could download by itself, but what it has downloaded with `data_files` it does not find again offline.
    """
    folder = Path(source)
    if is_made_by_user(source) and not folder.is_dir():
        raise DataError(
            f"the current folder has no folder {source}, which you make yourself: the README of the data set says how. Start "
            "where it is."
        )
    if folder.is_dir():
        for path in files.values():
            if not (folder / path).is_file():
                advice = (
                    "The README of the data set says how to make it."
                    if is_made_by_user(source)
                    else "Add it with `lm-eval-sea data fetch --to .`, or start elsewhere to use the hub."
                )
                raise DataError(f"the folder {source} has no {path}. {advice}")
        return folder, LOCAL_FOLDER
    folder = download_all(source, files.values())
    return folder, folder.name


def load_splits(source: str, files: Mapping[str, str]) -> tuple[datasets.DatasetDict, str]:
    """Loads the published rows of a folder SOURCE under the current directory or, if there is none, of the hub repository.

    Args:
        source: hub repository, such as "sail/Sailcompass_data".
        files: split name → path inside the repository.

    Returns:
        The splits, and the commit of the repository or "local folder".

    Raises:
        DataError: if a file is missing, cannot be reached or cannot be read.
    """
    folder, revision = _locate(source, files)
    # One by one, for `datasets` would make all splits of a call fit the columns of the first.
    splits = {split: _read(folder, path, source) for split, path in files.items()}
    return datasets.DatasetDict(splits), revision


def _read(folder: Path, path: str, source: str) -> datasets.Dataset:
    if not (folder / path).stat().st_size:
        raise DataError(f"{source}/{path} has no rows; expected at least one")
    try:
        return datasets.load_dataset(str(folder), data_files=path, split="train")
    # Readers of several formats raise what they like, and `datasets` wraps it.
    except Exception as error:
        raise DataError(f"cannot read {path} of {source}: {_one_line(error.__cause__ or error)}") from error


def check_row(row: Mapping[str, Any]) -> None:
    """Checks that a processed row can be shown and scored.

    Raises:
        ValueError: naming the field and what was expected.
    """
    for field, value in row.items():
        if isinstance(value, str) and not value.strip():
            raise ValueError(f"field {field!r} is empty; expected text")
    if "answers" in row and not (row["answers"] and all(answer.strip() for answer in row["answers"])):
        raise ValueError(f"field 'answers' is {row['answers']!r}; expected one text or more")
    if "options" not in row:
        return
    options, gold = row["options"], row["gold"]
    if len(options) < 2:
        raise ValueError(f"field 'options' has {len(options)}; expected two or more")
    for index, option in enumerate(options):
        if not option.strip():
            raise ValueError(f"field 'options' has an empty option at position {index + 1}; expected text")
    if not 0 <= gold < len(options):
        raise ValueError(f"field 'gold' is {gold}; expected 0 to {len(options) - 1}")


def with_lettered_options(row: Row) -> Row:
    """A row of multiple choice with the options as they stand in a list, "A. …", beside the bare ones."""
    if "options" not in row:
        return row
    lettered = [f"{letter}. {option}" for letter, option in zip(row["letters"], row["options"], strict=True)]
    return row | {"lettered_options": lettered}


def iterate_rows(splits: Mapping[str, Sequence[Row]], process: RowProcessor, file: str) -> Iterator[Row | DataError]:
    """Processes and checks row by row: yields the processed row, or the fault that keeps it from being scored."""
    try:
        processor = process(splits)
    except KeyError as error:
        yield DataError(f"{file}: a file that its rows are completed from has no column {error}")
        return
    except ValueError as error:
        yield DataError(f"{file}: a file that its rows are completed from is at fault: {error}")
        return
    for number, published in enumerate(splits[TEST_SPLIT]):
        try:
            processed = processor(published)
            rows = [_checked(row, number) for row in (processed if isinstance(processed, list) else [processed])]
        except KeyError as error:
            yield DataError(f"{file}, row {number}: no column {error}; it has {', '.join(published)}")
        except ValueError as error:
            yield DataError(f"{file}, row {number}: {error}")
        except (TypeError, AttributeError) as error:
            # `datasets` puts None where a row lacks a column that others have
            empty = [column for column, value in published.items() if value is None]
            hint = f"; nothing in column {', '.join(empty)}" if empty else ""
            yield DataError(f"{file}, row {number}: {error}{hint}")
        else:
            yield from rows


def _checked(row: Row, number: int) -> Row:
    row = {"id": str(number)} | row
    row = {"cluster": row["id"]} | row  # a row that shares nothing with others is a cluster of its own
    check_row(row)
    return with_lettered_options(row)


@functools.cache
def _load_rows(source: str, files: tuple[tuple[str, str], ...], process: RowProcessor, folder: Path) -> LoadedRows:
    splits, revision = load_splits(source, dict(files))
    rows = []
    for row in iterate_rows(splits, process, f"{source}/{dict(files)[TEST_SPLIT]}"):
        if isinstance(row, DataError):
            raise row
        rows.append(row)
    if not rows:
        raise DataError(f"{source}/{dict(files)[TEST_SPLIT]} has no rows; expected at least one")
    text = json.dumps(rows, ensure_ascii=False, sort_keys=True)
    return LoadedRows(
        rows=datasets.Dataset.from_list(rows),
        revision=revision,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


def load_rows(source: str, files: Mapping[str, str], process: RowProcessor) -> LoadedRows:
    """Loads, processes and checks all rows of a data set; once a process, however many tasks show them.

    Args:
        source: hub repository or folder.
        files: split name → path inside it; `test` is the split whose rows are returned.
        process: gets the published splits, returns the function from a published row to a processed row.

    Raises:
        DataError: if the data cannot be loaded or a row cannot be scored.
    """
    return _load_rows(source, tuple(files.items()), process, Path.cwd())  # `source` may be a folder below it
