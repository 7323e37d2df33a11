"""Syllables of Burmese, which has no blanks between words. Pure function, no I/O."""

from __future__ import annotations

import re


# What begins a syllable: a consonant that is neither stacked below another (behind U+1039) nor closes a syllable (before U+103A
# or U+1039), an independent vowel or other sign that is a syllable by itself, a digit, a punctuation mark. The rule of sylbreak
# (Ye Kyaw Thu, github.com/ye-kyaw-thu/sylbreak), but that the tone mark U+1037, which Unicode puts before U+103A, may come first,
# and that runs of other scripts stay whole up to the next blank.
_CONSONANT = r"(?<!\u1039)[\u1000-\u1021](?!\u1037?[\u103a\u1039])"
_BY_ITSELF = r"[\u1023-\u1027\u1029\u102a\u103f\u1040-\u104f]"
_BEGINNING = re.compile(f"{_CONSONANT}|{_BY_ITSELF}")
_OTHER_SCRIPT = re.compile(r"(?<=[\u1000-\u109f])(?=[^\u1000-\u109f])")


def burmese_syllables(text: str) -> list[str]:
    """The syllables of a text, without blanks."""
    marked = _OTHER_SCRIPT.sub(" ", _BEGINNING.sub(r" \g<0>", text))
    return marked.split()
