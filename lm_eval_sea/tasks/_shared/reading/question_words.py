"""Question words, and which words of a sentence repeat a question. Pure functions, no I/O."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from ..facts import read_yaml
from ..metrics.words import normalise, segment
from .answer_patterns import bounded
from .answer_text import STOPS, TRIM


if TYPE_CHECKING:
    from collections.abc import Sequence


# Language → name → regular expression, as the file explains.
_WORDS: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("question_words.yml"))
# Languages whose words are not segmented here → about how many syllables a word has. Syllables are compared instead.
UNSEGMENTED = {"km": 3, "lo": 2, "zh": 2}
_LATIN = r"[A-Za-z\d][A-Za-z\d.,-]*"
_SYLLABLE = re.compile(rf"{_LATIN}|\S(?:[\u17b4-\u17d1\u200b]|\u17d2.)*")  # a Khmer consonant that closes one counts as another
# Lao letters: signs above and below a consonant, vowels behind one, consonants, and those that are either.
_SIGN, _VOWEL, _EITHER = "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd", "\u0eb0\u0eb2\u0eb3", "\u0ea7\u0ead\u0ebd"
_CONSONANT = "\u0e81-\u0eae\u0edc-\u0edf"
_NO_VOWEL = rf"(?![{_SIGN}{_VOWEL}])"
_ONSET = (
    rf"(?:\u0eab[\u0e87\u0e8d\u0e99\u0ea1\u0ea3\u0ea5\u0ea7](?=[{_SIGN}{_VOWEL}{_EITHER}])"  # a silent h
    rf"|[\u0e81-\u0e8a\u0e96\u0e97\u0eaa\u0eab]\u0ea7(?=[{_SIGN}{_VOWEL}])|[{_CONSONANT}])"  # kw, khw, …
)
_RIME = rf"(?:\u0eb2?[{_VOWEL}]|[{_EITHER}]{_NO_VOWEL})"
# A consonant that no vowel follows: it does not begin the next syllable.
_CODA = rf"(?:[{_CONSONANT}\u0ebd]{_NO_VOWEL}(?!\u0ea7[{_SIGN}{_VOWEL}])(?![{_EITHER}](?![{_SIGN}{_VOWEL}{_EITHER}]))\u0ecc?)"
_LAO_SYLLABLE = re.compile(
    rf"{_LATIN}|[\u0ec0-\u0ec4]{_ONSET}[{_SIGN}]*{_RIME}?{_CODA}?"
    rf"|{_ONSET}(?:[{_SIGN}]+{_RIME}?|{_RIME}){_CODA}?|\S[{_SIGN}{_VOWEL}]*"
)
PREFIXING = {"id", "ms", "jv", "su", "tl"}
_LONGEST_AFFIXES = 6  # characters of a prefix and a suffix: "dilahirkeun"
_SHORTEST_STEM = 4  # characters; another form of a word has at most as many more


@cache
def pattern(name: str, language: str) -> re.Pattern[str]:
    """The words of a language under one name of `question_words.yml`; a pattern that never matches if it has none."""
    return re.compile(bounded(_WORDS.get(language, {}).get(name, "(?!)")), re.IGNORECASE)


def places_of_words(text: str, language: str) -> list[tuple[int, int]]:
    """Begin and end of each word; of Khmer, Lao and Chinese, of each syllable."""
    if language in UNSEGMENTED:
        return [syllable.span() for syllable in (_LAO_SYLLABLE if language == "lo" else _SYLLABLE).finditer(text)]
    places = list[tuple[int, int]]()
    for word in segment(text, language):
        begin = max(text.find(word, places[-1][1] if places else 0), 0)
        places.append((begin, begin + len(word)))
    return places


def normal_words(text: str, language: str) -> list[str]:
    """The words of `places_of_words`, normalised."""
    return [normalise(text[begin:end]) for begin, end in places_of_words(text, language)]


def words_beside(question: str, found: re.Match[str] | None, language: str) -> tuple[list[str], list[str]]:
    """The words of a question before and after the question word."""
    begin, end = found.span() if found else (0, 0)
    before, behind = (normal_words(part.strip(STOPS + TRIM + "?？"), language) for part in (question[:begin], question[end:]))
    return before, behind


def taken_up(said: Sequence[str], asked: Sequence[str], language: str) -> list[bool]:
    """Whether each word of a sentence repeats one of the question, or is a copula: "adalah"."""
    copula, article = pattern("copula", language), pattern("article", language)
    is_unsegmented = language in UNSEGMENTED
    if is_unsegmented:
        pairs = zip(_aligned(said, asked, language), _aligned(said, _syllables_of_copula(language), language), strict=True)
        found = [taken or is_copula for taken, is_copula in pairs]
    else:
        found = _counted(said, asked, language)
    found = [taken or copula.fullmatch(word) is not None for taken, word in zip(found, said, strict=True)]
    for number in range(len(said) - 1):  # an article belongs to what follows it
        found[number] &= found[number + 1] or not article.fullmatch(said[number])
    return found


@cache
def _syllables_of_copula(language: str) -> list[str]:
    """The syllables of each copula, after an empty one that no sentence has."""
    verbs = _WORDS.get(language, {}).get("copula", "").split("|")
    return [syllable for verb in verbs for syllable in ("", *normal_words(verb, language))]


def _counted(said: Sequence[str], asked: Sequence[str], language: str) -> list[bool]:
    """Whether each word repeats one of the question, as often as that has it: the phrase that answers may have it again."""
    left = Counter(asked)
    found = []
    for word in said:
        own = word
        if left[word] <= 0 and language in {"en", "ta", *PREFIXING}:
            own = next((other for other, number in left.items() if number > 0 and _are_forms(word, other, language)), word)
        found.append(left[own] > 0)
        left[own] -= 1
    return found


def _are_forms(word: str, other: str, language: str) -> bool:
    """Whether two words are forms of one: "sells" and "sell"; "membangun" and "dibangun", "harganya" and "harga"."""
    short, long = sorted((word, other), key=len)
    if language in PREFIXING and len(short) >= _SHORTEST_STEM and long.startswith(short):
        return len(long) - len(short) < _SHORTEST_STEM
    if language in PREFIXING and len(short) > _SHORTEST_STEM and short in long:
        return len(long) - len(short) <= _LONGEST_AFFIXES
    step = -1 if language in PREFIXING else 1
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(word[::step], other[::step], strict=False))))
    most = 2 * _SHORTEST_STEM if language == "ta" else _SHORTEST_STEM  # vowel signs are characters, too
    return shared >= most and max(len(word), len(other)) - shared <= most


def _aligned(said: Sequence[str], asked: Sequence[str], language: str) -> list[bool]:
    """Whether each syllable repeats one of the question. Runs of at least two count.

    In Lao, where many words have one syllable, one counts that begins or ends a part of the question.
    """
    found, begin = [False] * len(said), 0
    there = "\n".join(("", "", *asked, "", ""))
    while begin < len(said):
        size = 0
        while begin + size < len(said) and "\n".join(("", *said[begin : begin + size + 1], "")) in there:
            size += 1
        run = "\n".join(said[begin : begin + size])
        if size > 1 or (size == 1 and language == "lo" and (f"\n\n{run}\n" in there or f"\n{run}\n\n" in there)):
            found[begin : begin + size] = [True] * size
        begin += max(size, 1)
    return found
