"""The published order of a row's options beside one with two wrong options exchanged, which tests for contamination."""

from __future__ import annotations

import random
from typing import Any


def in_two_orders(row: dict[str, Any]) -> dict[str, Any] | None:
    """A row whose options are the whole list of its options, once as published and once with two wrong ones exchanged.

    A model that has not seen the row has no reason to prefer either list, if people put wrong options in any order. So what has
    an order of its own stays as it is: the last option, which may be "none of these", and the right one, for some data sets
    prefer places for it. Rows with digits in two options are left out, for numbers are mostly listed as they rise, and so are
    those of which either list is sorted by length or alphabet, as exams have them, or the two are of one length, for the report
    weighs both orders of length alike. Which list comes first is drawn by the row's id, and so are the two options: of the same
    places in all languages of a parallel data set.

    Returns:
        `gold` is the place of the published list. None, if the row cannot be asked in this way.
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
