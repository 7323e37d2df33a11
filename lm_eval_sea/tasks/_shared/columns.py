"""Rows of a user's own whose columns `data_set.yml` names: published rows in, processed rows out, without code.

`columns` says for each field of a processed row which column has it: its name, or for options a list of columns, one an option.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LETTERS = string.ascii_uppercase


def process_columns(
    columns: Mapping[str, str | Sequence[str]], labels: Sequence[str] = ()
) -> Callable[[Mapping[str, Any]], Callable[[Mapping[str, Any]], dict[str, Any]]]:
    """The processor of rows with these columns, as `rows.load_rows` takes it.

    Args:
        columns: field → column, or several.
        labels: of a classification, in the order of the prompts' label words; the field `label` has one of them.
    """

    def process_row(row: Mapping[str, Any]) -> dict[str, Any]:
        made = {field: _value(row, named) for field, named in columns.items()}
        if "options" in made:
            options = [str(option) for option in made["options"] if option not in (None, "")]
            gold = _position(made.pop("gold"), options)
            return made | {"options": options, "letters": list(LETTERS[: len(options)]), "gold": gold}
        if labels:
            label = made.pop("label")
            if label not in labels:
                raise ValueError(f"field 'label' is {label!r}; expected one of {', '.join(labels)}")
            return made | {"gold": list(labels).index(label)}
        if "answers" in made and not isinstance(made["answers"], list):
            made["answers"] = [made["answers"]]
        return made

    return lambda _: process_row


def _value(row: Mapping[str, Any], named: str | Sequence[str]) -> Any:
    if not isinstance(named, str):
        return [row[column] for column in named]
    value = row[named]
    return str(value) if isinstance(value, int | float) else value


def _position(right: Any, options: Sequence[str]) -> int:
    """Of the right option, which a row names by its text, by its letter, or by its number from 0."""
    if right in options:
        return options.index(right)
    if isinstance(right, str) and len(right) == 1 and right.upper() in LETTERS[: len(options)]:
        return LETTERS.index(right.upper())
    if isinstance(right, str) and right.isdecimal() and int(right) < len(options):
        return int(right)
    letters = f"{LETTERS[0]} to {LETTERS[len(options) - 1]}"
    raise ValueError(f"field 'gold' is {right!r}; expected an option, {letters}, or 0 to {len(options) - 1}")
