"""Reading the number that a worked solution ends with. Pure functions, no I/O."""

from __future__ import annotations

import re
from decimal import Decimal

from .answer_text import plain


# The words before the result in exemplars and answers, by language; English is read in every language.
RESULT_IS = {"en": r"answer is", "th": r"คำตอบ(?:ที่ถูกต้อง)?\s*(?:คือ|:)"}
# A number is not the end of a word or part of another number: "A7", "1/7" and "1,7" have none. A minus after a digit is no sign.
_NUMBER = re.compile(r"(?<![A-Za-z\d.,/])(?:(?<!\d)-\s?)?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\d|[.,/]\d)")


def read_number(generated: str, language: str) -> Decimal | None:
    """The number after the first "the answer is" that has one, else the last number; None if there is none.

    Digits may be full-width or of any script, with or without commas between thousands.
    """
    text = plain(generated)
    phrases = {RESULT_IS["en"], RESULT_IS.get(language, RESULT_IS["en"])}
    for phrase in re.finditer("|".join(phrases), text, re.IGNORECASE):
        behind = text[phrase.end() :].split("\n", 1)[0]
        if found := _NUMBER.search(behind):
            return _value(found[0])
    numbers = _NUMBER.findall(text)
    return _value(numbers[-1]) if numbers else None


def _value(number: str) -> Decimal:
    return Decimal(re.sub(r"[,\s]", "", number))
