"""Which option an answer names by a value: an amount, a date, numbers of statements, a formula. Pure functions, no I/O."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from .answer_patterns import any_word, has_word, is_reason
from .answer_text import COLON, STOPS, TRIM, plain
from .final_number import read_final_number
from .number_words import number_in_words
from .option_labels import LONGEST_JOINT, LONGEST_PHRASE, Choices
from .option_texts import sentences_of
from .statements import lead_in
from .written_numbers import NUMBER, parse_number, prepared


if TYPE_CHECKING:
    from collections.abc import Sequence


_OPERATORS = re.escape("+×·/÷√^*-")
_BLANK = r"[^\S\n]?"
# "NaOH", "cos" or "λ", but not a word of a language.
_FORMULA = re.compile(r"(?!.*[a-z]{4})[!-~\u00b0-\u00b7\u00d7\u00f7\u0370-\u03ff\u2190-\u22ff]+")
_FIRST_YEAR = 1000
_NEGATIVE = re.compile(r"(?<!\d)(?<!\d\s)(?:(?<!\w)(?:minus|negatif|negative|negatibo|âm)\s+|ลบ\s*|[负負])(?=\d)", re.IGNORECASE)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi")
_ANY_ROMAN = re.compile(rf"(?<!\w)(?:{'|'.join(_ROMAN)})(?!\w)")


def amounts_of(choices: Choices) -> list[Decimal]:
    """The numbers of the options, in digits or words, if the options differ only in them: "20 km", "25 km"; else none."""
    if not choices.are_letters:
        return []
    words = [number_in_words(plain(option).strip(TRIM), choices.language) for option in choices.options]
    if None not in words:
        return [Decimal(str(word)) for word in words]
    texts = [prepared(option, choices.language) for option in choices.options]
    numbers = [NUMBER.findall(text) for text in texts]
    if any(len(found) != 1 for found in numbers) or len({"".join(NUMBER.sub("", text).casefold().split()) for text in texts}) > 1:
        return []
    return [parse_number(found[0], choices.language) for found in numbers]


def of_amounts(text: str, amounts: Sequence[Decimal], choices: Choices) -> int | None:
    """The option whose number, one of `amounts`, a text concludes with; None if the text breaks off after it."""
    last = sentences_of([text])[-1:]
    if not last or (last[0] != text and not re.search(r"\d", last[0]) and text.rstrip(TRIM)[-1:] not in (*STOPS, "?")):
        return None
    text = _NEGATIVE.sub("-", text)
    if _joins_numbers(_ends([text], choices)[0][0], choices) or _counts_options(last[0], choices):
        return None
    number = read_final_number(text, choices.language)
    if number is None or amounts.count(number) != 1:
        return None
    written = [parse_number(found, choices.language) for found in NUMBER.findall(prepared(text, choices.language))]
    is_unsigned = number > 0 and -number in amounts and -number in written  # "… = -7, so it is negative 7"
    return None if is_unsigned else amounts.index(number)


def of_numbers(lines: Sequence[str], choices: Choices) -> int | None:
    """The option with the numbers of the last clause or the first sentence in the same order: "from 1950 to 1953", "1 and 3".

    Without "so", "is" or "=" before them, the numbers count only if no other option is named. If options are years, other numbers
    do not count.
    """
    roman = any(_ANY_ROMAN.search(plain(option).casefold()) for option in choices.options)
    own = [_numbers_in(option, roman=roman) for option in choices.options]
    if own.count([]) > 1 or any(own.count(numbers) > 1 for numbers in own):
        return None  # one option may have no number: "all of them"
    years = all(len(numbers) == 1 and numbers[0] >= _FIRST_YEAR for numbers in own)
    for clause, is_result in _ends(lines, choices):
        named = [number for number in _numbers_in(clause, roman=roman) if [number] in own or not years]
        others = [numbers for numbers in own if numbers and numbers != named]
        rest = _numbers_in(" ".join(lines), roman=roman)
        if named and not is_result and any(_holds(rest, numbers) for numbers in others):
            return None
        if named:
            is_clear = named in own and not _is_open(clause, choices) and not _counts_options(lines[-1], choices)
            return own.index(named) if is_clear else None
    return None


def _numbers_in(text: str, *, roman: bool) -> list[int]:
    """The integers of a text, with `roman` also Roman ones."""
    tokens = re.findall(r"\d+|(?<!\w)[iv]+(?!\w)", plain(re.sub("([①-⑳])", r" \1 ", text)).casefold())
    tokens = [token for token in tokens if token.isdecimal() or (roman and token in _ROMAN)]
    return [int(token) if token.isdecimal() else _ROMAN.index(token) + 1 for token in tokens]


def _holds(numbers: list[int], part: list[int]) -> bool:
    """Whether `numbers` contain `part` as consecutive numbers."""
    return any(numbers[start : start + len(part)] == part for start in range(len(numbers)))


def of_formulae(lines: Sequence[str], choices: Choices) -> int | None:
    r"""The only option that the last or the first sentence names, if all options are formulae: "4πr²" for `4 \pi r^{2}`.

    If the two sentences name different ones, the last counts, provided that "so" or "=" comes before its formula.
    """
    own = ["".join(plain(option).split()) for option in choices.options]
    if not all(map(_FORMULA.fullmatch, own)) or all(option.isalpha() for option in own):
        return None
    own = [option.casefold() for option in own]
    if len(set(own)) < len(own):
        return None
    written = sorted((option for option in own if len(option) > 1), key=len, reverse=True)
    any_option = "|".join(f"({_BLANK.join(map(re.escape, option))})" for option in written) or r"(?!)"
    # next to an operator it would be part of another formula
    pattern = re.compile(
        rf"(?<![\w{_OPERATORS}])(?<![{_OPERATORS}] )(?<!\d[.,])(?:{any_option})(?!\w|{_BLANK}[={_OPERATORS}°%]|[.,]\d)"
    )
    ends = _ends(lines, choices)
    named = [{written[(spot.lastindex or 1) - 1] for spot in pattern.finditer(end.casefold())} for end, _ in ends]
    for (clause, is_result), found in zip(ends, named, strict=True):
        if found:
            is_clear = len(found if is_result else set().union(*named)) == 1 and not _is_open(clause, choices)
            return own.index(found.pop()) if is_clear else None
    return None


def _ends(lines: Sequence[str], choices: Choices) -> list[tuple[str, bool]]:
    """The last and the first sentence, each with whether only its result is left.

    If a number follows "so", "is" or "=" in the last sentence, only what follows the last of these is left. Sentences from the
    first reason or working on are left out.
    """
    language = choices.language
    first, *others = sentences_of(lines) or [""]
    working = re.compile(rf"(?:{any_word('working', language).pattern})\s*{COLON}", re.IGNORECASE)
    sentences = [first]
    for sentence in map(str.lstrip, others):
        if is_reason(sentence, language) or working.match(sentence):
            break
        sentences.append(sentence)
    equals = r"(?!)" if any("=" in option for option in choices.options) else "="
    leads = rf"(?:{any_word('so', language).pattern})|{lead_in(language).pattern}|{equals}|\A\W*[^\W\d][^\d:]{{1,30}}{COLON}"
    last = sentences[-1][-LONGEST_PHRASE:]
    behind = [last[lead.end() :] for lead in re.finditer(leads, last, re.IGNORECASE)]
    results = [clause for clause in behind if re.search(r"\d|(?<!\w)[IVX]+(?!\w)", clause)]
    return [(results[-1], True) if results else (last, False), (first, False)]


def _joins_numbers(clause: str, choices: Choices) -> bool:
    """Whether a clause has "or" or "and" between two numbers: "25 or 35"."""
    joints = (clause[first.end() : second.start()] for first, second in pairwise(NUMBER.finditer(clause)))
    return any(len(joint) < LONGEST_JOINT and any_word("joined", choices.language).search(joint) for joint in joints)


def _counts_options(sentence: str, choices: Choices) -> bool:
    """Whether a sentence may give an option by its place: "option 3"."""
    word = any_word("option", choices.language).pattern
    return re.search(rf"(?:{word})\s*[1-{len(choices.options)}](?!\d|[.,]\d)(?!.*\d)", sentence, re.IGNORECASE) is not None


def _is_open(clause: str, choices: Choices) -> bool:
    """Whether a clause denies, asks, or is hypothetical. Here "×" is not a cross, but multiplies."""
    return "?" in clause or has_word(clause.replace("×", ""), choices.language, "wrong", "condition")
