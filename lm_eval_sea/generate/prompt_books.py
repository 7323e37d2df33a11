"""Prompt books: words, sentences and exemplars by language, with the keys that CONTRIBUTING.md lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from lm_eval_sea.generate.task_kinds import GENERATED, KINDS
from lm_eval_sea.handwritten_yaml import parse_yaml

PROMPTS = Path(__file__).resolve().parents[1] / "prompts"  # the books of the pack
EXEMPLARS = 5  # a book's number of exemplars


class BookError(ValueError):
    """A prompt book or the catalogue lacks something; the message says where."""


def entry(mapping: dict[str, Any], key: str, where: str) -> Any:
    """The entry of a book.

    Raises:
        BookError: if it is missing or empty.
    """
    if not isinstance(mapping, dict) or mapping.get(key) in (None, "", []):
        raise BookError(f"{where}: {key!r} is missing or empty")
    return mapping[key]


def as_row(exemplar: dict[str, Any], record: dict[str, Any], labels: tuple[str, ...], letters: str, where: str) -> dict[str, Any]:
    """An exemplar of a book in the form of a processed row.

    Args:
        exemplar: what the book has.
        record: the data set's record in the catalogue.
        labels: the labels of a classification task in order; empty for other kinds.
        letters: the labels of options, of which the exemplar's options take the first.
        where: the place to name in an error.
    """
    row = {field: entry(exemplar, field, where) for field in record["fields"]}
    if record["kind"] in GENERATED:
        answer = KINDS[record["kind"]][""].answer
        return row | {answer: entry(exemplar, answer, where)}
    if record["kind"] == "classification":
        if exemplar.get("label") not in labels:
            raise BookError(f"{where}: 'label' is {exemplar.get('label')!r}; expected one of {', '.join(labels)}")
        return row | {"gold": labels.index(exemplar["label"])}
    options = entry(exemplar, "options", where)
    if exemplar.get("gold") not in range(len(options)):
        raise BookError(f"{where}: 'gold' is {exemplar.get('gold')!r}; expected 0 to {len(options) - 1}")
    return row | {"options": options, "letters": list(letters[: len(options)]), "gold": exemplar["gold"]}


def is_english_prompt(prompt_language: str, language: str) -> bool:
    """Whether a prompt's words are English and the rows are not, so that the task's name says `enprompt`."""
    return prompt_language == "en" != language


def read_book(prompts: Path, name: str) -> dict[str, Any]:
    """The prompt book of a data set or of SEA-HELM: NAME.yaml, or in a folder NAME one file a language.

    Returns:
        `languages`: language → the entries that CONTRIBUTING.md lists; and `version`, where one file has all languages.

    Raises:
        BookError: if there is neither.
    """
    path, folder = prompts / f"{name}.yaml", prompts / name
    if path.exists():
        return read_yaml(path)
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise BookError(f"{path}: no prompt book for data set {name!r}")
    return {"languages": {file.stem: read_yaml(file) for file in files}}


def read_yaml(path: Path) -> dict[str, Any]:
    """A book's file.

    Raises:
        BookError: if it cannot be read, is no mapping, or has tags, which stand for code.
    """
    try:
        book = parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, AttributeError, RecursionError, yaml.YAMLError) as error:  # a wrong tag may raise any
        raise BookError(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(book, dict):
        raise BookError(f"{path}: no book: expected keys with values")
    return book
