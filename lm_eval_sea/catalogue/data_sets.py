"""Data sets as `tasks/<data set>/data_set.yml` describes them, read and checked once."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from lm_eval_sea.catalogue import Refusal, read_yaml_of_people
from lm_eval_sea.catalogue.kinds import ADDED_FIELDS, JUDGED, KINDS, answer_fields, hidden_fields, recommended_variant
from lm_eval_sea.catalogue.names import competency_titles, meant
from lm_eval_sea.tasks._shared.columns import written_labels
from lm_eval_sea.tasks._shared.facts import (
    GENERATED,
    OF_LANGUAGES,
    PIVOTS,
    SEA_HELM,
    TASKS_FOLDER,
    is_english_prompt,
    name_of,
    whole_record,
)
from lm_eval_sea.tasks._shared.unicode_text import normal_form

FILE = "data_set.yml"
ORIGINS = ("native", "translated", "machine translated")
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)  # of a field, as a row of a prompt may show it
_WORDS_OF_TEMPLATES = ("none", "true", "false", "not", "self")  # names with another meaning in a Jinja template


class RecordError(Refusal, ValueError):
    """A faulty `data_set.yml`; the message names file and key."""


@dataclass(frozen=True)
class Language:
    """The rows of a data set in one language. What holds for all languages can be stated once in the data set."""

    language: str  # its code in names
    source: str  # repository on the hub, or folder of the user
    rows: int | None  # that are scored; None if unknown
    chance: float  # share of right answers by guessing; 0 if the answer is free
    origin: str = "native"  # of the rows, see `ORIGINS`
    licence: str | None = None  # as the publisher of the rows states it; None: none is stated
    gated: bool | None = None  # whether the hub asks for a login; None: not known
    on_hub: bool = True  # false: the user makes the folder, as the data set's README says
    # split → path in the repository, or several; `test` is scored, the row processor can use the others
    files: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    config: str = ""  # instead of `files`: the published configuration,
    splits: Mapping[str, str] = field(default_factory=dict)  # and split → published split; `examples` has published exemplars
    # another place of the rows: a `folder` of the user, the `files` in it, and the `columns` of tables without a header line
    checkout: Mapping[str, Any] | None = None
    process: str = ""  # function in utils.py that makes processed rows, see `RowProcessor` in tasks/_shared/rows.py
    process_asis: str = ""  # the same without corrections, for `…_asis`
    prompts_in: str = ""  # language of the prompts, if there are none in the language itself
    sailcompass_evaluator: str = ""  # SailCompass' name of its evaluator of generated answers
    code: str = ""  # of the language in FLORES-200; names files that are parallel in all languages

    # counts of the processed rows: by number of `options`, by value for any other field; `clusters` has only their number
    expect: Mapping[str, Any] = field(default_factory=dict)

    @property
    def prompts(self) -> str:
        """The language of the prompts."""
        return self.prompts_in or self.language


@dataclass(frozen=True)
class DataSet:
    """A data set: what its tasks have in common."""

    name: str  # of its folder
    path: Path  # of its data_set.yml
    title: str
    version: float  # of its tasks; raise it with every change to what they show or how they score
    kind: str  # of task, a key of `KINDS`
    task: str  # what it tests, a key of `competencies.yml`
    languages: Mapping[str, Language]
    fields: Sequence[str] = ()  # columns that a prompt shows, in order
    content_fields: Sequence[str] = ()  # those that calibration's content-free prompts leave out, if not all
    suite_languages: Sequence[str] = ()  # the languages of its groups, if not all
    max_new_tokens: Mapping[str, int] = field(default_factory=dict)  # language of the answer → the longest one to be generated
    main_variant: str = ""  # of multiple choice: the variant in groups over several data sets; by default SailCompass'
    letters: Mapping[str, str] = field(default_factory=dict)  # language of the prompts → labels of options other than ABCDE
    pivot: str = "en"  # the language that rows are translated from and into
    rows_as: str = ""  # the data set whose utils.py processes the rows, if they have the same layout
    same_questions: bool = False  # rows with the same id are the same question in all languages, with options in the same order
    # field of a processed row → column, or several; instead of a function that processes rows
    columns: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    # of a classification, in the order of their numbers; or label → how the rows write it, in one way or several
    labels: Sequence[str] | Mapping[str, Any] = ()
    labels_in: str = ""  # the file that has them, if they are masked (equal in all rows) in another copy
    second_turns: bool = False  # whether the user answers the model: a second task continues from the first one's samples
    judged_as: str = ""  # what `lm-eval-sea score --judge` asks about the answers, if a judge scores them
    parallel: Mapping[str, Any] | None = None  # the same rows in every language: what tasks over two languages read
    # texts that are translations of each other: their number, `rows`, and the function of utils.py that makes them, `process`;
    # if English has no rows, the function `english` makes them from the rows of `english_in`
    running_texts: Mapping[str, Any] | None = None

    @property
    def plain_variant(self) -> str:
        """The variant of a plain run; empty for a kind that has only one."""
        return self.main_variant or recommended_variant(self.kind)

    @property
    def rows_folder(self) -> str:
        """The folder whose utils.py processes the rows."""
        return self.rows_as or self.name

    def pairs(self, language: str) -> list[str]:
        """What names of tasks have for a language: its code, or for translation the directions from and to the pivot."""
        return [language] if self.kind != "translation" else [f"{self.pivot}_{language}", f"{language}_{self.pivot}"]

    def names(self, language: str, variant: str | None = None) -> list[str]:
        """Its tasks in a variant or "chat", by default those of a plain run; with prompts in the language if it has any."""
        english = is_english_prompt(self.languages[language].prompts, language)
        chosen = self.plain_variant if variant is None else variant
        return [name_of(self.name, pair, chosen, english=english) for pair in self.pairs(language)]


# The keys of a language's record and of a data set's, and those that are required.
_OF_LANGUAGE = {each.name for each in fields(Language)} - {"language"}
_OF_DATA_SET = {each.name for each in fields(DataSet)} - {"name", "path"} | set(OF_LANGUAGES)
_NEEDED_OF_LANGUAGE = ("source", "rows", "chance")
_NEEDED_OF_DATA_SET = ("title", "version", "kind", "task", "languages")
_TYPES: Mapping[str, Any] = (
    get_type_hints(Language) | get_type_hints(DataSet) | {"languages": Mapping[str, Mapping[str, Any] | None]}
)
_TYPE_NAMES: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}
_TYPE_NAMES |= {Mapping: "keys with values", Sequence: "a list"}


def read_data_set(path: Path) -> DataSet:
    """The data set of a `data_set.yml`."""
    record = read_yaml_of_people(path, RecordError)
    if fault := next(_faults(record), None):
        raise RecordError(f"{path}: {fault}")
    languages = {language: Language(language=language, **whole_record(record, language)) for language in record["languages"]}
    common = {key: value for key, value in record.items() if key not in (*OF_LANGUAGES, "languages")}
    return DataSet(name=path.parent.name, path=path, languages=languages, **common)


def _faults(record: Any) -> Iterator[str]:
    if not isinstance(record, dict):
        yield "expected keys with values"
        return
    yield from key_faults("", record, _OF_DATA_SET, _NEEDED_OF_DATA_SET)
    yield from type_faults("", record, _TYPES)
    if record["kind"] not in KINDS:
        yield f"'kind' is {record['kind']!r}; expected one of {', '.join(KINDS)}"
    if record["task"] not in competency_titles():
        yield f"'task' is {record['task']!r}; expected one of {', '.join(competency_titles())}"
    if record["kind"] == "classification":
        yield from _label_faults(record.get("labels") or ())
    if (variant := record.get("main_variant")) is not None and variant not in KINDS[record["kind"]]:
        yield f"'main_variant' is {variant!r}; expected one of {', '.join(filter(None, KINDS[record['kind']]))}"
    yield from _row_faults(record)
    for language, most in record.get("max_new_tokens", {}).items():
        if most < 1:
            yield f"'max_new_tokens: {language}' is {most}; expected 1 or more"
    known = {*record["languages"], "en", *(whole_record(record, each).get("prompts_in") for each in record["languages"])}
    for language, letters in record.get("letters", {}).items():
        if language not in known:
            yield f"'letters' has the key {language!r}, a language without prompts"
        if not letters.isalnum() or len({normal_form("NFKC", letter).casefold() for letter in letters}) < len(letters):
            yield f"'letters: {language}' is {letters!r}; expected different letters or digits, with nothing between them"
    if unknown := [language for language in record.get("suite_languages", ()) if language not in record["languages"]]:
        yield f"'suite_languages' has {unknown[0]!r}, which is not among 'languages'"
    if not record["languages"]:
        yield "'languages': expected codes of languages, each with its keys"
    for language, own in record["languages"].items():
        where = f"languages: {language}: "
        data = whole_record(record, language)
        yield from key_faults(where, own or {}, _OF_LANGUAGE, ())
        yield from type_faults(where, own or {}, _TYPES)
        yield from key_faults(where, data, set(data), _NEEDED_OF_LANGUAGE)
        yield from (where + fault for fault in _value_faults(data))
        if record["kind"] in GENERATED and data["chance"]:
            yield f"{where}'chance' is {data['chance']}; expected 0, because answers are written"


def _label_faults(labels: Sequence[str] | Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the labels of a classification: they must be distinct."""
    if len(labels) < 2:
        yield f"'labels' has {len(labels)}; a classification has two or more"
    labels_of: dict[str, str] = {}
    for label, ways in zip(labels, written_labels(labels), strict=True):
        for way in ways:
            if way in labels_of:
                yield f"'labels': {way!r} is written for {labels_of[way]!r} and for {label!r}; expected one label"
            labels_of[way] = label


