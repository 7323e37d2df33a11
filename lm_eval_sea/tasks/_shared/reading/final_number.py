"""Reading the number that a chat model concludes with. Pure functions, no I/O.

A framed number counts before a stated one, a stated one before the result of the last equation, and the last of each kind counts.
Numbers are read as the language writes them: "1.234,5" is Indonesian for what is "1,234.5" in English.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from .answer_text import cue_pattern, plain
from .conclusions import any_word, statement_spans
from .frames import boxed, json_answer, tagged, unfenced, without_emphasis, without_latex


if TYPE_CHECKING:
    from collections.abc import Sequence


# Languages that write a comma before decimals, and stops between thousands.
_DECIMAL_COMMA = frozenset({"id", "jv", "su", "vi", "ban", "min", "ace", "bug", "mad", "bjn", "nij", "bbc"})
# Languages whose writers use either sign between thousands.
_EITHER = frozenset({"km", "lo"})
_NUMBER = re.compile(r"(?<![A-Za-z\d.,/])[-−+]?\s?\d+(?:[.,'’\u00a0\u202f]\d+)*(?![\d/])")
_OPERATION = re.compile(rf"(?:{_NUMBER.pattern}\s*[×x*+÷/−-]\s*)+(?=[^\d\s]{{0,3}}\d){_NUMBER.pattern}")
# Of an answer that repeats itself without end the last statements are read.
_MOST_STATEMENTS = 50
_LONGEST_CLAUSE = 500
# Amounts of money with the currency close to the number.
_CURRENCY = re.compile(
    r"(?<![A-Za-z])(?:Rp|RM|IDR|MYR|USD|US|PHP|THB|VND|SGD|INR|Rs|NT|HK|S|A|P)\.?\s?[$₱]?(?=\d)", re.IGNORECASE
)
_FRACTIONS = {"½": "5", "¼": "25", "¾": "75"}
_EQUATION = re.compile(r"(?:=|≈|→|⇒)\s*(?:[^\d\s=+\-−]{0,4}\s*)?(" + _NUMBER.pattern.removeprefix(r"(?<![A-Za-z\d.,/])") + ")")


def read_final_number(answer: str, language: str, tags: Sequence[str] = ()) -> Decimal | None:
    """The number that an answer of any length concludes with; None where it gives none or several.

    Args:
        answer: what the model wrote, without its thought.
        language: code of the language whose way of writing numbers is read.
        tags: the words that ask for the answer in the prompt.
    """
    names = tuple(tag.strip(" :：-") for tag in tags)
    for frame in (json_answer(answer, names), boxed(answer), tagged(answer)):
        if frame is not None and (found := _result(_prepared(frame), language)) is not None:
            return found
    text = _prepared(without_emphasis(unfenced(answer)))
    for ends in (_tag_ends(text, tags), [end for _, end in statement_spans(text, language)]):
        for end in reversed(ends[-_MOST_STATEMENTS:]):
            clause = text[end : end + _LONGEST_CLAUSE].lstrip().split("\n", 1)[0]
            if (found := _result(clause, language)) is not None:
                return found
    lines = [line for line in text.splitlines() if line.strip()]
    while len(lines) > 1 and any_word("note", language).match(lines[-1].lstrip("([ ")):
        lines.pop()
    for line in reversed(lines[-2:]):
        if equations := _EQUATION.findall(line):
            return parse_number(equations[-1], language)
    numbers = {parse_number(number, language) for number in _NUMBER.findall(lines[-1])} if lines else set()
    if len(numbers) > 1:
        # of several the one in bold type
        last = next(line for line in reversed(unfenced(answer).splitlines()) if line.strip())
        bold = [_result(_prepared(span), language) for span in re.findall(r"\*\*([^*]+)\*\*", last)]
        numbers = {number for number in bold if number is not None}
    return numbers.pop() if len(numbers) == 1 else None


def parse_number(written: str, language: str) -> Decimal:
    """The value of a number as the language writes it.

    Where both separators stand in it the last one begins the decimals. One that repeats separates thousands. A single one with
    other than three digits behind it begins the decimals; with three the custom of the language decides. Three zeros behind a
    decimal comma separate thousands, too: where people write "70,000" for seventy they write "70".
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
        decimal = last if is_decimal and not (last == "," and digits.endswith(",000")) else ""
    else:
        decimal = last
    whole, _, decimals = digits.rpartition(decimal) if decimal else (digits, "", "")
    return Decimal(re.sub(r"[.,]", "", whole) + (f".{decimals}" if decimals else ""))


def _prepared(text: str) -> str:
    """Plain text without LaTeX, currencies before a number, and signs of fractions."""
    text = re.sub("(\\d?)([½¼¾])", lambda found: f"{found[1] or 0}.{_FRACTIONS[found[2]]}", without_latex(text))
    return _CURRENCY.sub("", plain(text))


def _result(clause: str, language: str) -> Decimal | None:
    """The number behind the last "=" of a clause, else the one that it gives; None if it gives several."""
    sentence = re.split(r"(?<=[^\d\s])[.!?](?:\s|$)|(?<=\d)[.!?](?:\s+\D|$)|[\u3002\u104b\u17d4]", clause, maxsplit=1)[0]
    if equations := _EQUATION.findall(sentence):
        return parse_number(equations[-1], language)
    if sum_ := _OPERATION.match(sentence.strip("( ")):
        sentence = sentence.strip("( ")[sum_.end() :]
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    if len(found) > 1:
        between = sentence[found[0].end() : found[1].start()]
        if re.fullmatch(r"\s*(?:[-–—:]|to)\s*", between):  # a range, or a time
            return None
        if any_word("no", language).search(sentence[: found[0].start()]):
            return parse_number(found[1][0], language)
        if any_word("joined", language).fullmatch(between.strip(" ,$₱€£")):
            same = parse_number(found[0][0], language) == parse_number(found[1][0], language)
            return parse_number(found[0][0], language) if same else None
    return parse_number(found[0][0], language)


def _tag_ends(text: str, tags: Sequence[str]) -> list[int]:
    return sorted(match.end() for tag in tags for match in re.finditer(cue_pattern(plain(tag)), text, re.IGNORECASE))
