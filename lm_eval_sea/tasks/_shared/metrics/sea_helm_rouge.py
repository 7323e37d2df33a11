"""ROUGE-L as SEA-HELM computes it for summaries. Pure functions, no I/O.

SEA-HELM uses the multilingual ROUGE of XL-Sum (Hasan et al. 2021, github.com/csebuetnlp/xl-sum): BERT's clean-up, then words by
language. It differs from the pack's own ROUGE-L (`words.py`, `overlap.py`): there is no Unicode normal form, all punctuation
separates words, spaces are words in Thai, and Burmese syllables follow another rule.
"""

from __future__ import annotations

import re
import unicodedata

from .overlap import rouge_l
from .words import newmm_version, newmm_words


_REPLACEMENT_CHARACTER = "\ufffd"
# How the tokenizer of SEA-HELM (OpenNMT's, mode "aggressive") writes two of its own marks when they occur in a text.
_MARKS = str.maketrans({"\uffed": "\u25a0", "\uffe8": "\u2502"})
# Chinese characters are words by themselves.
_CHINESE = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\U0002f800-\U0002fa1f]"
)
# Replaces a space that carries a combining mark. It is punctuation, which has been removed, so no text has it.
_BLANK = "\uff05"
_ASAT = "\u103a"
_DOT_BELOW = "\u1037"
_STACKER = "\u1039"
# Vowel signs, tones, medials and the asat, which belong to the letter before them. The dot below and the stacker are separate.
_DEPENDENT = frozenset("\u102b\u102c\u102d\u102e\u102f\u1030\u1031\u1032\u1036\u1037\u1038\u103a\u103b\u103c\u103d\u103e")


def sea_helm_rouge_l(answer: str, reference: str, language: str) -> float:
    """F1 of the longest common subsequence of words (Lin 2004), 0 to 100."""
    return 100 * rouge_l(sea_helm_words(answer, language), sea_helm_words(reference, language))


def sea_helm_words(text: str, language: str) -> list[str]:
    """The words of a text as SEA-HELM's ROUGE-L counts them.

    Thai: PyThaiNLP's newmm, with spaces as words. Burmese: syllables. Other languages, and texts in which these find nothing: the
    parts between spaces, with letters apart from digits and every symbol alone.
    """
    text = _without_punctuation(text.lower().strip())
    if language == "th":
        found = newmm_words(text, keep_blanks=True)
    elif language == "my":
        found = _syllables(text)
    else:
        found = []
    return [word for word in found or _letters_and_digits(text) if word]


def signature(language: str) -> str:
    """How the words were found; for the signature of the score."""
    if language == "th":
        return f"rougeL:sea-helm|tok:newmm+blanks|{newmm_version()}"
    return f"rougeL:sea-helm|tok:{'syllables-sea-helm' if language == 'my' else 'letters-digits'}"


def _without_punctuation(text: str) -> str:
    """The text without control characters, with one space for each run of white space and punctuation.

    Control characters are all of Unicode's C* except tab and line breaks, so also zero-width ones. Punctuation is Unicode's P*
    and all ASCII other than letters, digits and spaces.
    """
    characters = []
    for character in text:
        category = unicodedata.category(character)
        if character in "\t\n\r" or category == "Zs":
            characters.append(" ")
        elif character == _REPLACEMENT_CHARACTER or category.startswith("C"):
            continue
        elif category.startswith("P") or (character.isascii() and not character.isalnum()):
            characters.append(" ")
        else:
            characters.append(character)
    return " ".join("".join(characters).split())


def _syllables(text: str) -> list[str]:
    """Burmese syllables: a letter with the signs that depend on it, what closes it, and what is stacked below it.

    SEA-HELM's scorer takes this rule from doi.org/10.1145/3325885. Spaces are dropped first. Each character of another script
    is a syllable. A unit with an asat and fewer than four characters closes the unit before it; of several such units in a row,
    only the first does.
    """
    text = "".join(text.replace(_DOT_BELOW + _ASAT, _ASAT + _DOT_BELOW).split())
    units: list[str] = []
    for character in text:
        if units and character in _DEPENDENT:
            units[-1] += character
        else:
            units.append(character)
    syllables: list[str] = []
    follows_closing = False
    for unit in units:
        closes = bool(syllables) and _ASAT in unit and len(unit) < 4
        if closes and not follows_closing:
            syllables[-1] += unit
        else:
            syllables.append(unit)
        follows_closing = closes
    return " ".join(syllables).replace(f" {_STACKER} ", _STACKER).split()


def _letters_and_digits(text: str) -> list[str]:
    """Runs of letters, runs of digits and single symbols, each with the combining marks after it; single Chinese characters."""
    words: list[str] = []
    for part in text.split():
        previous = ""
        for character in part.translate(_MARKS):
            kind = unicodedata.category(character)[0]
            if kind == "M" and previous or kind == previous and kind in "LN":
                words[-1] += character
            elif kind == "M":  # a mark after a space gets a base; a mark that begins the text stays alone
                words.append(f"{_BLANK}{character}" if words else character)
                previous = kind
            else:
                words.append(character)
                previous = kind
    return _CHINESE.sub(r" \g<0> ", " ".join(words)).split()
