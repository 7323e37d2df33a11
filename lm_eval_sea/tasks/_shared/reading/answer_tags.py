"""The words that ask for an answer in the prompt, such as "Answer:", and what stands behind them. Pure functions, no I/O."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .answer_patterns import any_word, at_end, spellings
from .answer_phrases import ANSWER_TAGS, FINAL_TAGS
from .answer_text import STOPS, cue_pattern, plain, words_of_cue


if TYPE_CHECKING:
    from collections.abc import Sequence


_REMARK = r"(?:\([^()\n]{1,40}\)[*_]*[^\S\n]*)?"
_TEXT = re.compile(r"[^ *_`\n\t]")
LONGEST_LEAD = 15  # of what is no text yet


def any_tag(tags: Sequence[str]) -> str:
    """The regular expression of an answer tag at the beginning of a line."""
    return rf"(?:\A|\n)[\s>#*_]*(?:{'|'.join(map(tag_pattern, tags)) or '(?!)'})"


def tag_spans(text: str, tags: Sequence[str], before: str = "") -> list[tuple[int, int]]:
    """Where the answer tags stand that have text behind them, also as a heading on a line of its own without a mark.

    `before` is a regular expression of what has to stand before one, and is part of it. Marks of a heading may stand before a tag
    of an answer; below those of a translation or a summary further headings belong to it.
    """
    forms = []
    for tag in tags:
        words = words_of_cue(plain(tag))
        marks = r"[\s#*_]*" if f"{words}:" in ANSWER_TAGS else r"\s*"
        forms += [before + tag_pattern(tag), rf"(?m:^{marks}{re.escape(words)}{marks}$)"]
    found = (match.span() for form in forms for match in re.finditer(form, text, re.IGNORECASE))
    return sorted({span for span in found if _TEXT.search(text, span[1])})


def behind_last_tag(text: str, tags: Sequence[str], language: str) -> str | None:
    """What stands behind the last answer tag that begins a line or sentence and has text behind it; None without one.

    The tag may follow a word such as "so".
    """
    begin = rf"(?:\A|[\n.!?:>。\u104b\u17d4])[ \t>#*_]*(?:(?:{any_word('so', language).pattern})[ \t,]*)?"
    found = tag_spans(text, tags, begin)
    if not found:
        return None
    last = text[found[-1][1] :]
    # one that repeats itself is cut in the last round
    before = text[found[-2][1] : found[-1][0] + 1].strip() if len(found) > 1 else ""
    is_cut = len(last.strip()) > LONGEST_LEAD and last.strip()[-1] not in STOPS + "?"
    is_cut |= at_end("unfinished", last.strip(), language) is not None
    return before if is_cut and before.startswith(last.strip()) else last


def tag_pattern(tag: str) -> str:
    """The regular expression of an answer tag in any of its spellings, perhaps with a remark: "Final answer (in one word):"."""
    words = words_of_cue(tag)
    final = FINAL_TAGS.get(words.casefold())
    return cue_pattern(plain(tag), (*spellings(words), *([final] if final else [])), _REMARK)
