"""Numbers as languages write them: separators, currencies, fractions, words that multiply. Pure functions, no I/O."""

from __future__ import annotations

import re
from decimal import Decimal
from math import prod

from .answer_patterns import SIGNS
from .answer_text import STOPS, TRIM, plain
from .frames import without_latex
from .number_words import CURRENCIES, half_words, multiplier_words, number_in_words, number_of_things, with_halves


# Languages that write a comma before decimals, and stops between thousands.
_DECIMAL_COMMA = frozenset({"id", "jv", "su", "vi", "ban", "min", "ace", "bug", "mad", "bjn", "nij", "bbc"})
_LEAST_FACTOR = 1000  # of the last word: "2 hundred" stays
# Languages that use either sign between thousands.
_EITHER = frozenset({"km", "lo"})
DIGITS = r"[-−+]?\s?(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,'’\u00a0\u202f]\d+)*(?![\d/])"
NUMBER = re.compile(r"(?<![A-Za-z\d./])(?<!\d,)" + DIGITS)
# A stop inside a number does not end a sentence.
SENTENCE_END = re.compile(r"(?<=[^\d\s])[.!?](?:\s|$)|(?<=\d)[.!?](?:\s+\D|$)|[\u3002\u104b\u17d4]")
# Amounts of money with the currency close to the number.
_CURRENCY = re.compile(rf"(?<![A-Za-z])(?:{CURRENCIES}|NT|HK|S|A|P)\.?\s?[$₱]?(?=\d)", re.IGNORECASE)
_FACTORS = multiplier_words()
_FACTOR_WORDS = "|".join(sorted(_FACTORS, key=len, reverse=True))
_LARGE = "|".join(word for word in _FACTOR_WORDS.split("|") if _FACTORS[word] >= _LEAST_FACTOR)
# not the beginning of another word, such as 千克 (kilogram)
_FACTOR = rf"(?:(?:{_FACTOR_WORDS})\s?){{0,3}}(?:{_LARGE})(?![A-Za-z\u00c0-\u024f\u1e00-\u1eff{SIGNS}ธ克米瓦卡])"
_UNIT = rf"(?!\s)({NUMBER.pattern})\s?({_FACTOR})"
_MULTIPLIED = re.compile(rf"(?:{_UNIT}\s?)+(?<!\s)", re.IGNORECASE)
# A Burmese letter that is typed for the digit 0, which looks alike.
_TYPED_ZERO = re.compile(r"(?<=\d)(?:[.,]?\u101d+)+(?![\u1000-\u1021\u102b-\u103e])")
_FRACTIONS = {"½": "5", "¼": "25", "¾": "75"}
_RESULT_IN_WORDS = re.compile(r"(?<==)[^\S\n]*([^\W\d][^\d\n=.]{2,80})")


def parse_number(written: str, language: str) -> Decimal:
    """The value of a number as the language writes it.

    If it has both separators, the last one begins the decimals. A separator that repeats separates thousands. A single separator
    begins the decimals, unless three digits follow it and more than 0 comes before it: then the custom of the language decides.
    But a comma separates thousands there if the digits end with 0, because people write "5,4" and not "5,400".
    """
    digits = re.sub(r"[\s'’\u00a0\u202f]", "", written).replace("−", "-")
    marks = [character for character in digits if character in ".,"]
    if not marks:
        return Decimal(digits)
    last = marks[-1]
    if len(set(marks)) == 2:
        decimal = last
    elif len(marks) > 1:
        decimal = ""
    elif len(digits.rpartition(last)[2]) == 3 and digits.partition(last)[0].lstrip("+-") not in ("", "0"):
        is_decimal = language not in _EITHER and (last == ",") == (language in _DECIMAL_COMMA)
        decimal = last if is_decimal and not (last == "," and digits.endswith("0")) else ""
    else:
        decimal = last
    whole, _, decimals = digits.rpartition(decimal) if decimal else (digits, "", "")
    return Decimal(re.sub(r"[.,]", "", whole) + (f".{decimals}" if decimals else ""))


def prepared(text: str, language: str) -> str:
    """Plain text without LaTeX and currencies before a number, with digits for fractions ("½") and factors ("1.2 million")."""
    text = re.sub("(\\d?)([½¼¾])", lambda found: f"{found[1] or 0}.{_FRACTIONS[found[2]]}", without_latex(text))
    text = re.sub(r"(?<=[\s=≈(])\.(?=\d)", "0.", text)
    text = re.sub(r"(?<=\d),\s?[-–—]+(?!\s?\d)|(?<=\d)\s?/[-–=](?!\s?\d)", "", text)  # "Rp12.500,-", "2,400/-"
    text = re.sub(r"(?<![\d.,/])(\d+) ([1-9])/(2|4|5|8|10)(?![\d/])", _mixed, text)
    text = _CURRENCY.sub("", _TYPED_ZERO.sub(lambda found: found[0].replace("\u101d", "0"), plain(text)))
    # "2 million and a half" is 2,500,000
    text = re.sub(
        rf"{_UNIT}\s?(?:{half_words(language)})", lambda found: f"{_with_half(found, language):f}", text, flags=re.IGNORECASE
    )
    text = with_halves(text, language)
    text = _RESULT_IN_WORDS.sub(lambda found: " " + in_digits(found[1], language, things=True), text)
    return _MULTIPLIED.sub(lambda found: f"{_sum(found[0], language):f}", text)


def _mixed(found: re.Match[str]) -> str:
    """The decimal of a mixed number: 2.5 for "2 1/2"."""
    whole, numerator, denominator = map(Decimal, found.groups())
    return f"{whole + numerator / denominator}"


def _with_half(found: re.Match[str], language: str) -> Decimal:
    """The value of a number with a factor and half of that factor: 2,500,000 for "2 million and a half"."""
    return (parse_number(found[1], language) + Decimal("0.5")) * _factor(found[2])


def _factor(words: str) -> int:
    """The product of words that multiply: 100,000,000 for "hundred million"."""
    return prod(_FACTORS[word] for word in re.findall(_FACTOR_WORDS, words.casefold()))


def _sum(written: str, language: str) -> Decimal:
    """The value of "1 million 500 thousand"."""
    parts = re.findall(_UNIT, written, re.IGNORECASE)
    return sum((parse_number(number, language) * _factor(words) for number, words in parts), Decimal(0))


def in_digits(clause: str, language: str, *, things: bool = False) -> str:
    """A clause in digits, if it is only a number in words, with `things` perhaps also what is counted; else the clause itself."""
    sentence = SENTENCE_END.split(clause.strip(TRIM + STOPS), maxsplit=1)[0].strip(TRIM + STOPS)
    words = number_in_words(sentence, language) or number_in_words(re.split(r"[,\u104a]\s", sentence, maxsplit=1)[0], language)
    if words is None and things and not re.search(r"\d", clause):
        words = number_of_things(sentence, language)
    return words or clause
