"""Published rows in, processed rows out: loading, checking, and messages that say which file, row and field is at fault."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import datasets

from .configurations import LOCAL_FOLDER, Configuration
from .hub_files import DataError, download_all, one_line

Row = dict[str, Any]
# Gets the published splits by name and returns the function from a published row to a processed row, or to several.
RowProcessor = Callable[[Mapping[str, Sequence[Row]]], Callable[[Row], Row | list[Row]]]

TEST_SPLIT = "test"
EXEMPLAR_SPLIT = "examples"
LATIN_LETTERS = "ABCDE"


class LoadedRows(NamedTuple):
    """Processed rows and where they come from."""

    rows: datasets.Dataset
    exemplars: list[Row]  # the processed rows of the split `examples`, if there is one
    revision: str  # commit of the hub repository, or "local folder"
    sha256: str  # over the processed rows and exemplars; equal digests mean equal rows


class CheckedRows(NamedTuple):
    """A row processor that refuses rows without a needed field, or with a `label` out of a known set.

    It adds the label's position as `gold`. Where the labels are letters of another script than A, B, C, …, the Latin ones stand
    for them.
    """

    process: RowProcessor
    fields: tuple[str, ...]
    scored_fields: tuple[str, ...]  # needed for scores, not for exemplars
    labels: tuple[str, ...]  # none where the label is a text

    def __call__(self, splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], Row]:
        """The function from a published row to a processed row."""
        of_row = self.process(splits)

        def process_row(published: Row) -> Row:
            row = of_row(published)
            for field in self.fields + self.scored_fields:
                if row.get(field) is None:
                    raise ValueError(f"field {field!r} is missing; expected text")
            return self._with_gold(row) if self.labels else row

        return process_row

    def _with_gold(self, row: Row) -> Row:
        label = row["label"]
        if label not in self.labels and all(len(own) == 1 for own in self.labels):
            label = dict(zip(LATIN_LETTERS, self.labels, strict=False)).get(label, label)
        if label not in self.labels:
            raise ValueError(f"field 'label' is {label!r}; expected one of {', '.join(self.labels)}")
        return {"gold": self.labels.index(label)} | row | {"label": label}


def row_processor(process: RowProcessor, metadata: Mapping[str, Any]) -> RowProcessor:
    """What processes the rows of a task, with checks if its metadata says which fields are needed and which labels there are."""
    if "fields" not in metadata:
        return process
    scored = ("phenomenon",) if "phenomena" in metadata else ()
    return CheckedRows(process, tuple(metadata["fields"]), scored, tuple(metadata.get("labels", ())))


def file_name(source: str, files: Mapping[str, str] | Configuration) -> str:
    """What the scored rows are called in messages."""
    return files.describe(source) if isinstance(files, Configuration) else f"{source}/{files[TEST_SPLIT]}"


def is_made_by_user(source: str) -> bool:
    """Whether a source is no repository of the hub, but a folder that the user makes: its name has no owner."""
    return "/" not in source


def _locate(source: str, files: Mapping[str, str] | Configuration) -> tuple[Path, dict[str, list[str]], str]:
    """The folder that holds the files, the paths of each split, and the commit that they are of.

    `datasets` could download by itself, but what it has downloaded with `data_files` it does not find again offline.
    """
    if isinstance(files, Configuration):
        found = files.find(source)
        folder = found.fetch()
        return folder, found.paths, LOCAL_FOLDER if found.folder else folder.name
    paths = {split: [path] for split, path in files.items()}
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
        return folder, paths, LOCAL_FOLDER
    folder = download_all(source, files.values())
    return folder, paths, folder.name


def load_splits(source: str, files: Mapping[str, str] | Configuration) -> tuple[datasets.DatasetDict, str]:
    """Loads the published rows of a folder SOURCE under the current directory or, if there is none, of the hub repository.

    Args:
        source: hub repository, such as "sail/Sailcompass_data".
        files: split name → path inside the repository, or the configuration that finds the paths.

    Returns:
        The splits, and the commit of the repository or "local folder".

    Raises:
        DataError: if a file is missing, cannot be reached or cannot be read.
    """
    folder, paths, revision = _locate(source, files)
    # One by one, for `datasets` would make all splits of a call fit the columns of the first.
    splits = {split: _read(folder, of_split, source) for split, of_split in paths.items()}
    return datasets.DatasetDict(splits), revision


def _read(folder: Path, paths: list[str], source: str) -> datasets.Dataset:
    for path in paths:
        if not (folder / path).stat().st_size:
            raise DataError(f"{source}/{path} has no rows; expected at least one")
    try:
        return datasets.load_dataset(str(folder), data_files=paths, split="train")
    # Readers of several formats raise what they like, and `datasets` wraps it.
    except Exception as error:
        raise DataError(f"cannot read {', '.join(paths)} of {source}: {one_line(error.__cause__ or error)}") from error


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


def iterate_rows(
    splits: Mapping[str, Sequence[Row]], process: RowProcessor, file: str, split: str = TEST_SPLIT
) -> Iterator[Row | DataError]:
    """Processes and checks row by row: yields the processed row, or the fault that keeps it from being scored."""
    if split == EXEMPLAR_SPLIT and isinstance(process, CheckedRows):
        process = process._replace(scored_fields=())
    try:
        processor = process(splits)
    except KeyError as error:
        yield DataError(f"{file}: a file that its rows are completed from has no column {error}")
        return
    except ValueError as error:
        yield DataError(f"{file}: a file that its rows are completed from is at fault: {error}")
        return
    for number, published in enumerate(splits[split]):
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


def _sound_rows(splits: Mapping[str, Sequence[Row]], process: RowProcessor, file: str, split: str) -> list[Row]:
    rows = []
    for row in iterate_rows(splits, process, file, split):
        if isinstance(row, DataError):
            raise row
        rows.append(row)
    if not rows:
        raise DataError(f"{file} has no rows; expected at least one")
    return rows


@functools.cache
def _load_rows(
    source: str, files: tuple[tuple[str, str], ...] | Configuration, process: RowProcessor, folder: Path
) -> LoadedRows:
    files = files if isinstance(files, Configuration) else dict(files)
    splits, revision = load_splits(source, files)
    file = file_name(source, files)
    rows = _sound_rows(splits, process, file, TEST_SPLIT)
    exemplars = []
    if EXEMPLAR_SPLIT in splits:
        exemplars = _sound_rows(splits, process, f"{file}, exemplars", EXEMPLAR_SPLIT)
    text = json.dumps([rows, exemplars] if exemplars else rows, ensure_ascii=False, sort_keys=True)
    return LoadedRows(
        rows=datasets.Dataset.from_list(rows),
        exemplars=exemplars,
        revision=revision,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


def load_rows(source: str, files: Mapping[str, str] | Configuration, process: RowProcessor) -> LoadedRows:
    """Loads, processes and checks all rows of a data set; once a process, however many tasks show them.

    Args:
        source: hub repository or folder.
        files: split name → path inside it, or the configuration that finds the paths; `test` is the split whose rows are scored.
        process: gets the published splits, returns the function from a published row to a processed row.

    Raises:
        DataError: if the data cannot be loaded or a row cannot be scored.
    """
    if not isinstance(files, Configuration):
        files = tuple(files.items())
    return _load_rows(source, files, process, Path.cwd())  # `source` may be a folder below it
