"""Text of models, data sets and file names, made safe to look at: in a terminal, in a page, in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lm_eval_sea.results.types import grouped

# Control characters except line break and tab, lone surrogates, byte order marks, and controls of writing direction, which can
# show a text in another order than it has (Boucher and Anderson 2021).
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES_SHOWN = 4
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the wide ones for East Asian versions


def visible(text: str) -> str:
    r"""The text with control characters, controls of writing direction and lone surrogates as escapes such as \x1b or \u202e.

    Line breaks and tabs stay. Joiners and other format characters that scripts need stay, too.
    """
    return _HIDDEN.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"


def encodable(content: Any) -> Any:
    """Content of a JSON file with lone surrogates, which no encoding and no column of pandas can hold, as escapes."""
    return with_texts(content, lambda text: _SURROGATE.sub(lambda found: _escaped(found[0]), text))


def with_texts(content: Any, changed: Callable[[str], str]) -> Any:
    """Content of a JSON file in which every text, names among them, is changed."""
    if isinstance(content, str):
        return changed(content)
    if isinstance(content, list):
        return [with_texts(part, changed) for part in content]
    if isinstance(content, dict):
        return {with_texts(key, changed): with_texts(part, changed) for key, part in content.items()}
    return content


def one_line(text: str) -> str:
    """The visible text on one line."""
    return " ".join(visible(text).split())


def spreadsheet_cell(value: object) -> object:
    """A value as a CSV file holds it; text that a spreadsheet would run as a formula gets an apostrophe before it (OWASP)."""
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if value.startswith(_FORMULA_STARTS) else text


def csv_text(records: Sequence[Mapping[str, object]]) -> str:
    """Records with the same entries as a CSV file, their names in the first line; empty without records."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for line in [*records[:1], *(record.values() for record in records)]:
        writer.writerow(map(spreadsheet_cell, line))
    return text.getvalue()


def counted(number: int, noun: str) -> str:
    """A number with its noun, whose plural ends in s: "1 task", "2,000 tasks"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def some_names(names: Sequence[str]) -> str:
    """The first names, and the number of the rest: "a, b, c, d and 3 more"."""
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more


def once(said: Iterable[tuple[str, str]]) -> list[str]:
    """A note for each text, with all its names, from pairs (name, text)."""
    names = grouped((text, name) for name, text in said)
    return [f"{some_names(of_text)}: {text}" for text, of_text in names.items()]
