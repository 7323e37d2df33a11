"""Loads published rows and turns them into checked, processed rows. Messages say which file, row and field is at fault."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import datasets

from . import __version__
from .columns import LETTERS, ColumnRows, position_of_label, written_labels
from .digests import difference_from_tested, digest_of_rows
from .facts import EXEMPLAR_SPLIT, ORDER, PUBLISHED_POSITION, changed_since_made, facts
from .hub_files import DataError
from .order_of_options import in_two_orders
from .published.row_checks import check_published, check_row
from .row_language import other_language
from .row_order import fair_order
from .sources import TEST_SPLIT, Source


Row = dict[str, Any]
# A function named `process_row` turns a published row into one or several processed rows. Any other function gets the published
# splits by name and returns such a function.
RowProcessor = Callable[[Any], Any]

LATIN_LETTERS = "ABCDE"
_SHOWN = 3  # ids of missing rows

_OTHER_NUMBER = "%s has %s rows; the catalogue has %s%s Scores on it stand for these rows only."
_OTHER_SUBSET = (
    "%s: the rows of this subset are not those that it was chosen from (sha256 %.12s…, expected %.12s…). Compare scores on it "
    "only with runs on the same rows."
)

logger = logging.getLogger("lm_eval_sea")


class LoadedRows(NamedTuple):
    """Processed rows and where they come from."""

    rows: list[Row]  # in the order of evaluation, see `row_order.py`
    exemplars: list[Row]  # the processed rows of the split `examples`, if there is one
    revision: str  # commit of the hub repository, or "local folder"
    sha256: str  # of the processed rows and exemplars; equal digests mean equal rows
    published: int  # number of published rows; one may become several rows, or none
    positions: tuple[int, ...] = ()  # the place of each row in the published order


def function_of_row(process: RowProcessor, splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], Row | list[Row]]:
    """The function that turns a published row into one or several processed rows."""
    made: Callable[[Row], Row | list[Row]] = process if getattr(process, "__name__", "") == "process_row" else process(splits)
    return made


@dataclass(frozen=True)
class CheckedRows:
    """A row processor that refuses rows without a needed field, or with a `label` that is not in a known set.

    It adds the label's position as `gold`. If the labels are letters of another script, rows may have Latin letters instead.
    """

    process: RowProcessor
    fields: tuple[str, ...]
    scored_fields: tuple[str, ...]  # needed for scores, not for exemplars
    labels: tuple[str, ...]  # none if the label is a text

    def __call__(self, splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], list[Row]]:
        """The function that turns a published row into processed rows."""
        of_row = function_of_row(self.process, splits)

        def process_row(published: Row) -> list[Row]:
            return [self._checked(row) for row in _listed(of_row(published))]

        return process_row

    def _checked(self, row: Row) -> Row:
        for field in self.fields + self.scored_fields:
            if row.get(field) is None:
                raise ValueError(f"field {field!r} is missing; expected text")
        return self._with_gold(row) if self.labels else row

    def _with_gold(self, row: Row) -> Row:
        label = row["label"]
        if label not in self.labels and all(len(own) == 1 for own in self.labels):
            label = dict(zip(LATIN_LETTERS, self.labels, strict=False)).get(label, label)
        if label not in self.labels:
            raise ValueError(f"field 'label' is {label!r}; expected one of {', '.join(self.labels)}")
        return {"gold": self.labels.index(label)} | row | {"label": label}


def _listed(made: Row | list[Row]) -> list[Row]:
    return made if isinstance(made, list) else [made]


def row_processor(process: RowProcessor | None, known: Mapping[str, Any]) -> RowProcessor:
    """The row processor of a task, with the checks and labels that its facts name.

    `process` is the function of `utils.py`. Without one, the `columns` of `data_set.yml` say what a processed row has.
    """
    process = process or _of_columns(json.dumps(known["columns"]), known.get("letters", LETTERS))
    labels = known.get("labels", [])
    if "fields" in known:
        scored = ("phenomenon",) if "phenomena" in known else ()
        return CheckedRows(process, tuple(known["fields"]), scored, tuple(labels))
    return _labelled(process, json.dumps(labels), known.get("labels_in", "")) if labels else process


@functools.cache
def _of_columns(described: str, letters: str) -> RowProcessor:
    """A processor by `columns`. It is the same object for equal columns and letters, so that tasks share their rows."""
    return ColumnRows(json.loads(described), letters)


@functools.cache
def _labelled(process: RowProcessor, labels: str, labels_in: str) -> RowProcessor:
    """A processor that replaces `label` by `gold`, its position. It is the same object for equal labels.

    `labels_in` is the file that has the labels, if some copies of the rows have the same label in every row; else empty.
    """
    written = written_labels(json.loads(labels))

    def with_gold(row: Row) -> Row:
        if "label" not in row:
            return row
        others = {field: value for field, value in row.items() if field != "label"}
        return others | {"gold": position_of_label(row["label"], written)}

    def process_rows(splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], list[Row]]:
        if labels_in and len({str(row.get("label")) for row in splits[TEST_SPLIT]}) == 1:
            raise ValueError(f"field 'label' is the same in every row, as if it were masked; {labels_in} has the labels")
        of_row = function_of_row(process, splits)
        return lambda published: [with_gold(row) for row in _listed(of_row(published))]

    return process_rows


def with_lettered_options(row: Row) -> Row:
    """A row of multiple choice with the options as lines of a list, "A. …", in addition to the bare options."""
    if "options" not in row:
        return row
    lettered = [f"{letter}. {option}" for letter, option in zip(row["letters"], row["options"], strict=True)]
    return row | {"lettered_options": lettered}


def iterate_rows(
    splits: Mapping[str, Sequence[Row]], process: RowProcessor, file: str, split: str = TEST_SPLIT
) -> Iterator[Row | DataError]:
    """Processes and checks one row after the other. Yields the processed row, or the fault because of which it has no score."""
    if split == EXEMPLAR_SPLIT and isinstance(process, CheckedRows):
        process = replace(process, scored_fields=())
    try:
        processor = function_of_row(process, splits)
    except KeyError as error:
        yield DataError(f"{file}: a file that its rows are joined with has no column {error}", file)
        return
    except ValueError as error:
        yield DataError(f"{file}: its rows, or those that they are joined with, are at fault: {error}", file)
        return
    for number, published in enumerate(splits[split]):
        place = f"{file}, row {number}"
        try:
            check_published(published)
            rows = [_checked(row, number, split) for row in _listed(processor(published))]
        except KeyError as error:
            yield DataError(f"{place}: no column {error}; it has {', '.join(published)}", place)
        except ValueError as error:
            yield DataError(f"{place}: {error}", place)
        except (TypeError, AttributeError) as error:
            # `datasets` writes None if a row lacks a column that others have
            empty = [column for column, value in published.items() if value is None]
            hint = f"; nothing in column {', '.join(empty)}" if empty else ""
            yield DataError(f"{place}: {error}{hint}", place)
        else:
            yield from rows


def _checked(row: Row, number: int, split: str) -> Row:
    row = {"id": str(number)} | row
    row = {"cluster": row["id"]} | row  # a row that shares nothing with others is its own cluster
    check_row(row, is_exemplar=split == EXEMPLAR_SPLIT)
    return with_lettered_options(row)


def _sound_rows(splits: Mapping[str, Sequence[Row]], process: RowProcessor, file: str, split: str) -> list[Row]:
    rows = []
    for row in iterate_rows(splits, process, file, split):
        if isinstance(row, DataError):
            raise row
        rows.append(row)
    if not rows:
        raise DataError(f"{file} has no rows; expected at least one", file)
    if split == TEST_SPLIT:
        refuse_repeated_ids(rows, file)
    return rows


def refuse_repeated_ids(rows: Iterable[Mapping[str, Any]], file: str) -> None:
    """Raises `DataError` for a file of which a part was written twice. Row processors do not keep published ids that repeat."""
    numbers: dict[str, int] = {}
    for number, row in enumerate(rows):
        first, place = numbers.setdefault(row["id"], number), f"{file}, row {number}"
        if first != number:
            raise DataError(f"{place}: the id {row['id']!r} is that of row {first}, too; does the file repeat a part?", place)


class _Place(NamedTuple):
    """Everything that rows depend on. As the key of a cache, it keeps rows from being reused after a user has changed them."""

    source: Source
    process: RowProcessor
    folder: Path  # the current one; the source may be a folder below it
    state: tuple[Any, ...]  # of the files there


@functools.cache
def _processed(place: _Place) -> LoadedRows:
    source, process = place.source, place.process
    splits, revision = source.load()
    file = source.describe()
    rows = _sound_rows(splits, process, file, TEST_SPLIT)
    exemplars = []
    if EXEMPLAR_SPLIT in splits:
        exemplars = _sound_rows(splits, process, f"{file}, exemplars", EXEMPLAR_SPLIT)
    if isinstance(process, ColumnRows) and (doubt := process.doubt(splits[TEST_SPLIT])):
        logger.warning("%s: %s", file, doubt)
    digest = digest_of_rows(rows, exemplars)  # in the published order, not that of evaluation
    order = fair_order(rows)
    ordered = [rows[position] for position in order]
    return LoadedRows(ordered, exemplars, revision, digest, len(splits[TEST_SPLIT]), tuple(order))


def _as_splits(loaded: LoadedRows) -> dict[str, datasets.Dataset]:
    """The splits `test` and `examples` in the form that lm-eval takes."""
    return {
        split: datasets.Dataset.from_list(rows) for split, rows in ((TEST_SPLIT, loaded.rows), (EXEMPLAR_SPLIT, loaded.exemplars))
    }


@functools.cache
def _splits(place: _Place) -> dict[str, datasets.Dataset]:
    """`_as_splits` of all rows. Many tasks share them."""
    return _as_splits(_processed(place))


def rows_of_subset(rows: Sequence[Row], subset: Mapping[str, Any], file: str) -> list[Row]:
    """The rows that a subset names, in their own order. Its `ids` are a text with spaces between them.

    Raises `DataError` if a row is missing, because a score on the others would pass for that of the subset.
    """
    wanted = dict.fromkeys(str(subset["ids"]).split())
    found = [row for row in rows if row["id"] in wanted]
    if missing := sorted(wanted.keys() - {row["id"] for row in found}):
        some = ", ".join(missing[:_SHOWN]) + (", …" if len(missing) > _SHOWN else "")
        raise DataError(
            f"{file} lacks {len(missing)} of the {len(wanted)} rows of this subset (id {some}); it has {len(rows):,} rows. "
            "Run the task without `_lite`, or get the whole file."
        )
    return found


def part_of(loaded: LoadedRows, subset: Mapping[str, Any], file: str) -> LoadedRows:
    """The rows that a subset names, and their digest; a DataError if a row is missing."""
    rows = rows_of_subset(loaded.rows, subset, file)
    by_id = sorted(rows, key=lambda row: row["id"])  # so that more rows in the file make no difference
    return loaded._replace(rows=rows, sha256=digest_of_rows(by_id, loaded.exemplars), positions=())


def _rows_in_two_orders(loaded: LoadedRows, file: str) -> LoadedRows:
    rows = [made for row in loaded.rows if (made := in_two_orders(row)) is not None]
    if not rows:
        raise DataError(f"{file}: no row has two wrong options before the last that could change places")
    digest = digest_of_rows(sorted(rows, key=lambda row: row["id"]), [])
    return loaded._replace(rows=rows, exemplars=[], sha256=digest, positions=())


def processed_rows(source: Source, process: RowProcessor) -> LoadedRows:
    """Loads, processes and checks all rows of a source. This is done once per process for all tasks, unless the rows change.

    Raises `DataError` if the data cannot be loaded or a row cannot be scored.
    """
    return _processed(_place(source, process))


def _place(source: Source, process: RowProcessor) -> _Place:
    return _Place(source, process, Path.cwd(), source.local_state())


def load_rows(*, provenance: dict[str, Any], process: RowProcessor | None = None, **metadata: Any) -> dict[str, datasets.Dataset]:
    """The rows of a task. Its key `custom_dataset` names this function; lm-eval passes the task's metadata and `dataset_kwargs`.

    Args:
        process: see `row_processor`.
        provenance: a mapping in the metadata. It is filled with what the results should say about the task: the facts from
            `data_set.yml`, `data_revision`, `data_sha256`, `rows_published`, `clusters` and `pack_version`. lm-eval has no other
            way from the loader to the results.
        metadata: the rest of the metadata, see `facts`.

    Returns the splits `test` and `examples`; the latter is empty if the data set publishes no exemplars. Raises `DataError` if
    the data cannot be loaded, a row cannot be scored, or the files of a user's own data set have changed since the task was made.
    """
    if fault := changed_since_made(metadata):
        raise DataError(fault, fault)
    known = facts(metadata)
    source = Source.from_metadata(**known)
    place = _place(source, row_processor(process, known))
    loaded = _processed(place)
    if subset := known.get("subset"):
        loaded = part_of(loaded, subset, source.describe())
        if subset.get("sha256") not in (None, loaded.sha256):
            _warn_once(_OTHER_SUBSET, source.describe(), loaded.sha256, subset["sha256"])
        splits = _as_splits(loaded)
    else:
        expected = known.get("rows")
        if expected not in (None, len(loaded.rows)):
            repeated = _repeated(loaded.rows) if len(loaded.rows) > expected else 0
            twice = f"; {repeated:,} of them repeat others: does the file repeat a part?" if repeated else "."
            _warn_once(_OTHER_NUMBER, source.describe(), f"{len(loaded.rows):,}", f"{expected:,}", twice)
        elif expected is not None:
            _compare_with_tested(place, json.dumps(known.get("tested", {})))
        if known.get("setting") == ORDER:
            loaded = _rows_in_two_orders(loaded, source.describe())
            known |= {"rows": len(loaded.rows)}
        splits = _as_splits(loaded) if known.get("setting") == ORDER else dict(_splits(place))
        if "sea_helm_task" in known:  # SEA-HELM's totals and MetricX depend on it
            splits[TEST_SPLIT] = splits[TEST_SPLIT].add_column(PUBLISHED_POSITION, list(loaded.positions))
    if fault := another_language(source.describe(), known, functools.partial(_other_language, place)):
        raise DataError(fault, source.describe())
    provenance |= {key: value for key, value in known.items() if key not in metadata} | {
        "data_revision": loaded.revision,
        "data_sha256": loaded.sha256,
        "rows_published": loaded.published,
        "clusters": len(set(splits[TEST_SPLIT]["cluster"])),
        "pack_version": __version__,
    }
    return splits


def another_language(file: str, known: Mapping[str, Any], find: Callable[[str], str | None]) -> str:
    """What is wrong if a file has the complete rows of another language, which `find` tells, under the right name; else empty."""
    language = known.get("language")
    of_two = known.get("setting") or "translation" in str(known.get("sea_helm_task"))
    found = find(language) if isinstance(language, str) and not of_two else None
    return f"{file}: most rows are not in {language} but in {found}; is it the file of another language?" if found else ""


@functools.cache
def _other_language(place: _Place, language: str) -> str | None:
    return other_language(_processed(place).rows, language)


def _repeated(rows: Sequence[Row]) -> int:
    """How many rows are equal to an earlier row except for the id, which may be the number of the row."""
    contents = (json.dumps({key: row[key] for key in row.keys() - {"id", "cluster"}}, sort_keys=True) for row in rows)
    return len(rows) - len(set(contents))


@functools.cache
def _warn_once(message: str, *about: str) -> None:
    """Warns about a file only once, even if many tasks have its rows."""
    logger.warning(message, *about)


@functools.cache
def _compare_with_tested(place: _Place, tested: str) -> None:
    """Warns, once per file, about rows other than those that the pack was tested with, and says which part is the same."""
    loaded = _processed(place)
    if said := difference_from_tested(in_published_order(loaded), loaded.sha256, json.loads(tested)):
        logger.warning("%s is not the file that the pack was tested with: %s", place.source.describe(), said)


def in_published_order(loaded: LoadedRows) -> list[Row]:
    """The rows as the file has them."""
    return [row for _, row in sorted(zip(loaded.positions, loaded.rows, strict=True), key=lambda pair: pair[0])]


def load_rows_with_scoring(*, scoring: Sequence[str], **arguments: Any) -> dict[str, datasets.Dataset]:
    """`load_rows`, with the facts of the task that `process_results` needs in each row: lm-eval passes it only the row.

    `scoring` names these facts. Every row gets them as a mapping called `scoring`.
    """
    splits = load_rows(**arguments)
    known = facts(arguments)
    needed = {name: known[name] for name in scoring if name in known}
    return {split: rows.add_column("scoring", [needed] * len(rows)) if rows else rows for split, rows in splits.items()}
