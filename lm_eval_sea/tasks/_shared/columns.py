"""Turns published rows into processed rows by the columns and labels that `data_set.yml` names, without code.

`columns` gives the column of each field of a processed row: its name, or for options a list of columns, one for each option.
Texts are stripped of white space.
"""

from __future__ import annotations

import functools
import math
import re
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .unicode_text import normal_form


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

LETTERS = string.ascii_uppercase
_HARDLY = 0.01  # a probability below which chance is no explanation
_MEND = "subtract 1 from each, or give letters, A for the first option"
_LISTS = ("answers", "options", "votes")  # fields whose column may have a list
_WRITTEN_LIST = re.compile(r"""\[\s*(?:["'].*["'])?\s*\]""", re.DOTALL)  # a list of texts in the cell of a table


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """A processor for `rows.load_rows` of rows with these columns (field → column, or several)."""

    columns: Mapping[str, str | Sequence[str]]
    letters: str = LETTERS  # of the options, in order

    def __call__(self, splits: Mapping[str, Sequence[Mapping[str, Any]]]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        """The function that turns a published row into a processed one."""

        @functools.cache  # computed once, and only if a row is at fault
        def from_one() -> bool:
            return _count_from_one([number for rows in splits.values() for number in self._numbers(rows)])

        def process_row(row: Mapping[str, Any]) -> dict[str, Any]:
            made = {field: _value(row, field, named) for field, named in self.columns.items()}
            if "options" in made:
                options = _options(made["options"])
                if len(options) > len(self.letters):
                    raise ValueError(f"field 'options' has {len(options)}; there are {len(self.letters)} letters, {self.letters}")
                letters = self.letters[: len(options)]
                gold = _position(made.pop("gold"), options, letters, from_one=from_one)
                return made | {"options": options, "letters": list(letters), "gold": gold}
            if "answers" in made:
                made["answers"] = _answers(made["answers"])
            return made

        return process_row

    def doubt(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Evidence that the numbers of sound rows do not count from 0; empty if there is none."""
        # If the right option is equally likely at any of k places, n rows never have it at the first with probability
        # (1 - 1/k)^n. This is below 1 % for 7 rows with two options, 17 with four, and 21 with five.
        probability, count = 1.0, 0
        for number, options in self._numbers(rows):
            if number == 0:
                return ""
            probability, count = probability * (1 - 1 / options), count + 1
        if probability >= _HARDLY:
            return ""
        return f"none of the {count:,} right answers that are numbers is 0, the first option. If they count from 1, {_MEND}"

    def _numbers(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
        """Each number that names the right option of a row, if the option's text does not; and how many options there are."""
        # where the letters are digits, a number is the letter
        for row in rows if "options" in self.columns and not self.letters.isdecimal() else ():
            try:
                right, values = (_value(row, field, self.columns[field]) for field in ("gold", "options"))
                options = _options(values)
                if isinstance(right, str) and right.isdecimal() and right not in options:
                    yield int(right), len(options)
            except (KeyError, ValueError):  # processing the row raises this error
                continue


def _count_from_one(numbers: Sequence[tuple[int, int]]) -> bool:
    """Whether the numbers, each with a number of options, fit a count from 1 but not a count from 0."""
    return all(1 <= number <= options for number, options in numbers) and any(number == options for number, options in numbers)


def _value(row: Mapping[str, Any], field: str, named: str | Sequence[str]) -> Any:
    if not isinstance(named, str):
        return [row[column] for column in named]
    value = row[named]
    if field == "label" or (field in _LISTS and isinstance(value, list)):
        return value
    return _text(f"column {named!r}", value)


def _options(values: Sequence[Any]) -> list[str]:
    """The options of a row. A row with fewer options than columns leaves the last columns empty."""
    if isinstance(values, str):  # a cell of a table, whose characters are not options
        said = f"field 'options' is the text {values[:40]!r}"
        raise ValueError(f"{said}; expected a list, or in data_set.yml a column for each option")  # noqa: TRY004 (of the data)
    options = ["" if _is_missing(value) else _text("field 'options'", value) for value in values]
    while options and not options[-1]:
        options.pop()
    if len(options) < 2:
        raise ValueError(f"field 'options' has {len(options)}; expected two or more")
    if "" in options:  # without it, letters and numbers would name other options
        raise ValueError(f"field 'options' has an empty option at position {options.index('') + 1}; expected text")
    return options


def _answers(values: Any) -> list[str]:
    """The references of a row, one or several."""
    if isinstance(values, str) and _WRITTEN_LIST.fullmatch(values):
        said = f"field 'answers' is the text {values[:40]!r}"
        raise ValueError(f"{said}; expected one answer, or a list in a file of JSON")
    return [_text("field 'answers'", value) for value in (values if isinstance(values, list) else [values])]


def _is_missing(value: Any) -> bool:
    """Whether a value is missing: null, or NaN, which pandas writes for it."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text(where: str, value: Any) -> str:
    if _is_missing(value) or isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{where} has {str(value)[:40]}; expected text")
    return str(value).strip()


def _composed(text: str) -> str:
    """A text for comparing: what looks alike may be typed in one character or in two, as Vietnamese often is."""
    return text if text.isascii() else normal_form("NFC", text)


def written_labels(labels: Sequence[Any] | Mapping[str, Any]) -> list[list[str]]:
    """How rows write each label: as it is, or in the ways that the mapping gives."""
    ways = labels.values() if isinstance(labels, dict) else labels
    return [[str(each) for each in (way if isinstance(way, list) else [way])] for way in ways]


def position_of_label(label: Any, written: Sequence[Sequence[str]]) -> int:
    """The position of a row's label among all. Raises a `ValueError` if it is written like none of them."""
    for position, ways in enumerate(written):
        if isinstance(label, str | int | float) and _composed(str(label)) in map(_composed, ways):
            return position
    raise ValueError(f"field 'label' is {label!r}; expected one of {', '.join(way for ways in written for way in ways)}")


def _position(right: Any, options: Sequence[str], letters: str, *, from_one: Callable[[], bool]) -> int:
    """The position of the right option, which a row names by its text, its letter (own or Latin), or its number from 0.

    `from_one` says whether the numbers of all rows count from 1. Then other rows would silently be wrong, too, so the error
    message is about all rows.
    """
    meant = {
        position for position, option in enumerate(options) if isinstance(right, str) and _composed(option) == _composed(right)
    }
    latin = LETTERS[: len(options)]
    if isinstance(right, str) and len(right) == 1:
        meant |= {own.index(letter) for own in (letters, latin) for letter in {right, right.upper()} if letter in own}
    numbers = [int(letter) for letter in letters] if letters.isdecimal() else list(range(len(options)))
    if isinstance(right, str) and right.isdecimal() and int(right) in numbers:
        meant.add(numbers.index(int(right)))
    if len(meant) == 1:
        return meant.pop()
    if meant:
        named = " or ".join(letters[position] for position in sorted(meant))
        raise ValueError(f"field 'gold' is {right!r}, which may be {named}; give the letter or number that is no option's text")
    if from_one():
        said = f"field 'gold' is {right!r} of {len(options)} options, and 0 in no row"
        raise ValueError(f"{said}: the numbers count from 1, not from 0; {_MEND}")
    *others, last = [
        "an option",
        *(f"{own[0]} to {own[-1]}" for own in dict.fromkeys((letters, latin))),
        *([] if letters.isdecimal() else [f"0 to {len(options) - 1}"]),
    ]
    raise ValueError(f"field 'gold' is {right!r}; expected {', '.join(others)}, or {last}")
