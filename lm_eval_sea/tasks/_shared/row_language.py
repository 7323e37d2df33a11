"""Whether the rows of a file are in the language that its name says."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from .metrics.target_language import LATIN, SCRIPTS, TOLD_APART, identify, letters_by_script


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_ROWS = 60  # at most this many are looked at, evenly spaced
_FEWEST = 20  # rows; fewer do not show their language with certainty
_LETTERS = 2000  # characters of a row that are looked at
_NO_TEXT_OF_ROW = {"id", "cluster", "letters", "label", "options", "lettered_options"}
_TRANSLATION = "translation"  # the column of a translation, into the language or from it
_OF_OTHER_LANGUAGES = {"english", "indonesian", "code"}
_ALIKE = {"id": {"ms", "jv", "su"}, "ms": {"id"}, "jv": {"id", "ms", "su"}, "su": {"id", "ms", "jv"}}  # in short rows
_BY_LETTERS = SCRIPTS | dict.fromkeys(("ceb", "ilo", "war", "kac"), LATIN) | {"zh": "CJK"}


def other_language(rows: Sequence[Mapping[str, Any]], language: str) -> str | None:
    """The language or script of most rows, if it is not the expected one and the two can be told apart; else None.

    Latin text needs py3langid; without it, only scripts are compared. Of a translation, only the column `translation` counts.
    Files with few rows, and other rows with texts in two languages, are not looked at.
    """
    if language not in TOLD_APART | _BY_LETTERS.keys() or len(rows) < _FEWEST:
        return None
    if _TRANSLATION not in rows[0] and _OF_OTHER_LANGUAGES & rows[0].keys():
        return None
    texts = [text for row in rows[:: -(-len(rows) // _ROWS)] if (text := row.get(_TRANSLATION) or _text_of(row))]
    found = Counter(script for text in texts for script, _ in letters_by_script(text).most_common(1) if script)
    wanted = _BY_LETTERS.get(language, LATIN)
    script, most = found.most_common(1)[0] if found else (wanted, 0)
    if script != wanted:
        return f"{script.capitalize()} letters" if 2 * most > len(texts) else None
    if wanted != LATIN or language not in TOLD_APART:
        return None
    try:
        identified = Counter(identify(text) for text in texts)
    except ImportError:
        return None
    other, number = identified.most_common(1)[0]
    is_other = other in TOLD_APART and other not in {language} | _ALIKE.get(language, set())
    return other if is_other and 2 * number > len(texts) else None


def _text_of(row: Mapping[str, Any]) -> str:
    parts = [value for name, value in row.items() if isinstance(value, str) and name not in _NO_TEXT_OF_ROW]
    return " ".join(parts)[:_LETTERS]
