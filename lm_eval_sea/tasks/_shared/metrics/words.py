"""Text normalisation and words for scores of short answers and of overlap. Pure functions, no I/O.

Made for the languages of the pack: no English articles, no ASCII punctuation table; Thai words come from a segmenter, for blanks
do not separate them, and Burmese is counted in syllables.
"""

from __future__ import annotations

import re
import unicodedata

from ..reading.answer_text import composed
from .optional_packages import required, version_of


# Languages written without blanks between words, and what finds their words.
SEGMENTERS = {"th": "newmm", "my": "syllables"}
_SEGMENTER = ("pythainlp", "scores of Thai text")  # and what needs it

# What begins a syllable: a consonant that is neither stacked below another (behind U+1039) nor closes a syllable (before U+103A
# or U+1039), an independent vowel or other sign that is a syllable by itself, a digit, a punctuation mark. The rule of sylbreak
# (Ye Kyaw Thu, github.com/ye-kyaw-thu/sylbreak), but that the tone mark U+1037, which Unicode puts before U+103A, may come first,
# and that runs of other scripts stay whole up to the next blank.
_CONSONANT = r"(?<!\u1039)[\u1000-\u1021](?!\u1037?[\u103a\u1039])"
_BY_ITSELF = r"[\u1023-\u1027\u1029\u102a\u103f\u1040-\u104f]"
_BEGINNING = re.compile(f"{_CONSONANT}|{_BY_ITSELF}")
_OTHER_SCRIPT = re.compile(r"(?<=[\u1000-\u109f])(?=[^\u1000-\u109f])")

# Punctuation by Unicode that is part of a quantity.
_UNITS = "%‰"
# Quotation marks that Unicode counts among the symbols.
_SYMBOL_QUOTES = "`´"


def normalise(text: str) -> str:
    """A text without differences that do not change an answer.

    In this order: invisible format characters (zero-width ones, soft hyphens) removed, Unicode NFC with one form of Thai and Lao
    vowels (`composed`), lower case, digits of all scripts as ASCII digits, blanks and line breaks as one blank each, punctuation
    of all scripts cut off at both ends. Of text that is all punctuation nothing is cut off.
    """
    text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    text = composed(composed(text).lower())
    text = "".join(str(unicodedata.decimal(character, character)) for character in text)
    text = " ".join(text.split())
    return without_edge_punctuation(text) or text


def without_edge_punctuation(text: str) -> str:
    """The text without punctuation and blanks at its ends; units (%) and the minus of a number stay."""
    start, end = 0, len(text)
    while start < end and _is_edge(text[start]) and not (text[start] == "-" and text[start + 1 : start + 2].isdecimal()):
        start += 1
    while end > start and _is_edge(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_edge(character: str) -> bool:
    is_punctuation = unicodedata.category(character).startswith("P") and character not in _UNITS
    return is_punctuation or character.isspace() or character in _SYMBOL_QUOTES


def segment(text: str, language: str) -> list[str]:
    """The words of a text as they stand, punctuation among them, without blanks."""
    if language not in SEGMENTERS:
        return text.split()
    if SEGMENTERS[language] == "syllables":
        return burmese_syllables(text)
    return newmm_words(text, keep_blanks=False)


def burmese_syllables(text: str) -> list[str]:
    """The syllables of a text, without blanks, which Burmese does not have between words."""
    marked = _OTHER_SCRIPT.sub(" ", _BEGINNING.sub(r" \g<0>", text))
    return marked.split()


def words(text: str, language: str) -> list[str]:
    """The words of a text, normalised, without punctuation at their ends."""
    text = normalise(text)
    found = [without_edge_punctuation(word) for word in segment(text, language)]
    return [word for word in found if word] or [text] * bool(text)


def newmm_words(text: str, *, keep_blanks: bool) -> list[str]:
    """The words of a Thai text by PyThaiNLP's newmm; `keep_blanks` makes words of blanks, too."""
    found: list[str] = required(*_SEGMENTER).word_tokenize(text, engine="newmm", keep_whitespace=keep_blanks)
    return found


def word_signature(language: str) -> str:
    """How words are found, with the version of what finds them; for signatures of scores."""
    if language not in SEGMENTERS:
        return "tok:blanks"
    if SEGMENTERS[language] == "syllables":
        return "tok:syllables"
    return f"tok:{SEGMENTERS[language]}|{newmm_version()}"


def newmm_version() -> str:
    """The version of what finds Thai words; for signatures of scores."""
    return version_of(*_SEGMENTER)
