"""Reads numbers in words ("two hundred and five") with the words of `number_words.yml`. Pure functions, no I/O."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..facts import read_yaml
from .answer_patterns import SIGNS, bounded, whole_word
from .answer_phrases import PHRASES, WRITTEN_TOGETHER
from .answer_text import plain


if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = read_yaml(Path(__file__).with_name("number_words.yml"))
# "a million and a half" is not a million and 0.5
_MOST_WITH_HALF = 100
_LEAST_ALONE = 10
# "Percent" after a number in words, or before it.
_PERCENT = re.compile(
    r"\A(?:百分之|ร้อยละ|ຮ້ອຍລະ)|\s*(?:per ?cent|pers[eé]n|peratus|phần trăm|porsi?yento|เปอร์เซ็นต์|ເປີເຊັນ|ភាគរយ|ရာခိုင်နှုန်း"
    r"|சதவீதம்|விழுக்காடு)\Z",
    re.IGNORECASE,
)
# Currencies as they stand before an amount.
CURRENCIES = "Rp|RM|IDR|MYR|USD|US|PHP|THB|VND|SGD|INR|Rs|ரூ"
CURRENCY_SIGNS = "$€£¥₱฿₫"
# "Rp92.000", "RM 2.3", "₱50,000", "18"
_AMOUNT = re.compile(rf"(?:(?:{CURRENCIES})[.]?\s?)?[{CURRENCY_SIGNS}]?\s?\d", re.IGNORECASE)
# Languages that write each number as one word: Tamil, and those that write all words together.
_JOINED = WRITTEN_TOGETHER | {"ta"}
# In these languages a single word for a number is often another word or part of one: it counts only at the beginning of a line.
_AMBIGUOUS = WRITTEN_TOGETHER | {"vi"}


def with_digits(text: str, language: str) -> str:
    """The text with digits instead of numbers in words of the language, its national language or English.

    A single word for one ("a", "satu", "isa") stays, because it is also an article.
    """
    for code in _languages(language):
        text = _in_language(text, code)
    return text


def number_in_words(text: str, language: str) -> str | None:
    """The digits of a text that is only a number in words, perhaps with a half; None for any other text.

    No other words are allowed, because they may change the value: "two dozen", "half past two".
    """
    text = _PERCENT.sub("", text).strip()
    for code in _languages(language):
        words = _WORDS[code]
        found = re.fullmatch(rf"({_any_form(code)}{_further_forms(code)}*)(\s*(?:{words['half']}))?", text, re.IGNORECASE)
        if found is None or re.search(words.get("never", "(?!)"), text, re.IGNORECASE):
            continue
        value = _value(found[1], code)
        if value is None or not found[2]:
            return value
        return f"{value}.5" if value.isdigit() and int(value) < _MOST_WITH_HALF else None
    return None


def number_of_things(text: str, language: str) -> str | None:
    """The digits of the number in words at the beginning of a phrase, if only the counted things follow: "nine trips"."""
    for code in _languages(language):
        if begins := re.match(rf"{_any_form(code)}({_further_forms(code)}*)", text, re.IGNORECASE):
            rest = text[begins.end() :]
            if half := re.match(rf"\s*(?:{_WORDS[code]['half']})(?=\s+\S)", rest, re.IGNORECASE):
                whole = number_in_words(begins[0] + half[0], code)
                return None if _may_change(rest[half.end() :], code) or _numeral(code).search(rest, half.end()) else whole
            # a single word may be the beginning of another one: Thai "ห้า" is five, "ห้าง" a shop
            is_part = rest.startswith("-") or (code in _JOINED and not begins[1] and rest[:1].strip())
            value = None if is_part or _may_change(text, code) or _numeral(code).search(rest) else _value(begins[0], code)
            return None if value == "1" else value  # "one of them"
    return None


def only_number_in_words(text: str, language: str) -> str | None:
    """The digits of the only number in words in a sentence without digits, if it is at least ten.

    Words for smaller numbers are also articles and pronouns.
    """
    for code in _languages(language):
        found = [(match, _value(match[0], code)) for match in _numeral(code).finditer(text)]
        if numbers := [(match, value) for match, value in found if value not in (None, "0", "1")]:
            match, value = numbers[0]
            is_plain = len(numbers) == 1 and text[match.end() : match.end() + 1] != "-" and not _may_change(text, code)
            return value if is_plain and value is not None and Decimal(value) >= _LEAST_ALONE else None
    return None


def begins_number(text: str, begin: int, language: str) -> bool:
    """Whether a number in digits or words begins at a place of a text. A word for one does not count: it may be an article."""
    if _AMOUNT.match(text, begin):
        return True
    for code in _languages(language):
        found = _counted(code).match(text, begin)
        # "sáu năm", six years, is not the number "six five"
        if found and (_value(found[0], code) or _value(found["first"], code)) not in (None, "0", "1"):
            return True
    return False


def joins_fraction(text: str, language: str) -> bool:
    """Whether a text is the word between the two numbers of a fraction: "hai phần ba", two thirds."""
    return any(re.fullmatch(_WORDS[code]["part"], text, re.IGNORECASE) for code in _languages(language))


@cache
def _counted(language: str) -> re.Pattern[str]:
    """A number in words with no digits after it: "năm" is five, but "năm 2010" is a year."""
    return re.compile(rf"(?P<first>{_any_form(language)}){_further_forms(language)}*(?!\s*\d)", re.IGNORECASE)


def _may_change(text: str, code: str) -> bool:
    """Whether a text has words that change the value of a number next to them: "two and a half", "two dozen", "two more"."""
    return _changing(code).search(text) is not None


@cache
def _changing(code: str) -> re.Pattern[str]:
    words = [_WORDS[code][name] for name in ("never", "half", "part", "changes") if name in _WORDS[code]]
    return re.compile("|".join(map(bounded, words)), re.IGNORECASE)


def _languages(language: str) -> list[str]:
    """The language, its national language and English, without those that have no words for numbers."""
    also = PHRASES[language].also if language in PHRASES else ""
    return [code for code in dict.fromkeys((language, also, "en")) if code in _WORDS]


def with_halves(text: str, language: str) -> str:
    """The text with decimals instead of halves in words after a number in digits: "2 and a half"."""
    return re.sub(rf"(?<![\d.,])(\d+)\s*(?:{half_words(language)})(?![A-Za-z])", r"\1.5", text, flags=re.IGNORECASE)


def half_words(language: str) -> str:
    """A pattern for the words for a half after a number, in the language and English."""
    return "|".join(_WORDS[code]["half"] for code in dict.fromkeys((language, "en")) if code in _WORDS)


def multiplier_words() -> dict[str, int]:
    """Words of all languages that multiply the number before them → the factor."""
    return {
        word: int(value[1:])
        for words in _WORDS.values()
        for value, written in words.items()
        if str(value).startswith("x")
        for word in written.split("|")
    }


def _in_language(text: str, language: str) -> str:
    # "three quarters" stays
    fractions = [found.span() for found in _fraction(language).finditer(text)]

    def in_digits(found: re.Match[str]) -> str:
        is_part = any(start < found.end() and found.start() < end for start, end in fractions)
        value = None if is_part else _value(found[0], language)
        return found[0] if value in (None, "0", "1") else value

    return _numeral(language).sub(in_digits, text)


def _value(written: str, language: str) -> str | None:
    """The value of consecutive words; None if they are not one number: "two three"."""
    meanings = [_meanings(language)[word.replace("’", "'")] for word in re.findall(_any_form(language), written.casefold())]
    if "point" in meanings:
        point = meanings.index("point")
        whole, decimals = _sum(meanings[:point]), meanings[point + 1 :]
        is_decimal = point and decimals and whole is not None and all(digit.isdigit() and len(digit) == 1 for digit in decimals)
        return f"{whole}.{''.join(decimals)}" if is_decimal else None
    value = _sum(meanings)
    return None if value is None else str(value)


def _sum(meanings: Sequence[str]) -> int | None:
    parts: list[int] = []
    for meaning in meanings:
        if meaning.startswith("x"):
            factor, before = int(meaning[1:]), 0
            while parts and parts[-1] < factor:
                before += parts.pop()
            parts.append((before or 1) * factor)
        elif meaning.startswith("+") and parts:
            parts[-1] += int(meaning[1:])
        elif parts and (meaning.startswith("+") or parts[-1] % 10 ** len(meaning)):
            return None
        else:
            parts.append(int(meaning))
    return sum(parts)


@cache
def _meanings(language: str) -> dict[str, str]:
    """Each word → "20", "x1000", "+10", "point"."""
    return {
        plain(word).casefold(): str(meaning)
        for meaning, words in _WORDS[language].items()
        if meaning not in ("joint", "half", "part", "never", "changes")
        for word in words.split("|")
    }


@cache
def _any_form(language: str) -> str:
    forms = "|".join(re.escape(form).replace("'", "['’]") for form in sorted(_meanings(language), key=len, reverse=True))
    return rf"(?:{forms})(?![{SIGNS}])" if language in _JOINED else whole_word(forms)


@cache
def _numeral(language: str) -> re.Pattern[str]:
    form = _any_form(language)
    # in Tamil a word for a number may also be part of another word
    one = rf"(?<!\S){form}(?!\S)" if language in _JOINED else form
    one = rf"(?:\A|(?<=[:：\n])){form}" if language in _AMBIGUOUS else one
    return re.compile(rf"{form}{_further_forms(language)}+|{one}", re.IGNORECASE)


@cache
def _further_forms(language: str) -> str:
    """A group for a further word of the same number. The caller adds a quantifier."""
    joint = _WORDS[language].get("joint", "(?!)")
    between = r"\s?" if language in _JOINED else rf"[\s-]+(?:(?:{joint})\s+)?"
    return rf"(?:{between}{_any_form(language)})"


@cache
def _fraction(language: str) -> re.Pattern[str]:
    part = _WORDS[language]["part"]
    form = _any_form(language)
    return re.compile(rf"{form}[\s-]*(?:{part})(?:\s*{form})*", re.IGNORECASE)
