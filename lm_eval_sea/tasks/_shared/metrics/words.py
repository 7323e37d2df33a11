"""Text normalisation and words for scores of short answers and of overlap. Pure functions, no I/O.

It is made for the languages of the pack: there are no English articles and no ASCII punctuation table. Thai words come from a
segmenter, because spaces do not separate them, and Burmese is counted in syllables.
"""

from __future__ import annotations

import re
import unicodedata

from ..reading.answer_text import composed
from .optional_packages import required, version_of


# Languages without spaces between words → what finds their words.
SEGMENTERS = {"th": "newmm", "my": "syllables"}
# Languages in which a phrase is looked for among characters, because blanks do not separate words.
WITHOUT_BLANKS = {*SEGMENTERS, "km", "lo", "shn", "zh"}
_SEGMENTER = ("pythainlp", "scores of Thai text")  # and what needs it

# The beginning of a syllable: a consonant that is neither stacked below another (after U+1039) nor closes a syllable (before
# U+103A or U+1039), an independent vowel or other sign that is a whole syllable, a digit, or a punctuation mark. This is the
# rule of sylbreak (Ye Kyaw Thu, github.com/ye-kyaw-thu/sylbreak), except that the tone mark U+1037, which Unicode puts before
# U+103A, may come first, and that runs of other scripts stay whole up to the next space.
_CONSONANT = r"(?<!\u1039)[\u1000-\u1021](?!\u1037?[\u103a\u1039])"
_BY_ITSELF = r"[\u1023-\u1027\u1029\u102a\u103f\u1040-\u104f]"
_BEGINNING = re.compile(f"{_CONSONANT}|{_BY_ITSELF}")
_OTHER_SCRIPT = re.compile(r"(?<=[\u1000-\u109f])(?=[^\u1000-\u109f])")

# Thai and Lao, Burmese, Khmer, Shan's further letters, Han.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SPACED = rf"(?:[^\W_{_UNSPACED}]|\d)"  # a letter of the other scripts, or a digit
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_BLANK_WITHIN = re.compile(rf"(?<!{_SPACED}) | (?!{_SPACED})")
# What continues a cluster of characters: marks, Thai and Lao vowels after their consonant, a Burmese consonant that closes its
# syllable. And what a cluster continues after: vowels before their consonant, and signs that stack the next one.
_MARKS = "".join(
    character
    for first, last in ((0x300, 0x36F), (0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F))
    for character in map(chr, range(first, last + 1))
    if unicodedata.category(character).startswith("M")
)
_IN_CLUSTER = (
    rf"(?=[{_MARKS}\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3])|(?=[\u1000-\u1021]\u1037?[\u103a\u1039])"
    r"|(?<=[\u0e40-\u0e44\u0ec0-\u0ec4\u1039\u17d2])"
)

_NO_BEGIN = re.compile(rf"{_IN_CLUSTER}|(?<=\d[.,])(?=\d)|(?<={_SPACED})(?![{_UNSPACED}])")
_NO_END = re.compile(rf"{_IN_CLUSTER}|(?<=\d)(?=[.,]\d)|(?<![{_UNSPACED}])(?={_SPACED})")

# Punctuation by Unicode that is part of a quantity.
_UNITS = "%‰"
# Quotation marks that Unicode counts among the symbols.
_SYMBOL_QUOTES = "`´"


def normalise(text: str) -> str:
    """A text without differences that do not change an answer.

    In this order: invisible format characters (zero-width ones, soft hyphens) are removed; Unicode NFC with one form of Thai and
    Lao vowels (`composed`); lower case; digits of all scripts become ASCII digits; white space becomes single spaces; punctuation
    of all scripts is cut off at both ends, but not if the text is only punctuation.
    """
    text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    text = composed(composed(text).lower())
    text = "".join(str(unicodedata.decimal(character, character)) for character in text)
    text = " ".join(text.split())
    return without_edge_punctuation(text) or text


def without_edge_punctuation(text: str) -> str:
    """The text without punctuation and spaces at its ends. Units (%) and the minus of a number stay."""
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
    """The unchanged words of a text, with punctuation and without spaces."""
    if language not in SEGMENTERS:
        return text.split()
    if SEGMENTERS[language] == "syllables":
        return burmese_syllables(text)
    return newmm_words(text, keep_blanks=False)


def burmese_syllables(text: str) -> list[str]:
    """The syllables of a text. Spaces are left out, because they do not separate Burmese words."""
    marked = _OTHER_SCRIPT.sub(" ", _BEGINNING.sub(r" \g<0>", text))
    return marked.split()


def words(text: str, language: str) -> list[str]:
    """The words of a text, normalised, without punctuation at their ends."""
    text = normalise(text)
    found = [without_edge_punctuation(word) for word in segment(text, language)]
    return [word for word in found if word] or [text] * bool(text)


def stands_in(phrase: str, text: str) -> bool:
    """Whether a text has a phrase as whole words or, in scripts without spaces between words, as whole clusters of characters.

    Spaces in the phrase do not count. In a text with such a script, neither do spaces, except between letters of other scripts or
    digits.
    """
    forms, texts = {phrase, phrase.replace(" ", "")}, {text}
    if _HAS_UNSPACED.search(text):
        forms.add(_BLANK_WITHIN.sub("", phrase))
        texts.add(_BLANK_WITHIN.sub("", text))
    return any(_is_whole_in(there, form) for there in texts for form in forms)


def _is_whole_in(text: str, form: str) -> bool:
    # compiling a pattern for each phrase would take ten times as long
    begin = text.find(form)
    while begin >= 0:
        if not _NO_BEGIN.match(text, begin) and not _NO_END.match(text, begin + len(form)):
            return True
        begin = text.find(form, begin + 1)
    return False


def newmm_words(text: str, *, keep_blanks: bool) -> list[str]:
    """The words of a Thai text by PyThaiNLP's newmm. With `keep_blanks`, spaces are words, too."""
    found: list[str] = required(*_SEGMENTER).word_tokenize(text, engine="newmm", keep_whitespace=keep_blanks)
    return found


def word_signature(language: str) -> str:
    """How words are found and by which version, for signatures of scores."""
    if language not in SEGMENTERS:
        return "tok:blanks"
    if SEGMENTERS[language] == "syllables":
        return "tok:syllables"
    return f"tok:{SEGMENTERS[language]}|{newmm_version()}"


def newmm_version() -> str:
    """The version of PyThaiNLP, for signatures of scores."""
    return version_of(*_SEGMENTER)
