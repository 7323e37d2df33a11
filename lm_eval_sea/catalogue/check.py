"""Checks the data files of tasks before a long job: whether all rows are there, can be scored, and are no exemplars."""

from __future__ import annotations

import functools
import re
import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from lm_eval_sea.catalogue.task_list import TaskRecord
from lm_eval_sea.tasks._shared.columns import ColumnRows
from lm_eval_sea.tasks._shared.digests import difference_from_tested, digest_of_rows
from lm_eval_sea.tasks._shared.facts import EXEMPLAR_SPLIT
from lm_eval_sea.tasks._shared.hub_files import DataError, first_line
from lm_eval_sea.tasks._shared.metrics.words import segment
from lm_eval_sea.tasks._shared.row_language import other_language
from lm_eval_sea.tasks._shared.rows import Row, another_language, iterate_rows, refuse_repeated_ids, rows_of_subset
from lm_eval_sea.tasks._shared.sources import TEST_SPLIT
from lm_eval_sea.tasks._shared.unicode_text import normal_form

FAULTS_SHOWN = 10
ROWS_SHOWN = 10
ROUNDED = 0.005  # largest difference between a stated chance and that of the rows
DISTINCTIVE = 25  # characters; two texts of this length are hardly equal by coincidence
MOST_SHARING = 20  # rows for each passage, on average; a text that more rows share is a form of question
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")  # as Indonesian and Vietnamese write them, if the point is no decimal one
_MISREAD = re.compile("\ufffd|(?<![\u1000-\u109f\uaa60-\uaa7f\u200b-\u200d])\u1031")
NOT_SHOWN = ("id", "cluster", "phenomenon", "subject")  # fields of a processed row that are not compared


@dataclass
class Report:
    """What was found in a data file."""

    file: str  # SOURCE/PATH
    process: str  # name of the function that processed the rows, other files that it needs; the language of generated texts
    expected: int | None  # rows; None if that is not known
    found: int | None = None  # rows; None if the file could not be loaded
    columns: list[str] = field(default_factory=list)
    odd: dict[str, list[int]] = field(default_factory=dict)  # what a person should look at → numbers of the rows, from 0
    golds: Counter[int | str] = field(default_factory=Counter)  # position of the right answer, or label → rows
    references: list[int] = field(default_factory=list)  # characters of each reference of a generated text
    tested: str = ""  # whether the rows are those that the pack was tested with
    notes: list[str] = field(default_factory=list)  # unexpected things that do not prevent scoring
    faults: list[str] = field(default_factory=list)


def distinct_data(tasks: Collection[TaskRecord]) -> list[TaskRecord]:
    """The first task of each combination of source, files, processing, exemplars, labels and language of the answers.

    The others show the same rows, or a part of them.
    """

    def key(task: TaskRecord) -> str:
        metadata = [task.metadata.get(name) for name in ("answer_language", "labels")]
        return repr((task.source, task.process, task.exemplars, metadata))

    return list({key(task): task for task in reversed(list(tasks))}.values())[::-1]


def without_absent_folders(tasks: Sequence[TaskRecord]) -> tuple[list[TaskRecord], list[str]]:
    """The tasks whose rows can be looked for, and the folders made by users that are not in the current folder.

    A user may do without such a folder and its tasks. But a file that is missing inside one is a fault.
    """
    absent = {task.source.checkout or task.source.repository for task in tasks if not task.source.is_at_hand}
    return [task for task in tasks if task.source.is_at_hand], sorted(absent)


