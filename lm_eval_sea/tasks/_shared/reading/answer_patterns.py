"""What stands around an answer, from the phrases of `answer_phrases.py`. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache

from .answer_phrases import PHRASES, SPELLINGS, WRITTEN_TOGETHER, Phrases
from .answer_text import COLON, STOPS, plain


# What may stand between two pieces, and between the last and the label.
_JOINT = rf"\s*(?:{COLON}|[,.!\u3002\u104a\u104b\u17d4]|[-–—]+)?\s*"
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


def is_reason(rest: str, language: str) -> bool:
    """Whether a reason follows a label, "because …", also behind words that may stand behind a label. What it says is not read.

    Args:
        rest: the line behind the label, as `plain` returns it.
        language: as above.
    """
    return _because(language).match(rest) is not None


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
    """The pieces of a place, a field of `Phrases`, and whether their language writes words together. Longest first."""
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
    # Ilocano "letra a B" has a word before the label, "letra A" the label itself
    end = "" if together else r"(?=\s+\w)" if piece.endswith(" a") else r"(?!\w)"
    return words.replace("'", "['’]").replace("é", "[ée]") + end


@cache
def _before(language: str) -> re.Pattern[str]:
    pieces = "|".join(_pattern(*piece) for piece in _pieces(language, "before"))
    return re.compile(rf"\A(?:(?:{pieces}){_JOINT})+", re.IGNORECASE)


def _behind(language: str) -> str:
    """What any number of pieces behind a label look like."""
    pieces = "|".join(
        (r"[\s,]*" if together else r"[\s,\-–—]+") + _pattern(piece, together) for piece, together in _pieces(language, "after")
    )
    return rf"(?:{pieces})*"


@cache
def _after(language: str) -> re.Pattern[str]:
    return re.compile(_behind(language) + _END, re.IGNORECASE)


@cache
def _because(language: str) -> re.Pattern[str]:
    words = "|".join(
        ("" if together else r"(?<!\w)") + _pattern(piece, together) for piece, together in _pieces(language, "because")
    )
    return re.compile(rf"{_behind(language)}{_END}[,;\u104a\u104b–—\s-]*(?:{words})", re.IGNORECASE)
