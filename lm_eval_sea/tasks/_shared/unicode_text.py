"""What `unicodedata` lacks: which characters are invisible, and normal forms that do not take minutes for a strange text."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal


if TYPE_CHECKING:
    from collections.abc import Iterator


# Invisible characters: Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties, and the blank of Braille.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BLANK = re.compile(rf"[\s\x00-\x1f\x7f-\x9f{_UNSEEN}]*")
LONGEST_RUN = 255  # combining marks in a row; a syllable of any script has fewer than ten


def is_blank(text: str) -> bool:
    """Whether a text has only white space, control characters and invisible characters."""
    return _BLANK.fullmatch(text) is not None


def _long_runs(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each run of more than `LONGEST_RUN` combining marks."""
    place, end = LONGEST_RUN, 0
    while place < len(text):  # a longer run contains one of these places
        if unicodedata.combining(text[place]):
            start, end = place, place + 1
            while start and unicodedata.combining(text[start - 1]):
                start -= 1
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
            if end - start > LONGEST_RUN:
                yield start, end
            place = end
        place += LONGEST_RUN + 1


def has_long_run(text: str) -> bool:
    """Whether a text has more than `LONGEST_RUN` combining marks in a row, which no real text has."""
    return next(_long_runs(text), None) is not None


def normal_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """`unicodedata.normalize`, which alone takes minutes for 300,000 combining marks in a row, because it sorts by insertion.

    Here the marks are first sorted by combining class, which changes no normal form.
    """
    parts, done = [], 0
    for start, end in _long_runs(text):
        parts += [text[done:start], *sorted(text[start:end], key=unicodedata.combining)]
        done = end
    return unicodedata.normalize(form, "".join([*parts, text[done:]]))
