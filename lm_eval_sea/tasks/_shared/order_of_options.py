"""A test for contamination: the published order of a row's options against one with two wrong options swapped."""

from __future__ import annotations

import random
from typing import Any


def in_two_orders(row: dict[str, Any]) -> dict[str, Any] | None:
    """A row with two options: the whole list of its options as published, and the same list with two wrong options swapped.

    If people list wrong options in any order, a model that has not seen the row has no reason to prefer either list. So options
    with an order of their own keep their place: the last one, which may be "none of these", and the right one, because some data
    sets prefer places for it. Rows are left out if
    - two options have digits, because numbers are mostly listed in rising order;
    - either list is sorted by length or alphabet, as in exams;
    - the two options have the same length, because the report gives both orders of length the same weight.
    The row's id draws which list comes first and which two options are swapped, so that these are at the same places in all
    languages of a parallel data set.

    Returns the row, whose `gold` is the place of the published list; None if the row cannot be asked in this way.
    """
    options: list[str] = row["options"]
    draw = random.Random(str(row["id"]))
    wrong = [place for place in range(len(options) - 1) if place != row["gold"]]
    if len(wrong) < 2 or sum(any(map(str.isdigit, option)) for option in options) > 1:
        return None
    one, other = draw.sample(wrong, 2)
    exchanged = list(options)
    exchanged[one], exchanged[other] = options[other], options[one]
    gold = draw.randrange(2)
    lists = [exchanged, exchanged]
    lists[gold] = options
    texts = ["\n".join(f"{letter}. {option}" for letter, option in zip(row["letters"], each, strict=True)) for each in lists]
    of_one_length = len(options[one]) == len(options[other])
    if of_one_length or any(sorted(each, key=key) == each for each in (options, exchanged) for key in (len, None)):
        return None
    return row | {"options": texts, "letters": row["letters"][:2], "gold": gold}
