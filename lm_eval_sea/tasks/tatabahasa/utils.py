"""Tatabahasa: from published rows to processed rows."""

import collections
from collections.abc import Callable, Mapping, Sequence
from typing import Any


Row = dict[str, Any]

# What Windows-1252 has at the numbers of control characters: the file's text was once read as Latin-1.
_WINDOWS_1252 = str.maketrans({"\x92": "\u2019", "\x94": "\u201d", "\x96": "\u2013"})


def _shown(row: Row) -> tuple[str, ...]:
    """What a row asks: directions, sentence (some rows have none) and options."""
    return row["instruction"], row["question"], *(choice["text"] for choice in row["choices"].values())


def _text(published: str) -> str:
    return published.translate(_WINDOWS_1252).strip()


def process_row(row: Row) -> Row:
    """{"instruction", "question", "choices": {letter: {"text", "answer"}}} → a processed row.

    In one row the right option is there twice, under two letters; the wrong one is dropped.
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
    """The processor that leaves out the rows which another one contradicts: the same question, and another right answer."""
    answers: dict[tuple[str, ...], set[tuple[str, ...]]] = collections.defaultdict(set)
    for row in splits["test"]:
        answers[_shown(row)].add(tuple(letter for letter, choice in row["choices"].items() if choice["answer"]))
    return lambda row: process_row(row) if len(answers[_shown(row)]) == 1 else []
