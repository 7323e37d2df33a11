"""Replaces words that number an option ("the second option", "option two") with letters. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from .answer_patterns import any_word, bounded, known_languages, subject_of, without_lead_in
from .answer_phrases import PHRASES
from .answer_text import SENTENCE_STOP, STOPS, TRIM
from .statements import statement_spans


if TYPE_CHECKING:
    from collections.abc import Sequence

    from .answer_phrases import Phrases
    from .option_labels import Choices


def with_letters(text: str, choices: Choices) -> str:
    """The text with letters instead of words and digits that number the options: "option B" for "the second option"."""
    if not choices.are_letters or any(label.isdigit() for label in choices.labels):
        return text
    numbers = {number for option in choices.options for number in re.findall(r"\d+", option)}

    def lettered(found: re.Match[str]) -> str:
        name, written = next((name, written) for name, written in found.groupdict().items() if written)
        position = int(name[1]) - 1
        if position >= len(choices.labels) or written in numbers:
            return found[0]
        noun = any_word("option", choices.language).search(found[0])
        return f"{noun[0] if noun else found[0].replace(written, '', 1).strip()} {choices.labels[position]}"

    return _with_stated(counted_options(choices.language).sub(lettered, text), choices)


def _with_stated(text: str, choices: Choices) -> str:
    """The text with letters instead of ordinals without a noun: "the answer is the second", "the second one is right"."""
    language, options = choices.language, " ".join(choices.options).casefold()
    for sentence in SENTENCE_STOP.split(text):
        subject = without_lead_in(subject_of(sentence, language), language)
        stated = [sentence[end:].strip(TRIM + STOPS) for _, end in statement_spans(sentence, language)]
        for found in filter(None, map(_counted_alone(language).fullmatch, (subject, *stated))):
            name, written = next((name, written) for name, written in found.groupdict().items() if written)
            if written.casefold() not in options and int(name[1]) <= len(choices.labels):
                text = text.replace(sentence, sentence.replace(found[0], choices.labels[int(name[1]) - 1], 1), 1)
    return text


def _counting(known: Sequence[Phrases], place: int) -> tuple[list[str], list[str]]:
    """The regular expressions for the ordinals and the cardinals of a place, counted from 0: "second" and "two" for 1."""
    ordinals = [bounded(word.ordinals[place]) for word in known if word.ordinals]
    return ordinals, [bounded(word.cardinals[place]) for word in known if word.cardinals]


@cache
def ordinal(language: str) -> re.Pattern[str]:
    """The words for "first" to "fifth", perhaps after an article, in the groups `p1` to `p5`."""
    known = [PHRASES[code] for code in known_languages(language)]
    words = ["|".join(ordinals + cardinals) for ordinals, cardinals in (_counting(known, place) for place in range(5))]
    counted = "|".join(f"(?P<p{number}>{own})" for number, own in enumerate(words, 1))
    return re.compile(rf"(?:\w{{1,4}}\s+)?(?:{counted})", re.IGNORECASE)


@cache
def _counted_alone(language: str) -> re.Pattern[str]:
    """An ordinal without a noun, "the second one", or a number after a word such as Thai "ที่"."""
    mark, known = any_word("between", language).pattern, [PHRASES[code] for code in known_languages(language)]
    counted = "|".join(
        rf"(?P<p{place + 1}>{'|'.join(ordinals) or '(?!)'})|(?:{mark})\s*(?P<f{place + 1}>{'|'.join(ordinals + cardinals)})"
        for place, (ordinals, cardinals) in enumerate(_counting(known, place) for place in range(5))
    )
    return re.compile(rf"(?:\w{{1,4}}\s+)?(?:{counted})(?:\s?(?:{mark}))?", re.IGNORECASE)


@cache
def counted_options(language: str) -> re.Pattern[str]:
    """Words that number an option: "the second option", "option 2", "第二个选项". Groups are `b1` to `b5`, `f1` to `f5`."""
    known = [PHRASES[code] for code in known_languages(language)]
    option = "|".join(bounded(word.counted or word.option) for word in known)
    between = "|".join(bounded(word.between) for word in known if word.between)
    joint = rf"\s*(?:(?:{between})\s*){{0,2}}"
    before, behind = [], []
    for place in range(5):
        ordinals, cardinals = _counting(known, place)
        digit = rf"(?<![\d.,]){place + 1}(?![\d.,/:]*\d)"
        before.append(rf"(?P<b{place + 1}>{'|'.join(ordinals)})")
        behind.append(rf"(?P<f{place + 1}>{'|'.join([*ordinals, *cardinals, digit])})")
    return re.compile(rf"(?:{option}){joint}(?:{'|'.join(behind)})|(?:{'|'.join(before)}){joint}(?:{option})", re.IGNORECASE)
