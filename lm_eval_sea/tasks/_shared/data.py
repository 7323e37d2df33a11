"""Published rows in, processed rows out: loading, checking, and messages that say which file, row and field is at fault."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import datasets

Row = dict[str, Any]
# Gets the published splits by name and returns the function from a published row to a processed row.
RowProcessor = Callable[[Mapping[str, Sequence[Row]]], Callable[[Row], Row]]

TEST_SPLIT = "test"


class DataError(ValueError):
    """Data that cannot be had or cannot be scored; the message is one line that says what and how to mend it."""


class LoadedRows(NamedTuple):
    """Processed rows and where they come from."""

    rows: datasets.Dataset
    revision: str  # commit of the hub repository, or "local folder"
    sha256: str  # over the processed rows; equal digests mean equal rows


def load_splits(source: str, files: Mapping[str, str]) -> datasets.DatasetDict:
    """Loads the published rows of a hub repository, or of a folder of the same name under the current directory.

    Args:
        source: hub repository, such as "sail/Sailcompass_data".
        files: split name → path inside the repository.

    Raises:
        DataError: if a file is missing, cannot be reached or cannot be read.
    """
    try:
        return datasets.load_dataset(source, data_files=dict(files))
    # Every failure of the libraries below ends here: they raise a dozen unrelated classes.
    except Exception as error:
        reason = str(error).strip().split("\n", 1)[0] or type(error).__name__
        raise DataError(
            f"cannot load {', '.join(files.values())} of {source}: {reason}. The folder ./{source}, the hub's cache and the hub "
            f"were tried. With a network, run `lm-eval-sea data fetch`; without one, start in a folder that holds {source}/."
        ) from error


def check_row(row: Mapping[str, Any]) -> None:
    """Checks that a processed row can be shown and scored.

    Raises:
        ValueError: naming the field and what was expected.
    """
    for field, value in row.items():
        if isinstance(value, str) and not value.strip():
            raise ValueError(f"field {field!r} is empty; expected text")
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
    processor = process(splits)
    for number, published in enumerate(splits[TEST_SPLIT]):
        try:
            row = processor(published)
            check_row(row)
            row = with_lettered_options(row)
        except KeyError as error:
            yield DataError(f"{file}, row {number}: no column {error}; it has {', '.join(published)}")
        except (ValueError, TypeError, AttributeError) as error:
            yield DataError(f"{file}, row {number}: {error}")
        else:
            yield row


@functools.cache
def _load_rows(source: str, files: tuple[tuple[str, str], ...], process: RowProcessor) -> LoadedRows:
    splits = load_splits(source, dict(files))
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
        revision=_revision(splits[TEST_SPLIT]),
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
    return _load_rows(source, tuple(files.items()), process)


def _revision(split: datasets.Dataset) -> str:
    """The commit in the addresses that `datasets` keeps (hf://datasets/OWNER/NAME@COMMIT/FILE)."""
    for address in split.info.download_checksums or {}:
        if match := re.search(r"@([0-9a-f]{40})/", address):
            return match[1]
    return "local folder"