def token_counter(name: str) -> Callable[[str], int]:
    """A function that counts a text's tokens without special ones; raises `DataError` if that tokenizer cannot be loaded."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"tokenizer {name!r} cannot be loaded ({first_line(error)})") from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))


def check_data(task: TaskRecord, count_tokens: Callable[[str], int] | None = None) -> Report:
    """Loads and processes the rows of a task and collects all that is wrong with them.

    Without a model's `count_tokens`, references are counted in words; a text seldom has more words than tokens.
    """
    subset = task.metadata.get("subset", {})
    report = Report(task.source.describe(), task.process.rpartition(".")[2] or "columns", subset.get("of", task.metadata["rows"]))
    if others := [other for split, other in task.source.files if split != TEST_SPLIT]:
        report.process += f", with {', '.join(others)}"
    if "answer_language" in task.metadata:
        report.process += f", answers in {task.metadata['answer_language']}"
    try:
        splits, _ = task.source.load()
    except DataError as error:
        report.faults.append(str(error))
        return report
    report.columns = list(splits[TEST_SPLIT][0])
    process = task.processor
    made = iterate_rows(splits, process, f"{report.file}, exemplars", EXEMPLAR_SPLIT) if EXEMPLAR_SPLIT in splits else ()
    published_exemplars = [row for _, row in _without_faults(made, report)[0]]
    numbered, total = _without_faults(iterate_rows(splits, process, report.file), report)
    scored = [row for _, row in numbered]
    # A published row may give several rows, or none; if one is faulty, the number is unknown.
    is_sound = len(scored) == total
    report.found = total if is_sound else max(total, len(splits[TEST_SPLIT]))
    report.golds = Counter(row["label"] if "label" in row else row["gold"] for row in scored if "gold" in row)
    _measure_references(task, report, numbered, count_tokens)
    ranked = [(number, row["options"], row["gold"]) for number, row in numbered if "options" in row]
    report.odd["texts in another encoding (U+FFFD, only ?, or Zawgyi)"] = [
        number for number, row in numbered if any(map(_is_misread, _texts(row, "options", "answers")))
    ]
    report.odd["solutions such as 1.250, which is less than two"] = [
        number for number, row in numbered if _THOUSANDS.fullmatch(str(row.get("solution", "")))
    ]
    report.odd["ties (identical options, of which the first counts)"] = [
        number for number, options, _ in ranked if len(set(options)) < len(options)
    ]
    report.odd["the right option repeats an earlier one, so that a ranking of texts counts as wrong"] = [
        number for number, options, gold in ranked if options[gold] in options[:gold]
    ]
    unexpected = report.notes if task.may_change else report.faults
    _look_for_repetitions(task, report, numbered, published_exemplars, unexpected)
    if task.source.named_in:
        report.notes += [f"{report.file}: {said}" for said in _shared_texts(scored)]
    if isinstance(process, ColumnRows) and (doubt := process.doubt(splits[TEST_SPLIT])):
        report.notes.append(f"{report.file}: {doubt}")
    if fault := another_language(report.file, task.metadata, functools.partial(other_language, scored)):
        report.faults.append(fault)
    try:
        refuse_repeated_ids(scored, report.file)
    except DataError as error:
        report.faults.append(str(error))
    _compare_counts(task, report, scored, is_sound, unexpected)
    if (tested := task.metadata.get("tested")) and is_sound and not subset and report.found == report.expected:
        differs = difference_from_tested(scored, digest_of_rows(scored, published_exemplars), tested)
        report.tested = (
            f"not the rows that the pack was tested with: {differs}" if differs else "the rows that the pack was tested with"
        )
    if subset:
        try:
            rows_of_subset(scored, subset, report.file)
        except DataError as error:
            report.faults.append(str(error))
    return report


def _measure_references(
    task: TaskRecord, report: Report, numbered: Sequence[tuple[int, Row]], count_tokens: Callable[[str], int] | None
) -> None:
    limit = f"{task.max_new_tokens} {'tokens' if count_tokens else 'words'}"
    count = count_tokens or (lambda text: len(segment(text, task.metadata["answer_language"])))
    references = [(number, text) for number, row in numbered for text in _references(task, row)]
    report.references = [len(text) for _, text in references]
    most = task.max_new_tokens
    too_long = dict.fromkeys(number for number, text in references if most is not None and count(text) > most)
    report.odd[f"references longer than an answer may be, {limit}"] = [*too_long]


def _look_for_repetitions(
    task: TaskRecord, report: Report, numbered: Sequence[tuple[int, Row]], published: Sequence[Row], unexpected: list[str]
) -> None:
    """Reports answers not in their passage, repeated rows, and exemplars in rows; as `unexpected` if they come with the rows."""
    exemplars = [*task.exemplars, *published]
    origin, repeating = ("prompt file", report.faults) if task.exemplars else ("data set", unexpected)
    repeated = report.odd.setdefault("repeated rows", [])
    seen: set[frozenset[str]] = set()
    for number, row in numbered:
        report.faults += [
            f"{report.file}, row {number}: field 'answers' has {answer!r}, which is not in the passage"
            for answer in row.get("answers", ())
            if answer not in row.get("passage", answer)
        ]
        shown = frozenset(_texts(row, "options"))
        if shown in seen:
            repeated.append(number)
        seen.add(shown)
        repeating.extend(
            f"{report.file}, row {number}: exemplar {position} of the {origin} occurs here: {text!r}"
            for position, text in occurring_exemplars(exemplars, row)
        )


def _is_misread(text: str) -> bool:
    """Whether a text has characters that were not saved, or Burmese in Zawgyi, where the vowel e begins words.

    Excel writes ? for letters that a Western encoding lacks.
    """
    return bool(_MISREAD.search(text)) or ("??" in text and not any(map(str.isalpha, text)))


def _shared_texts(rows: Sequence[Row]) -> Iterator[str]:
    """A note for each field with passages, which half of the rows share with others, if no row names a cluster."""
    if any(row["cluster"] != row["id"] for row in rows):
        return
    for name in rows[0] if rows else ():
        texts = [row[name] for row in rows if isinstance(row.get(name), str) and name not in NOT_SHOWN]
        times = Counter(text for text in texts if len(text) >= DISTINCTIVE)
        shared = sum(count for count in times.values() if count > 1)
        # a question that comes again with other options is no passage
        if 2 * shared >= len(rows) and len(times) > 1 and len(times) * MOST_SHARING >= len(rows):
            yield (
                f"{shared} rows share their {name!r} with others; say which belong together, with a column for `cluster`, "
                "or intervals are too narrow"
            )


def _compare_counts(task: TaskRecord, report: Report, scored: Sequence[Row], is_sound: bool, unexpected: list[str]) -> None:
    """Compares numbers of rows, labels and the level of chance with what the task says; `unexpected` gets what differs."""
    if report.expected not in (report.found, None):
        unexpected.insert(0, f"{report.file}: {report.found:,} rows; expected {report.expected:,}")
    missing = [label for position, label in enumerate(task.labels) if not (report.golds[label] or report.golds[position])]
    unexpected.extend(
        f"{report.file}: no row has the label {label!r}; expected all {len(task.labels)} labels" for label in missing
    )
    choices = [len(row.get("options", task.labels)) for row in scored if "gold" in row]
    if choices and is_sound and task.source.named_in:  # those of the pack's own rows are tested
        guessed, stated = statistics.fmean(1 / count for count in choices), task.metadata["chance"]
        if abs(guessed - stated) > ROUNDED:
            unexpected.append(f"{report.file}: 'chance' is {stated:g}; a guess is right in {guessed:.4f} of these rows")


def _without_faults(rows: Iterable[Row | DataError], report: Report) -> tuple[list[tuple[int, Row]], int]:
    """The rows without faults, with their numbers, and the number of all rows; the report gets the faults of the others."""
    rows = list(rows)
    report.faults += [str(row) for row in rows if isinstance(row, DataError)]
    return [(number, row) for number, row in enumerate(rows) if not isinstance(row, DataError)], len(rows)


def _references(task: TaskRecord, row: Mapping[str, Any]) -> list[str]:
    """The texts that a generated answer is compared with; none where answers are chosen."""
    if "answer_language" not in task.metadata:
        return []
    references = row["answers"] if "answers" in row else row[task.config["doc_to_target"]]
    return references if isinstance(references, list) else [references]


def occurring_exemplars(exemplars: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """The exemplars that a row repeats: position from 1, and a text that both have.

    A row repeats an exemplar if it contains a long text of the exemplar (options aside), or all texts of the exemplar, whatever
    their length. A short question ("Which word is spelt correctly?") or an option alone does not count.
    """
    texts = _texts(row, "options")
    for position, exemplar in enumerate(exemplars, start=1):
        shared = {text for text in _texts(exemplar) if len(text) >= DISTINCTIVE and any(text in other for other in texts)}
        everything = _texts(exemplar, "options")
        if shared or everything <= texts:
            yield position, max(shared or everything, key=len)


def _texts(row: Mapping[str, Any], *lists: str) -> set[str]:
    """The texts of a row, with those in the named lists, in the form in which they are compared."""
    texts = [value for key, value in row.items() if isinstance(value, str) and key not in NOT_SHOWN]
    return {_plain(text) for text in chain(texts, *(row.get(name, ()) for name in lists))}


@functools.lru_cache(maxsize=2**14)  # every row is compared with the same exemplars
def _plain(text: str) -> str:
    """The text in NFC, without differences in case and white space."""
    return " ".join(normal_form("NFC", text).casefold().split())


def render(report: Report) -> str:
    """The report as lines of text."""
    expected = "" if report.expected is None else f" of {report.expected:,}"
    found = "not loaded" if report.found is None else f"{report.found:,}{expected} rows"
    lines = [f"{'FAULT' if report.faults else 'ok':5}  {report.file}  {found}  ({report.process})"]
    if report.tested:
        lines.append(report.tested)
    if report.columns:
        lines.append(f"columns: {', '.join(report.columns)}")
    if report.golds:
        counts = ", ".join(f"{gold}: {report.golds[gold]:,}" for gold in sorted(report.golds))
        by = "label" if isinstance(next(iter(report.golds)), str) else "position"
        lines.append(f"right answers by {by}: {counts}")
    if report.references:
        shortest, median, longest = min(report.references), statistics.median(report.references), max(report.references)
        lines.append(f"references: {len(report.references):,}, of {shortest} to {longest} characters, median {median:g}")
    return "\n       ".join([*lines, *remarks(report)])


def remarks(report: Report) -> Iterator[str]:
    """What a person should look at, as lines of text; of many only the first."""
    for what, numbers in report.odd.items():
        if numbers:
            rows = [str(number) for number in numbers[:ROWS_SHOWN]] + ["…"] * (len(numbers) > ROWS_SHOWN)
            yield f"{what}: {len(numbers)}, in row {', '.join(rows)}"
    for name, texts in (("notes", report.notes), ("faults", report.faults)):
        yield from texts[:FAULTS_SHOWN]
        if len(texts) > FAULTS_SHOWN:
            yield f"… and {len(texts) - FAULTS_SHOWN:,} more {name}"
