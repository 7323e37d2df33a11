"""Words that count an option, "the second option", "option two", and the letters for them. Pure functions, no I/O."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from .answer_patterns import any_word, at_end, bounded, known_languages
from .answer_phrases import PHRASES
from .answer_text import COLON
from .statements import statement_spans


if TYPE_CHECKING:
    from collections.abc import Sequence

    from .answer_phrases import Phrases
    from .option_labels import Choices


def with_letters(text: str, choices: Choices) -> str:
    """The text with letters in the places of words and digits that count the options: "option B" for "the second option"."""
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

    return _with_last_letter(_with_place(counted_options(choices.language).sub(lettered, text), choices), choices)


def _with_place(text: str, choices: Choices) -> str:
    """The text with a letter in the place of a word that counts, where that is all it states: "The answer is the second one"."""
    place = _uncounted_option(choices.language)
    if any(map(ordinal(choices.language).search, choices.options)):
        return text
    for _, end in reversed(statement_spans(text, choices.language, "right")):
        found = place.match(text, end)
        if found is None or (found["which"] is None and not at_end("which", text[:end].rstrip(), choices.language)):
            continue
        number = next(int(name[1:]) for name, written in found.groupdict().items() if written and name != "which")
        if number <= len(choices.labels):
            text = f"{text[:end]}{choices.labels[number - 1]}{text[found.end() :]}"
    return text


def _with_last_letter(text: str, choices: Choices) -> str:
    """The text with the last letter in the place of "the last option", on lines that name no letter behind it."""
    lines = []
    for line in text.splitlines():
        if found := _last_option(choices.language).search(line):
            before, behind = line[: found.start()], line[found.end() :]
            if not choices.named_in(line, found.end()) and not re.match(rf"\s*{COLON}", behind):
                noun = any_word("option", choices.language).search(found[0])
                line = f"{before}{f'{noun[0]} ' if noun else ''}{choices.labels[-1]}{behind}"
        lines.append(line)
    return "\n".join(lines)


def _counting(known: Sequence[Phrases], place: int) -> tuple[list[str], list[str]]:
    """The regular expressions of words for "second" and for "two", where the place is 1."""
    ordinals = [bounded(word.ordinals[place]) for word in known if word.ordinals]
    return ordinals, [bounded(word.cardinals[place]) for word in known if word.cardinals]


@cache
def ordinal(language: str) -> re.Pattern[str]:
    """The words for "first" to "fifth", perhaps behind an article; the group that matches, `p1` to `p5`, says which."""
    return re.compile(rf"(?:\w{{1,4}}\s+)?{_ordinals(language)}", re.IGNORECASE)


def _ordinals(language: str) -> str:
    known = [PHRASES[code] for code in known_languages(language)]
    words = ["|".join(ordinals + cardinals) for ordinals, cardinals in (_counting(known, place) for place in range(5))]
    return f"(?:{'|'.join(f'(?P<p{number}>{own})' for number, own in enumerate(words, 1))})"


@cache
def counted_options(language: str) -> re.Pattern[str]:
    """Words that count an option: "the second option", "option 2", "第二个选项".

    The group that matches, `b1` to `b5` or `f1` to `f5`, says which.
    """
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


@cache
def _last_option(language: str) -> re.Pattern[str]:
    """Words that count the last option, "the last option", "the last one", perhaps behind an article."""
    known = [PHRASES[code] for code in known_languages(language)]
    option = "|".join(bounded(word.counted or word.option) for word in known)
    between = "|".join(bounded(word.between) for word in known if word.between)
    joint, last = rf"\s*(?:(?:{between})\s*)?", any_word("last", language).pattern
    return re.compile(rf"(?:{option}){joint}(?:{last})|(?:\bthe\s)?(?:{last}){joint}(?:{option}|\bone\b)", re.IGNORECASE)


@cache
def _uncounted_option(language: str) -> re.Pattern[str]:
    """A word that counts an option that is not named, at the end of a clause: "the second one".

    The group that matches, `p1` to `p5`, says which.
    """
    ends = r"(?:\s*(?:one|个|個|项))?(?=\s*(?:[.,;!，。；\u104b\u17d4]|\Z|\n))"
    which = any_word("which", language).pattern
    return re.compile(rf"(?:(?P<which>{which})\s*)?{_ordinals(language)}{ends}", re.IGNORECASE)
