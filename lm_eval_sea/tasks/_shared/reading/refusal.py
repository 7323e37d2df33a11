"""Whether a chat model declines to answer. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache

from .answer_patterns import any_word, task_words
from .answer_phrases import PHRASES
from .answer_text import SENTENCE_STOP


_BEGINNING = 300  # characters of an answer; later words are not a refusal
_SHORT_SENTENCE = re.compile(r"[^.!?！。,，:：\n]{0,20}[.!?！。\n]\s*")  # "Hello!", "Chào bạn!"


def is_refusal(answer: str, language: str) -> bool:
    """Whether an answer begins with a refusal in the expected language or in English.

    A first sentence in which the model speaks about itself, names the task and denies ("I found nothing to translate") is one,
    too, and so is an answer that only asks the user such a question.
    """
    begin = answer[:_BEGINNING].lstrip(' \t\n*_"“')
    greets = any_word("greeting", language).match(begin)
    if greets and (greeting := _SHORT_SENTENCE.match(begin, greets.end() - 1)):  # "Hello! I'm sorry, but …"
        begin = begin[greeting.end() :]
    first = SENTENCE_STOP.split(begin, maxsplit=1)[0]
    asks = len(answer) < _BEGINNING and "\n" not in answer.strip() and answer.rstrip().endswith(("?", "？"))
    said = begin if asks else first
    speaks = any_word("speaks", language).search(said) and task_words(language).search(said)
    if _refusal(language).match(begin):
        return True
    # answers in a regional language also use the national one
    national = PHRASES[language].also if language in PHRASES else ""
    if national and _refusal(national).match(begin) and task_words(language).search(first):
        return True
    label, colon, _ = said.partition(":")
    if colon and not (asks and any_word("undecided", language).search(label)):
        return False  # what follows the label may be the text
    return bool(speaks and (asks or any_word("wrong", language).search(said)))


@cache
def _refusal(language: str) -> re.Pattern[str]:
    words = [PHRASES[code].declines for code in dict.fromkeys((language, "en")) if code in PHRASES and PHRASES[code].declines]
    return re.compile("|".join(f"(?:{each})" for each in words), re.IGNORECASE)
