"""Which option an answer names by a value: an amount, a date, numbers of statements, a formula. Pure functions, no I/O."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from .answer_text import STOPS, TRIM, plain
from .conclusions import any_word
from .final_number import read_final_number
from .number_words import number_in_words
from .option_evidence import DENIES_BEHIND
from .option_labels import Choices, are_letters, folded
from .option_texts import sentences_of
from .written_numbers import NUMBER, parse_number, prepared


if TYPE_CHECKING:
    from collections.abc import Sequence


_OPERATORS = re.escape("+×·/÷√^*-")
_BLANK = r"[^\S\n]?"
# No word of a language, but "NaOH", "cos", "λ".
_FORMULA = re.compile(r"(?!.*[A-Za-z]{5})[!-~\u00b0-\u00b7\u00d7\u00f7\u0370-\u03ff\u2190-\u22ff]+")
_FIRST_YEAR = 1000
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi")


def of_amounts(text: str, choices: Choices) -> int | None:
    """The option with the number that a text concludes with, where `are_amounts`; None where the text breaks off behind it."""
    last = sentences_of([text])[-1:]
    if not last or (last[0] != text and not re.search(r"\d", last[0]) and text.rstrip(TRIM)[-1:] not in (*STOPS, "?")):
        return None
    values = _amounts(choices)
    number = read_final_number(text, choices.language)
    if number is None or values.count(number) != 1:
        return None
    written = [parse_number(found, choices.language) for found in NUMBER.findall(prepared(text, choices.language))]
    is_unsigned = number > 0 and -number in values and -number in written  # "… = -7, so it is negative 7"
    return None if is_unsigned else values.index(number)


def are_amounts(choices: Choices) -> bool:
    """Whether options differ in their numbers alone: "20 km", "25 km"."""
    return are_letters(choices) and len(_amounts(choices)) > 0


def _amounts(choices: Choices) -> list[Decimal]:
    """The numbers of options that differ in these alone, in digits or words; none of others."""
    words = [number_in_words(plain(option).strip(TRIM), choices.language) for option in choices.options]
    if None not in words:
        return [Decimal(str(word)) for word in words]
    texts = [prepared(option, choices.language) for option in choices.options]
    numbers = [NUMBER.findall(text) for text in texts]
    if any(len(found) != 1 for found in numbers) or len({folded(NUMBER.sub("", text)) for text in texts}) > 1:
        return []
    return [parse_number(found[0], choices.language) for found in numbers]


def of_numbers(lines: Sequence[str], choices: Choices) -> int | None:
    """The option with the numbers of the last clause, or of the first sentence, in their order: "from 1950 to 1953", "1 and 3".

    The first sentence counts where no other names a number of another option. Of options that are years, days do not count.
    """
    own = [_numbers_in(option, choices) for option in choices.options]
    if not any(own) or any(own.count(numbers) > 1 for numbers in own):
        return None
    years = all(len(numbers) == 1 and numbers[0] >= _FIRST_YEAR for numbers in own)
    for place, end in enumerate(_ends(lines, choices)):
        clause = _without_denied(end, choices.language)
        named = [number for number in _numbers_in(clause, choices) if number >= _FIRST_YEAR or not years]
        others = {number for numbers in own for number in numbers} - set(named)
        if place and not others.isdisjoint(_numbers_in(" ".join(lines), choices)):
            return None
        if named:
            return own.index(named) if named in own and not _is_open(clause, choices) else None
    return None


def _numbers_in(text: str, choices: Choices) -> list[int]:
    """The integers of a text; also Roman ones, where options have such."""
    tokens = re.findall(r"\d+|(?<!\w)[iv]+(?!\w)", plain(re.sub("([①-⑳])", r" \1 ", text)).casefold())
    roman = any(re.search(rf"(?<!\w)(?:{'|'.join(_ROMAN)})(?!\w)", plain(option).casefold()) for option in choices.options)
    tokens = [token for token in tokens if token.isdecimal() or (roman and token in _ROMAN)]
    return [int(token) if token.isdecimal() else _ROMAN.index(token) + 1 for token in tokens]


def _without_denied(clause: str, language: str) -> str:
    """A clause up to what it denies behind a number: "in 1475, not 1325"."""
    denials = [] if language in DENIES_BEHIND else any_word("denies", language).finditer(clause)
    return next((clause[: denial.start()] for denial in denials if re.search(r"\d", clause[: denial.start()])), clause)


def of_formulae(lines: Sequence[str], choices: Choices) -> int | None:
    r"""The only option that the last or the first sentence names, where all are formulae: "4πr²" for `4 \pi r^{2}`."""
    own = ["".join(plain(option).split()).casefold() for option in choices.options]
    if len(set(own)) < len(own) or not all(map(_FORMULA.fullmatch, own)):
        return None
    written = sorted((option for option in own if len(option) > 1), key=len, reverse=True)
    any_option = "|".join(f"({_BLANK.join(map(re.escape, option))})" for option in written) or r"(?!)"
    # an operator beside it would make it a part of another formula
    pattern = re.compile(
        rf"(?<![\w{_OPERATORS}])(?<![{_OPERATORS}] )(?<!\d[.,])(?:{any_option})(?!\w|{_BLANK}[={_OPERATORS}°%]|[.,]\d)"
    )
    for clause in _ends(lines, choices):
        named = {written[(spot.lastindex or 1) - 1] for spot in pattern.finditer(clause.casefold())}
        if named:
            return own.index(named.pop()) if len(named) == 1 and not _is_open(clause, choices) else None
    return None


def _ends(lines: Sequence[str], choices: Choices) -> list[str]:
    """The last sentence, from its last "so" on, and the first one."""
    sentences = sentences_of(lines)
    if not sentences:
        return []
    ends = [so.end() for so in any_word("so", choices.language).finditer(sentences[-1])]
    return [sentences[-1][ends[-1] if ends else 0 :], sentences[0]]


def _is_open(clause: str, choices: Choices) -> bool:
    """Whether a clause denies, asks, or says what would be."""
    return "?" in clause or any(any_word(place, choices.language).search(clause) for place in ("wrong", "condition"))