def _row_faults(record: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the keys that say what a prompt shows of a row, and where the rows have it."""
    kind, named = record["kind"], record.get("fields", ())
    if not named and kind != JUDGED:
        yield "'fields' is missing; it names what a prompt shows of a row"
    # scores look for references under these names; a document under this one, to cut it to the model's context window
    if kind == "translation" and [*named] != [PIVOTS.get(record.get("pivot", "en")), "translation"]:
        pairs = " or ".join(f"[{column}, translation] with the pivot {pivot}" for pivot, column in PIVOTS.items())
        yield f"'fields' is [{', '.join(named)}]; a translation has {pairs}"
    if kind == "summarization" and "document" not in named:
        yield f"'fields' is [{', '.join(named)}]; expected document, the text that is summarised"
    if kind != "translation" and (answers := [name for name in named if name in hidden_fields(kind)]):
        yield f"'fields' has {answers[0]!r}, which a prompt must not show"
    for name in (*named, *record.get("columns", ())):
        key = "fields" if name in named else "columns"
        if not _NAME.fullmatch(name) or name.lower() in _WORDS_OF_TEMPLATES:
            advice = "expected a name of Latin letters, digits and _, such as question; the column may have any name"
            yield f"{key!r} has {name!r}; {advice}"
        if name in ADDED_FIELDS:
            yield f"{key!r} has {name!r}, which a run writes into each row; choose another name"
        if name in answer_fields("mcq") and kind != "mcq":
            yield f"{key!r} has {name!r}, which only rows of multiple choice have; choose another name"
    if unknown := [name for name in record.get("content_fields", ()) if name not in named]:
        yield f"'content_fields' has {unknown[0]!r}, which is not among 'fields'"
    if all(whole_record(record, language).get("process") for language in record["languages"]):
        return
    if "columns" not in record:
        yield "'columns' is missing; it says which column of the rows has each field"
    wanted = named if kind == "translation" else (*named, *answer_fields(kind))  # `fields` has both texts of a translation
    if lacking := [field for field in wanted if field not in record["columns"]]:
        yield f"'columns' lacks {lacking[0]!r}; it says which column of the rows has each field"


def key_faults(where: str, found: Mapping[str, Any], known: Iterable[str], needed: Sequence[str]) -> Iterator[str]:
    """What is wrong with the keys of a record; each line begins with `where`."""
    if unknown := [key for key in found if key not in known]:
        advice = meant(str(unknown[0]), known, 1) or f"; expected some of {', '.join(sorted(known))}"
        yield f"{where}unknown key {unknown[0]!r}{advice}"
    if lacking := [key for key in needed if key not in found]:
        yield f"{where}{lacking[0]!r} is missing"


def type_faults(where: str, found: Mapping[str, Any], types: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the types of a record's values; `types` has the annotations. Each line begins with `where`."""
    for key, value in found.items():
        if key in types:
            yield from (where + fault for fault in _type_faults(key, value, types[key]))


def _type_faults(name: str, value: Any, expected: Any) -> Iterator[str]:
    among = get_args(expected) if get_origin(expected) is UnionType else (expected,)
    fitting = [each for each in among if _is_a(value, get_origin(each) or each)]
    if not fitting:
        names = [_TYPE_NAMES[get_origin(each) or each] for each in among]
        yield f"{name!r} is {repr(value)[:40]}; expected {' or '.join(names)}{_quotes(value) if str in among else ''}"
    elif isinstance(value, dict):
        of_keys, of_values = get_args(fitting[0]) or (Any, Any)
        for key, part in value.items():
            if not _is_a(key, of_keys):
                yield f"{name!r} has the key {key!r}; expected text{_quotes(key)}"
            yield from _type_faults(f"{name}: {key}", part, of_values)
    elif isinstance(value, list):
        for position, part in enumerate(value, start=1):
            yield from _type_faults(f"{name}: {position}", part, *get_args(fitting[0]) or (Any,))


def _is_a(value: Any, kind: Any) -> bool:
    if kind in (int, float):
        return type(value) in (int, kind)
    plain = {Mapping: dict, Sequence: list, Any: object}.get(kind, kind)
    return isinstance(value, plain)


def _quotes(value: Any) -> str:
    """How to fix a value that YAML does not read as text."""
    if isinstance(value, bool):
        return "; put it in quotes: YAML takes yes, no, on and off for true and false"
    return "" if isinstance(value, list | None) else "; put it in quotes"


def _value_faults(data: Mapping[str, Any]) -> Iterator[str]:
    if data["rows"] is not None and data["rows"] < 1:
        yield f"'rows' is {data['rows']!r}; expected their number, or null"
    if not 0 <= data["chance"] <= 1:
        yield f"'chance' is {data['chance']!r}; expected a share from 0 to 1"
    if data.get("origin", "native") not in ORIGINS:
        yield f"'origin' is {data['origin']!r}; expected one of {', '.join(ORIGINS)}"
    named = [key for key in ("files", "splits") if data.get(key)]
    if len(named) != 1 or "test" not in data[named[0]]:
        yield "expected either 'files' or 'config' and 'splits', with the split 'test'"
    if data.get("splits") and not data.get("config"):
        yield "'config' is missing beside 'splits'; many repositories have one that is called default"


@functools.cache
def data_sets() -> dict[str, DataSet]:
    """The data sets of the pack by name, except SEA-HELM's."""
    paths = sorted(TASKS_FOLDER.glob(f"*/{FILE}"))
    return {path.parent.name: read_data_set(path) for path in paths if path.parent.name != SEA_HELM}
