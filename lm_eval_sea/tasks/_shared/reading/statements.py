"""Finds the words with which chat models state an answer or admit an error. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache

from .answer_patterns import alternatives, any_word, lead_in_pieces
from .answer_text import COLON, SENTENCE_STOP


# What may come between two words that lead to an answer, and before the answer. A dash before a digit is a minus.
_JOINT = rf"[\])】]?\s*(?:{COLON}|[,\u104a]|[-–—=]+(?!\d)>?|→)?\s*"


@cache
def lead_in(language: str) -> re.Pattern[str]:
    """The words that lead to an answer, anywhere in a line, and the marks between them and the answer."""
    return re.compile(
        rf"(?:(?:{lead_in_pieces(language)}|{'|'.join(alternatives(place, language) for place in ('lead', 'left', 'answer'))})"
        rf"{_JOINT}){{1,12}}",
        re.IGNORECASE,
    )


def statement_spans(text: str, language: str, *further: str) -> list[tuple[int, int]]:
    """The places of words that state an answer: "the answer is", "the right option is", "so right is".

    `further` names more fields of `Phrases` whose words state one.
    """
    places = [any_word(place, language) for place in ("answer", *further)]
    option, right, so = (any_word(place, language) for place in ("option", "right", "so"))
    if not any(place.search(text) for place in (*places, right)):  # a cheap test first
        return []
    return [
        match.span()
        for match in lead_in(language).finditer(text)
        if any(place.search(match[0]) for place in places)
        or (right.search(match[0]) and (option.search(match[0]) or so.search(match[0])))
    ]


def admission(text: str, language: str) -> int | None:
    """The end of the last words that admit an error ("I was wrong") at the beginning of a sentence, perhaps after "wait"."""
    found = None
    for words in any_word("errs", language).finditer(text):
        sentence = SENTENCE_STOP.split(text[: words.start()].replace("…", "\n"))[-1]
        if not re.search(r"\w{4}|[A-Z\d]", any_word("so", language).sub("", any_word("corrects", language).sub("", sentence))):
            found = words.end()
    return found
