"""What stands around an answer, from the phrases of `answer_phrases.py`. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache

from .answer_phrases import PHRASES, SPELLINGS, WRITTEN_TOGETHER, Phrases
from .answer_text import COLON, STOPS, plain


# What may stand between two pieces, and between the last and the label.
_JOINT = rf"\s*(?:{COLON}|[,\u104a\u104b]|[-–—]+)?\s*"
# What may end the line of an answer.
_END = rf"[\s{re.escape(STOPS)})\]}}\"'”’»`_]*"


def without_lead_in(line: str, language: str) -> str:
    """What follows the words that may stand before a label; the whole line if there are none.

    A lower-case "a" at the end is none of the labels but a word: "The answer is a" was cut off, in Ilocano "Ti umno a".

    Args:
        line: a line of an answer, as `plain` returns it.
        language: code of the language; of one that the table lacks only English words are known.
    """
    rest = _before(language).sub("", line, count=1)
    return line if rest == "a" and rest != line else rest


def is_end(rest: str, language: str) -> bool:
    """Whether nothing follows a label but words that may stand behind one, and stops.

    Args:
        rest: the line behind the label, as `plain` returns it.
        language: as above.
    """
    return _after(language).fullmatch(rest) is not None


def script_letters(language: str) -> str:
    """What stands for A, B, C, D, E in the script of a language; empty if nothing does."""
    return PHRASES[language].letters if language in PHRASES else ""


def spellings(word: str) -> tuple[str, ...]:
    """All spellings of a word, itself first."""
    return next(((word, *group) for group in SPELLINGS if word.casefold() in group), (word,))


def _known(language: str) -> list[str]:
    """The languages whose pieces are read in one."""
    own = PHRASES.get(language, Phrases())
    return list(dict.fromkeys(code for code in (language, own.also, "en") if code in PHRASES))


def _pieces(language: str, place: str) -> list[tuple[str, bool]]:
    """The pieces of a place, "before" or "after", and whether their language writes words together. Longest first."""
    found = [
        (plain(piece).strip(), code in WRITTEN_TOGETHER)
        for code in _known(language)
        for piece in getattr(PHRASES[code], place).split("|")
        if piece.strip()
    ]
    # one may begin with another
    return sorted(found, key=lambda piece: len(piece[0]), reverse=True)


def _pattern(piece: str, together: bool) -> str:
    words = (r"\s*" if together else r"\s+").join(map(re.escape, piece.split()))
    return words.replace("'", "['’]").replace("é", "[ée]") + ("" if together else r"(?!\w)")


@cache
def _before(language: str) -> re.Pattern[str]:
    pieces = "|".join(_pattern(*piece) for piece in _pieces(language, "before"))
    return re.compile(rf"\A(?:(?:{pieces}){_JOINT})+", re.IGNORECASE)


@cache
def _after(language: str) -> re.Pattern[str]:
    pieces = "|".join(
        (r"[\s,]*" if together else r"[\s,\-–—]+") + _pattern(piece, together) for piece, together in _pieces(language, "after")
    )
    return re.compile(rf"(?:{pieces})*{_END}", re.IGNORECASE)
