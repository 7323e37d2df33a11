"""Whether a chat model declines to answer. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache

from .answer_phrases import PHRASES


_BEGINNING = 300  # characters of an answer in which a refusal has to stand


def is_refusal(answer: str, language: str) -> bool:
    """Whether an answer begins with a refusal, in a language or in English.

    Args:
        answer: what the model wrote, without its thought.
        language: code of the language that it is expected to speak.
    """
    return bool(_refusal(language).match(answer[:_BEGINNING].lstrip(' \t\n*_"“')))


@cache
def _refusal(language: str) -> re.Pattern[str]:
    words = [PHRASES[code].declines for code in dict.fromkeys((language, "en")) if code in PHRASES and PHRASES[code].declines]
    return re.compile("|".join(f"(?:{each})" for each in words), re.IGNORECASE)
