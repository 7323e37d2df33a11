"""Question words, and which words of a sentence repeat a question. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from ..facts import read_yaml
from ..metrics.words import normalise, segment
from .answer_patterns import bounded
from .answer_text import STOPS, TRIM


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
# A consonant that may end a syllable and that no vowel follows: it does not begin the next one.
_CODA = (
    rf"(?:[\u0e81\u0e87\u0e8d\u0e94\u0e99\u0e9a\u0ea1\u0ea7\u0ebd]{_NO_VOWEL}"
    rf"(?!\u0ea7[{_SIGN}{_VOWEL}])(?![{_EITHER}](?![{_SIGN}{_VOWEL}{_EITHER}]))\u0ecc?)"
)
_LAO_SYLLABLE = re.compile(
    rf"{_LATIN}|[\u0ec0-\u0ec4]{_ONSET}[{_SIGN}]*{_RIME}?{_CODA}?"
    rf"|{_ONSET}(?:[{_SIGN}]+{_RIME}?|{_RIME}){_CODA}?|\S[{_SIGN}{_VOWEL}]*"
)
PREFIXING = {"id", "ms", "jv", "su", "tl", "ilo"}
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
    found = [
        taken or copula.fullmatch(word) is not None for taken, word in zip(_repeated(said, asked, language), said, strict=True)
    ]
    for verb in _copulas_of_syllables(language):
        for begin in range(len(said)):
            if said[begin : begin + len(verb)] == verb:
                found[begin : begin + len(verb)] = [True] * len(verb)
    for number in range(len(said) - 1):  # an article belongs to what follows it
        found[number] &= found[number + 1] or not article.fullmatch(said[number])
    return found


@cache
def _copulas_of_syllables(language: str) -> list[list[str]]:
    """The copulas of several syllables in languages that are compared by syllables."""
    verbs = _WORDS[language].get("copula", "").split("|") if language in UNSEGMENTED else []
    return [syllables for verb in verbs if len(syllables := normal_words(verb, language)) > 1]


def _repeated(said: Sequence[str], asked: Sequence[str], language: str) -> list[bool]:
    """Whether each word repeats one of the question, as often as that has it: the phrase that answers may have it again.

    Of two places with the same word, the one counts that stands in the longer run: "miễn dịch học … hệ thống miễn dịch". Of
    syllables, only runs of two count or, in Lao, where many words have one, one at an end of a part of the question.
    """
    found, left = [False] * len(said), list(asked)
    for begin, place, size in _tiles(said, asked):
        is_end = "" in ("", *asked, "")[place : place + 3 : 2]
        if language not in UNSEGMENTED or size > 1 or (language == "lo" and is_end):
            found[begin : begin + size] = [True] * size
            left[place : place + size] = [""] * size
    if language in {"en", "ta", *PREFIXING}:
        for number, word in enumerate(said):
            form = next((other for other in left if other and not found[number] and _are_forms(word, other, language)), None)
            if form:
                found[number] = True
                left[left.index(form)] = ""
    return found


def _tiles(said: Sequence[str], asked: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Equal runs of words, longest first, no word in two of them: where a run begins in the first and the second text; its size.

    Greedy string tiling: Wise (1993), String similarity via greedy string tiling and running Karp-Rabin matching. Empty words
    of the second text are equal to none.
    """
    ours: list[str | None] = list(said)
    theirs = [word or None for word in asked]

    def shared(each: tuple[int, int]) -> int:
        run = takewhile(lambda pair: pair[0] == pair[1] is not None, zip(ours[each[0] :], theirs[each[1] :], strict=False))
        return len(list(run))

    places = [(begin, place) for begin, word in enumerate(ours) for place, other in enumerate(theirs) if word == other]
    while places:
        begin, place = max(places, key=shared)  # of several, the first
        size = shared((begin, place))
        yield begin, place, size
        ours[begin : begin + size] = theirs[place : place + size] = [None] * size
        places = [each for each in places if ours[each[0]] is not None and theirs[each[1]] is not None]


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
