"""Tatabahasa: from published rows to processed rows."""

import collections
from collections.abc import Callable, Mapping, Sequence
from typing import Any


Row = dict[str, Any]

# Control characters → the characters of Windows-1252 with their numbers. The file's text was once read as Latin-1.
_WINDOWS_1252 = str.maketrans({"\x92": "\u2019", "\x94": "\u201d", "\x96": "\u2013"})


def _shown(row: Row) -> tuple[str, ...]:
    """The question of a row: directions, sentence (some rows have none) and options."""
    return row["instruction"], row["question"], *(choice["text"] for choice in row["choices"].values())


def _text(published: str) -> str:
    return published.translate(_WINDOWS_1252).strip()


def process_row(row: Row) -> Row:
    """{"instruction", "question", "choices": {letter: {"text", "answer"}}} → a processed row.

    In one row the right option occurs twice; the copy under the wrong letter is dropped.
    """
    choices = list(row["choices"].values())
    right = [_text(choice["text"]) for choice in choices if choice["answer"]]
    if len(right) != 1:
        raise ValueError(f"field 'choices' has {len(right)} right answers; expected one")
    options = [text for choice in choices if (text := _text(choice["text"])) not in right or choice["answer"]]
    return {
        "question": "\n".join(_text(part) for part in (row["instruction"], row["question"]) if part),
        "options": options,
        "letters": list("ABCD"[: len(options)]),
        "gold": options.index(right[0]),
    }


def process_rows(splits: Mapping[str, Sequence[Row]]) -> Callable[[Row], Row | list[Row]]:
    """The processor that leaves out rows that contradict each other: the same question with different right answers."""
    answers: dict[tuple[str, ...], set[tuple[str, ...]]] = collections.defaultdict(set)
    for row in splits["test"]:
        answers[_shown(row)].add(tuple(letter for letter, choice in row["choices"].items() if choice["answer"]))
    return lambda row: process_row(row) if len(answers[_shown(row)]) == 1 else []
