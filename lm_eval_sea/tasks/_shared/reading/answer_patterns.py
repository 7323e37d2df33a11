"""The phrases of `answer_phrases.py` as patterns: words of a place anywhere, pieces around a label. Pure functions, no I/O.

Lines come as `plain` returns them. Of a language that the table lacks only English words are known.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from .answer_phrases import PHRASES, SPELLINGS, WRITTEN_TOGETHER, Phrases
from .answer_text import COLON, STOPS, plain


# The letters and vowel signs of words. `\w` lacks the signs of the scripts of Southern and Southeast Asia.
WORD = "\\w\u0b80-\u0bff\u0e01-\u0e2e\u0e30-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
# The signs of these scripts that no syllable begins with.
SIGNS = (
    "\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064"
    "\u1067-\u106d\u1071-\u1074\u1082-\u108d\u17b6-\u17d3"
)
# What may stand between two pieces, and between the last and the label.
_JOINT = rf"\s*(?:{COLON}|[,.!\u3002\u104a\u104b\u17d4]|[-–—]+)?\s*"
# What may end the line of an answer.
_END = rf"[\s{re.escape(STOPS)})\]}}\"'”’»`_]*"
_LONGEST_PREDICATE = 200


def without_lead_in(line: str, language: str) -> str:
    """What follows the words that may stand before a label; the whole line if there are none.

    A lower-case "a" at the end is a word and not a label: "The answer is a" was cut off, and so was the Ilocano "Ti umno a".
    """
    rest = _before(language).sub("", line, count=1)
    return line if rest == "a" else rest


def is_end(rest: str, language: str) -> bool:
    """Whether `rest`, the line behind a label, has only words that may stand there, and stops."""
    return _after(language).fullmatch(rest) is not None


def is_reason(rest: str, language: str) -> bool:
    """Whether `rest`, the line behind a label, gives a reason ("because …"), perhaps after words that may stand there."""
    return _because(language).match(rest) is not None


def without_ending(line: str, language: str) -> str:
    """A line without the words that may stand behind a label at its end: polite particles, "is the answer"."""
    ends = [match.start() for match in _endings(language).finditer(line) if line[: match.start()].strip()]
    return line[: ends[0]] if ends else line


def subject_of(line: str, language: str) -> str:
    """What a line says to be the answer before a whole predicate such as "is the correct answer"; empty without one."""
    begin = max(len(line) - _LONGEST_PREDICATE, 0)  # the time would grow with the square of a run of blanks
    found = _predicate(language).search(line[begin:])
    return line[: begin + found.start()].strip() if found else ""


def up_to_reason(line: str, language: str) -> str:
    """A line up to the comma or the words of another script behind which a reason begins ("…, because …")."""
    found = _reasons(language).search(line)
    return line[: found.start()] if found and line[: found.start()].strip() else line


def script_letters(language: str) -> str:
    """What stands for A, B, C, D, E in the script of a language; empty if nothing does."""
    return PHRASES[language].letters if language in PHRASES else ""


def spellings(word: str) -> tuple[str, ...]:
    """All spellings of a word, itself first."""
    return next(((word, *group) for group in SPELLINGS if word.casefold() in group), (word,))


def known_languages(language: str) -> list[str]:
    """The languages whose pieces are read in one."""
    own = PHRASES.get(language, Phrases())
    return list(dict.fromkeys(code for code in (language, own.also, "en") if code in PHRASES))


@lru_cache(maxsize=1024)
def any_word(place: str, language: str) -> re.Pattern[str]:
    """Any of the words of one field of `Phrases`, in the languages that are read in one."""
    return re.compile(alternatives(place, language), re.IGNORECASE)


def has_word(text: str, language: str, *places: str) -> bool:
    """Whether a text has any of the words of some fields of `Phrases`."""
    return any(any_word(place, language).search(text) for place in places)


@cache
def task_words(language: str) -> re.Pattern[str]:
    """The stems of "translate" and "summarise", also within a word. They speak about a text, and hardly ever stand in it."""
    return re.compile("|".join(PHRASES[code].task for code in known_languages(language) if PHRASES[code].task), re.IGNORECASE)


def at_end(place: str, text: str, language: str) -> re.Match[str] | None:
    """The word of one field of `Phrases` that a text ends with."""
    return next((match for match in any_word(place, language).finditer(text) if match.end() == len(text)), None)


def begins_clause(before: str, language: str) -> bool:
    """Whether a clause begins behind a text: "so" may also mean "become" or "should". Thai and Lao set blanks between clauses."""
    stops = ("", "\n", "，", "；", *STOPS)
    return before.rstrip(" \t*_([–—-")[-1:] in stops or (language in ("th", "lo") and before[-1:] == " ")


def alternatives(place: str, language: str) -> str:
    words = [getattr(PHRASES[code], place) for code in known_languages(language)]
    return "|".join(map(bounded, filter(None, words))) or r"(?!)"


def bounded(words: str) -> str:
    """A regular expression of words: whole ones in the Latin script; other scripts may write them together."""
    return rf"(?<![{WORD}])(?:{words})(?![{WORD}])" if re.search(r"(?<!\\)[a-zđ]", words) else f"(?:{words})"


def _pieces(language: str, place: str) -> list[tuple[str, bool]]:
    """The pieces of a place, a field of `Phrases`, and whether their language writes words together. Longest first."""
    found = [
        (plain(piece).strip(), code in WRITTEN_TOGETHER)
        for code in known_languages(language)
        for piece in getattr(PHRASES[code], place).split("|")
        if piece.strip()
    ]
    # one may begin with another
    return sorted(found, key=lambda piece: len(piece[0]), reverse=True)


def _pattern(piece: str, together: bool) -> str:
    words = (r"\s*" if together else r"\s+").join(map(re.escape, piece.split()))
    # Ilocano "letra a B" has a word before the label, "letra A" the label itself
    # a vowel or tone sign behind it belongs to another word: Lao "ແມ່ນ" is "is", "ແມ່ນ້ຳ" a river
    end = f"(?![{SIGNS}])" if together else r"(?=\s+\w)" if piece.endswith(" a") else r"(?!\w)"
    return words.replace("'", "['’]").replace("é", "[ée]") + end


def _any_piece(language: str, place: str, apart: str = "", together: str = "") -> str:
    """A regular expression of one piece of a place, behind another one for languages that write words apart, or together."""
    return "|".join((together if joined else apart) + _pattern(piece, joined) for piece, joined in _pieces(language, place))


@cache
def lead_in_pieces(language: str) -> str:
    """A regular expression of one piece that may stand before a label, at the beginning of a word."""
    pieces = _pieces(language, "before")
    apart = "|".join(_pattern(*piece) for piece in pieces if not piece[1])
    joined = "|".join(_pattern(*piece) for piece in pieces if piece[1])
    return "(?:" + "|".join(filter(None, (rf"(?<!\w)(?:{apart})" if apart else "", joined))) + ")"


@cache
def _before(language: str) -> re.Pattern[str]:
    return re.compile(rf"\A(?:(?:{_any_piece(language, 'before')}){_JOINT})+", re.IGNORECASE)


def _behind(language: str) -> str:
    """What any number of pieces behind a label look like."""
    pieces = _any_piece(language, "after", r"[\s,\-–—]+", r"[\s,]*")
    return rf"(?:{pieces})*"


@cache
def _after(language: str) -> re.Pattern[str]:
    return re.compile(_behind(language) + _END, re.IGNORECASE)


@cache
def _endings(language: str) -> re.Pattern[str]:
    return re.compile(rf"[\s\"'”’](?:{_any_piece(language, 'after')}){_END}\Z", re.IGNORECASE)


@cache
def _predicate(language: str) -> re.Pattern[str]:
    """The pieces behind a label that have a word for "answer"."""
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
