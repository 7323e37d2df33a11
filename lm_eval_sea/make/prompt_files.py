"""Prompt files, `tasks/<data set>/prompts/<language>.yml`: what tasks say in a language. CONTRIBUTING.md lists the keys."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue import Refusal, read_yaml_of_people
from lm_eval_sea.catalogue.data_sets import DataSet, key_faults, type_faults
from lm_eval_sea.catalogue.kinds import answer_fields
from lm_eval_sea.tasks._shared.facts import GENERATED

EXEMPLARS = 5  # of a prompt file that has any

_FIELD = re.compile(r"{(\w+)}")
JINJA_CODE = re.compile(r"{[{%#]")  # what begins code in a template
# The keys of a prompt file (`_TYPES`), of one of its `tasks` and of `chat`, with the types of their values.
_OF_CHAT: Mapping[str, Any] = {"version": float, "instruction": str}
_OF_TASK: Mapping[str, Any] = {
    **dict.fromkeys(("instruction", "row", "cue", "format"), str),
    "paraphrases": Sequence[str],
    "chat": Mapping[str, Any],
}
_TYPES: Mapping[str, Any] = {
    **_OF_TASK,
    "version": float,
    **dict.fromkeys(("exemplars", "parallel_exemplars"), Sequence[Mapping[str, Any]]),
    **dict.fromkeys(("labels", "questions"), Mapping[str, str]),
    "translate": str,
    "tasks": Mapping[str, Mapping[str, Any]],
}
# The keys of an exemplar besides its fields.
_OF_EXEMPLAR: Mapping[str, Any] = {"options": Sequence[str], "gold": Any, "label": Any, "answers": Sequence[str]}


class PromptFileError(Refusal, ValueError):
    """A fault in a prompt file or the catalogue; the message says where."""


def place(data_set: str, language: str) -> str:
    """The prompt file of a data set in a language, as errors name it."""
    return f"{data_set}/prompts/{language}.yml"


def entry(mapping: Mapping[str, Any], key: str, where: str) -> Any:
    """An entry of a prompt file, which must exist and not be empty; messages begin with its place `where`."""
    if not isinstance(mapping, Mapping) or mapping.get(key) in (None, "", []):
        raise PromptFileError(f"{where}: {key!r} is missing or empty")
    return mapping[key]


def of_task(prompts: Mapping[str, Any], task: str, where: str) -> dict[str, Any]:
    """The keys of one of the `tasks` of a prompt file; missing keys are those of the file."""
    return {**prompts, **entry(entry(prompts, "tasks", where), task, where)}


def row_template(prompt: Mapping[str, Any], fields: Sequence[str], where: str, optional: Sequence[str] = ()) -> str:
    """The Jinja template of a row, which must show all fields; lines with `optional` ones are left out if a row lacks them."""
    row = entry(prompt, "row", where)
    for field in fields:
        if f"{{{field}}}" not in row:
            raise PromptFileError(f"{where}: 'row' lacks {{{field}}}")
    keyed = {"question": prompt["questions"]} if "questions" in prompt else {}
    return "".join(_jinja_line(line, keyed, optional) for line in row.splitlines()).rstrip("\n")


def refuse_other_fields(prompt: Mapping[str, Any], shown: Collection[str], hidden: Collection[str], where: str) -> None:
    """Refuses a `row` with an unknown field or the answer, and fields in other keys, which would be shown literally."""
    for field in _FIELD.findall(entry(prompt, "row", where)):
        if field not in shown:
            why = "which a prompt must not show" if field in hidden else "which no row has"
            raise PromptFileError(f"{where}: 'row' shows {{{field}}}, {why}; expected {', '.join(shown)}")
    chat = (prompt.get("chat") or {}).get("instruction")
    for key, text in {"instruction": prompt.get("instruction"), "cue": prompt.get("cue"), "chat: instruction": chat}.items():
        if found := [field for field in _FIELD.findall(text or "") if field in shown]:
            raise PromptFileError(f"{where}: {key!r} has {{{found[0]}}}; only 'row' shows fields")


def _jinja_line(line: str, keyed: dict[str, dict[str, str]], optional: Sequence[str]) -> str:
    def replaced(found: re.Match[str]) -> str:
        sentences = keyed.get(found[1])  # of a column that holds a key
        return f"{{{{ {json.dumps(sentences, ensure_ascii=False)}[{found[1]}] }}}}" if sentences else f"{{{{{found[1]}}}}}"

    text = _FIELD.sub(replaced, line) + "\n"
    lacking = [field for field in _FIELD.findall(line) if field in optional]
    return f"{{% if {' and '.join(lacking)} %}}{text}{{% endif %}}" if lacking else text


def line_starts(prompt: Mapping[str, Any]) -> list[str]:
    """The text before the first field of each line of a row; if no line has any, the cue, which follows the row."""
    starts = [line.split("{")[0].rstrip() for line in prompt["row"].splitlines() if _FIELD.search(line)]
    return [start for start in starts if start] or [prompt["cue"]]


def as_row(exemplar: Mapping[str, Any], data_set: DataSet, letters: str, where: str) -> dict[str, Any]:
    """An exemplar of a prompt file in the form of a processed row; its options take the first letters."""
    answers = answer_fields(data_set.kind)
    types = {key: _OF_EXEMPLAR.get(key, str) for key in (*data_set.fields, *answers)}
    _refuse(f"{where}: ", exemplar, types)
    row = {field: entry(exemplar, field, where) for field in data_set.fields}
    if data_set.kind in GENERATED:
        return row | {answer: entry(exemplar, answer, where) for answer in answers}
    if data_set.kind == "classification":
        labels = list(data_set.labels)
        if exemplar.get("label") not in labels:
            raise PromptFileError(f"{where}: 'label' is {exemplar.get('label')!r}; expected one of {', '.join(labels)}")
        return row | {"gold": labels.index(exemplar["label"])}
    options = entry(exemplar, "options", where)
    if len(options) > len(letters):
        raise PromptFileError(f"{where}: 'options' has {len(options)}; there are {len(letters)} letters, {letters}")
    if type(exemplar.get("gold")) is not int or exemplar["gold"] not in range(len(options)):
        raise PromptFileError(f"{where}: 'gold' is {exemplar.get('gold')!r}; expected 0 to {len(options) - 1}")
    return row | {"options": options, "letters": list(letters[: len(options)]), "gold": exemplar["gold"]}


def read_prompts(tasks: Path, data_set: str) -> dict[str, dict[str, Any]]:
    """The prompt files of a data set: language → keys."""
    files = sorted((tasks / data_set / "prompts").glob("*.yml"))
    if not files:
        raise PromptFileError(f"{tasks / data_set / 'prompts'}: no prompt files of data set {data_set!r}")
    return {file.stem: _read(file) for file in files}


def _read(path: Path) -> dict[str, Any]:
    prompts = read_yaml_of_people(path, PromptFileError)
    if not isinstance(prompts, dict):
        raise PromptFileError(f"{path}: not a prompt file: expected keys with values")
    for where, part, types in _parts(f"{path}: ", prompts, _TYPES):
        _refuse(where, part, types)
        _refuse_code(where, part)
        # the task files add the white space between these texts
        part |= {key: part[key].strip() for key in ("instruction", "cue") if part.get(key)}
    return prompts


def _parts(where: str, part: dict[str, Any], types: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], Mapping[str, Any]]]:
    """A prompt file, its `tasks` and their `chat`; each with its place, its keys and the types of their values."""
    yield where, part, types
    if part.get("chat"):
        yield f"{where}chat: ", part["chat"], _OF_CHAT
    for name, own in (part.get("tasks") or {}).items():
        yield from _parts(f"{where}tasks: {name}: ", own, _OF_TASK)


def _refuse(where: str, found: Mapping[str, Any], types: Mapping[str, Any]) -> None:
    """Refuses unknown keys and values of another type; missing or empty values are found where they are used."""
    there = {key: value for key, value in found.items() if value is not None}
    for fault in (*key_faults(where, found, types, ()), *type_faults(where, there, types)):
        raise PromptFileError(fault)


def _refuse_code(where: str, part: Mapping[str, Any]) -> None:
    """Refuses texts with Jinja code, which lm-eval would run, or fail to run."""
    for key, value in part.items():
        several = value if key == "paraphrases" else value.values() if key == "labels" and value else ()
        for text in [value] if isinstance(value, str) else several or ():
            if found := JINJA_CODE.search(text):
                advice = "write fields as {field}, and braces in text with a space between them"
                raise PromptFileError(f"{where}{key!r} has {found[0]!r}, which begins code; {advice}")
            if key == "row" and text.rstrip("\n").endswith("{"):  # before the options, which code adds
                raise PromptFileError(f"{where}'row' ends in '{{', which begins code; write something after it, or leave it out")
