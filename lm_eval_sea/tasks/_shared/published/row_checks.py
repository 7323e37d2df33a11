"""Whether a row can be shown and scored. Pure functions, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ..unicode_text import LONGEST_RUN, has_long_run, is_blank


def check_published(value: Any) -> None:
    """Raises `ValueError` for a text with so many combining marks in a row that its normal form would take minutes."""
    if isinstance(value, str):
        if has_long_run(value):
            raise ValueError(f"more than {LONGEST_RUN} combining marks in a row in {value[:20]!r}; expected text")
    elif isinstance(value, Mapping):
        for part in value.values():
            check_published(part)
    elif isinstance(value, list):
        for part in value:
            check_published(part)


def check_row(row: Mapping[str, Any], *, is_exemplar: bool = False) -> None:
    """Raises `ValueError`, which names the field and what was expected, for a processed row that cannot be shown and scored.

    The solution of an exemplar may also have the steps to the number.
    """
    for field, value in row.items():
        if isinstance(value, str) and is_blank(value):
            raise ValueError(f"field {field!r} is empty; expected text")
    if "answers" in row:
        if not row["answers"] or any(map(is_blank, row["answers"])):
            raise ValueError(f"field 'answers' is {row['answers']!r}; expected one text or more")
        if "votes" in row:
            _check_votes(row["votes"], len(row["answers"]))
    elif "solution" in row and "gold" not in row and not is_exemplar and not _is_number(row["solution"]):
        raise ValueError(f"field 'solution' is {row['solution']!r}; expected a number, such as 1250 or 0.5")
    if "gold" in row and (not isinstance(row["gold"], int) or isinstance(row["gold"], bool)):
        raise ValueError(f"field 'gold' is {row['gold']!r}; expected a whole number")
    if "options" not in row:
        return
    options, gold = row["options"], row["gold"]
    if len(options) < 2:
        raise ValueError(f"field 'options' has {len(options)}; expected two or more")
    for index, option in enumerate(options):
        if is_blank(option):
            raise ValueError(f"field 'options' has an empty option at position {index + 1}; expected text")
    if not 0 <= gold < len(options):
        raise ValueError(f"field 'gold' is {gold}; expected 0 to {len(options) - 1}")


def _check_votes(votes: Any, answers: int) -> None:
    if not isinstance(votes, list) or len(votes) != answers or not all(type(count) is int and count > 0 for count in votes):
        raise ValueError(f"field 'votes' is {votes!r}; expected a list with the votes of each of {answers} answers, 1 or more")


def _is_number(solution: Any) -> bool:
    try:
        return Decimal(str(solution)).is_finite()
    except InvalidOperation:
        return False
