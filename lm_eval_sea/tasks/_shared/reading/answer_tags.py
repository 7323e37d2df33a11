"""The words that ask for an answer in the prompt, such as "Answer:", and what follows them. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .answer_patterns import any_word, spellings
from .answer_phrases import ANSWER_TAGS, FINAL_TAGS
from .answer_text import cue_pattern, plain, words_of_cue


if TYPE_CHECKING:
    from collections.abc import Sequence


_REMARK = r"(?:\([^()\n]{1,40}\)[*_]*[^\S\n]*)?"
_TEXT = re.compile(r"[^ *_`\n\t]")
LONGEST_LEAD = 15  # characters that may come before the text proper


def any_tag(tags: Sequence[str]) -> str:
    """The regular expression for any of the tags at the beginning of a line."""
    return rf"(?:\A\s*|\n)(?:[^\S\n]|[>#*_•-])*(?:{'|'.join(map(tag_pattern, tags)) or '(?!)'})"


def tag_spans(text: str, tags: Sequence[str], before: str = "") -> list[tuple[int, int]]:
    """Begin and end of each answer tag that has text after it. A tag may be a heading on a line of its own, without a mark.

    `before` is a regular expression that has to match before a tag, and is part of the span. Heading marks may come before
    the tag of an answer, but not before that of a translation or a summary, whose text may have headings of its own.
    """
    forms = []
    for tag in tags:
        words = words_of_cue(plain(tag))
        marks = "#*_" if f"{words}:" in ANSWER_TAGS else ""
        forms += [before + tag_pattern(tag), rf"(?m:^[ \t{marks}]*{re.escape(words)}[\s{marks}]*$)"]
    found = (match.span() for form in forms for match in re.finditer(form, text, re.IGNORECASE))
    return sorted({span for span in found if _TEXT.search(text, span[1])})


def behind_last_tag(text: str, tags: Sequence[str], language: str) -> str | None:
    """The text after the last answer tag that begins a line or a sentence, perhaps after a word such as "so"; else None."""
    begin = rf"(?:\A|[\n.!?:>。\u104b\u17d4])[ \t>#*_•-]{{0,40}}(?:(?:{any_word('so', language).pattern})[ \t,]*)?"
    found = tag_spans(text, tags, begin)
    if not found:
        return None
    return text[found[-1][1] :]


@lru_cache(maxsize=256)
def tag_pattern(tag: str) -> str:
    """The regular expression for an answer tag in any of its spellings, perhaps with a remark: "Final answer (in one word):"."""
    words = words_of_cue(tag)
    final = FINAL_TAGS.get(words.casefold())
    return cue_pattern(plain(tag), (*spellings(words), *([final] if final else [])), _REMARK)
