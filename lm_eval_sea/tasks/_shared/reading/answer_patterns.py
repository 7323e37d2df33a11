"""Turns the phrases of `answer_phrases.py` into regular expressions, and finds them around a label. Pure functions, no I/O.

A `place` is the name of a field of `Phrases`. Lines are as `plain` returns them. A language without a file uses only the English
words.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from .answer_phrases import PHRASES, SPELLINGS, WRITTEN_TOGETHER, Phrases
from .answer_text import COLON, STOPS, plain


# The letters and vowel signs of words. `\w` lacks the vowel signs of South and Southeast Asian scripts.
WORD = "\\w\u0b80-\u0bff\u0e01-\u0e2e\u0e30-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
# `(?-i:)` makes these ranges case-sensitive. Otherwise they take most of the time to compile a pattern.
WORD_BEGIN, WORD_END = rf"(?-i:(?<![{WORD}]))", rf"(?-i:(?![{WORD}]))"
# The signs of these scripts that never begin a syllable.
SIGNS = (
    "\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064"
    "\u1067-\u106d\u1071-\u1074\u1082-\u108d\u17b6-\u17d3"
)
# What may come between two pieces, and between the last piece and the label.
_JOINT = rf"\s*(?:{COLON}|[,.!\u3002\u104a\u104b\u17d4]|[-–—]+)?\s*"
# What may end the line of an answer.
_END = rf"[\s{re.escape(STOPS)})\]}}\"'”’»`_]*"
_LONGEST_PREDICATE = 200


def without_lead_in(line: str, language: str) -> str:
    """The line without the words before its label; the whole line if there are none.

    If only a lower-case "a" is left, it is a word and not a label: "The answer is a" broke off, and so did Ilocano "Ti umno a".
    """
    rest = _before(language).sub("", line, count=1)
    return line if rest == "a" else rest


def is_end(rest: str, language: str) -> bool:
    """Whether `rest`, the line after a label, has only stops and words that may follow a label."""
    return _after(language).fullmatch(rest) is not None


def is_reason(rest: str, language: str) -> bool:
    """Whether `rest`, the line after a label, gives a reason ("because …"), perhaps after words that may follow a label."""
    return _because(language).match(rest) is not None


def predicate_of(rest: str, language: str) -> str:
    """The words at the beginning of `rest` that may follow a label: "is the answer"."""
    found = _words_behind(language).match(rest)
    return found[0] if found else ""


def without_ending(line: str, language: str) -> str:
    """A line without the words that may follow a label at its end: polite particles, "is the answer"."""
    ends = [match.start() for match in _endings(language).finditer(line) if line[: match.start()].strip()]
    return line[: ends[0]] if ends else line


def subject_of(line: str, language: str) -> str:
    """The words before "is the correct answer" or a similar predicate at the end of a line; empty if it has none."""
    begin = max(len(line) - _LONGEST_PREDICATE, 0)  # otherwise a long run of spaces takes quadratic time
    found = _predicate(language).search(line[begin:])
    return line[: begin + found.start()].strip() if found else ""


def up_to_reason(line: str, language: str) -> str:
    """A line without its reason ("…, because …"). In the Latin script a comma comes before the reason."""
    found = _reasons(language).search(line)
    return line[: found.start()] if found and line[: found.start()].strip() else line


def script_letters(language: str) -> str:
    """The letters for A, B, C, D, E in the script of a language; empty if there are none."""
    return PHRASES[language].letters if language in PHRASES else ""


def spellings(word: str) -> tuple[str, ...]:
    """All known spellings of a word, its own first."""
    return next(((word, *group) for group in SPELLINGS if word.casefold() in group), (word,))


def known_languages(language: str) -> list[str]:
    """The languages whose words are read in an answer of this language: itself, the one it names as `also`, English."""
    own = PHRASES.get(language, Phrases())
    return list(dict.fromkeys(code for code in (language, own.also, "en") if code in PHRASES))


@lru_cache(maxsize=1024)
def any_word(place: str, language: str) -> re.Pattern[str]:
    """Any word of one field of `Phrases`, in all `known_languages`."""
    return re.compile(alternatives(place, language), re.IGNORECASE)


def has_word(text: str, language: str, *places: str) -> bool:
    """Whether a text has a word of any of these fields of `Phrases`."""
    return any(any_word(place, language).search(text) for place in places)


@cache
def task_words(language: str) -> re.Pattern[str]:
    """The stems of "translate" and "summarise", also within a word. Text about a task has them; its result hardly ever does."""
    return re.compile("|".join(PHRASES[code].task for code in known_languages(language) if PHRASES[code].task), re.IGNORECASE)


def at_end(place: str, text: str, language: str) -> re.Match[str] | None:
    """The word of one field of `Phrases` at the end of a text. The end of "Lam-ang" is no word."""
    found = (match for match in any_word(place, language).finditer(text) if match.end() == len(text))
    return next((match for match in found if text[: match.start()][-1:] not in ("-", "'", "’")), None)


def begins_clause(before: str, language: str) -> bool:
    """Whether a word after the text `before` begins a clause: "so" may also mean "become" or "should".

    Thai and Lao put spaces between clauses.
    """
    stops = ("", "\n", "，", "；", *STOPS)
    return before.rstrip(" \t*_([–—-")[-1:] in stops or (language in ("th", "lo") and before[-1:] == " ")


def alternatives(place: str, language: str) -> str:
    words = [getattr(PHRASES[code], place) for code in known_languages(language)]
    return "|".join(map(bounded, filter(None, words))) or r"(?!)"


def whole_word(pattern: str) -> str:
    """The regular expression for a word that is part of no other."""
    return f"{WORD_BEGIN}(?:{pattern}){WORD_END}"


def bounded(words: str) -> str:
    """A regular expression for words: only whole words in the Latin script; other scripts may write words together."""
    return whole_word(words) if re.search(r"(?<!\\)[a-zđ]", words) else f"(?:{words})"


def _pieces(language: str, place: str) -> list[tuple[str, bool]]:
    """The pieces of a place, the longest first, and whether their language writes words together."""
    found = [
        (plain(piece).strip(), code in WRITTEN_TOGETHER)
        for code in known_languages(language)
        for piece in getattr(PHRASES[code], place).split("|")
        if piece.strip()
    ]
    # longest first, because a piece may begin with another
    return sorted(found, key=lambda piece: len(piece[0]), reverse=True)


def _pattern(piece: str, together: bool) -> str:
    words = (r"\s*" if together else r"\s+").join(map(re.escape, piece.split()))
    # Ilocano "letra a B" has a word before the label, "letra A" the label itself
    # a vowel or tone sign after it belongs to another word: Lao "ແມ່ນ" is "is", "ແມ່ນ້ຳ" a river
    end = f"(?![{SIGNS}])" if together else r"(?=\s+\w)" if piece.endswith(" a") else r"(?!\w)"
    return words.replace("'", "['’]").replace("é", "[ée]") + end


def _any_piece(language: str, place: str, apart: str = "", together: str = "") -> str:
    """A regular expression for one piece of a place. `together` comes before it if its language joins words, else `apart`."""
    return "|".join((together if joined else apart) + _pattern(piece, joined) for piece, joined in _pieces(language, place))


@cache
def lead_in_pieces(language: str) -> str:
    """A regular expression for one piece that may come before a label, at the beginning of a word."""
    pieces = _pieces(language, "before")
    apart = "|".join(_pattern(*piece) for piece in pieces if not piece[1])
    joined = "|".join(_pattern(*piece) for piece in pieces if piece[1])
    return "(?:" + "|".join(filter(None, (rf"(?<!\w)(?:{apart})" if apart else "", joined))) + ")"


@cache
def _before(language: str) -> re.Pattern[str]:
    return re.compile(rf"\A(?:(?:{_any_piece(language, 'before')}){_JOINT})+", re.IGNORECASE)


def _behind(language: str) -> str:
    """A regular expression for any number of pieces after a label."""
    pieces = _any_piece(language, "after", r"[\s,\-–—]+", r"[\s,]*")
    return rf"(?:{pieces})*"


@cache
def _words_behind(language: str) -> re.Pattern[str]:
    return re.compile(_behind(language), re.IGNORECASE)


@cache
def _after(language: str) -> re.Pattern[str]:
    return re.compile(_behind(language) + _END, re.IGNORECASE)


@cache
def _endings(language: str) -> re.Pattern[str]:
    return re.compile(rf"[\s\"'”’](?:{_any_piece(language, 'after')}){_END}\Z", re.IGNORECASE)


@cache
def _predicate(language: str) -> re.Pattern[str]:
    """Matches a predicate after a label that has a word for "answer": "is the correct answer"."""
    known = [PHRASES[code].answer for code in known_languages(language) if PHRASES[code].answer]
    names = re.compile("|".join(known), re.IGNORECASE)
    pieces = [_pattern(*piece) for piece in _pieces(language, "after") if names.search(piece[0])]
    return re.compile(rf"[\s\"'”’*,]*(?:{'|'.join(pieces) or '(?!)'})(?:{_behind(language)}){_END}\Z", re.IGNORECASE)


@cache
def _reasons(language: str) -> re.Pattern[str]:
    return re.compile(_any_piece(language, "because", r"[,;]\s*", r"\s*"), re.IGNORECASE)


@cache
def _because(language: str) -> re.Pattern[str]:
    words = _any_piece(language, "because", r"(?<!\w)")
    return re.compile(rf"{_behind(language)}{_END}[,;\u104a\u104b–—\s-]*(?:{words})", re.IGNORECASE)
