"""Reading the answer letter (or digit) from generated text, strictly. Pure functions, no I/O."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from .answer_text import answer_text

THAI_DIGITS = {"1": "๑", "2": "๒", "3": "๓", "4": "๔", "5": "๕"}

# Marks that people put around a label, and what closes each.
_PAIRS = dict(zip("([{\"'“‘«_`【「", ")]}\"'”’»_`】」", strict=True))
# What stands between a label and the text of its option, or ends a sentence; also in Chinese, Khmer and Burmese.
_SEPARATORS = ".:)。、។။"
_DASH = r"(?:[-–—](?=\s))?"


def _plain(text: str) -> str:
    """The text without differences that do not change an answer: full-width letters, invisible characters, bold type."""
    text = unicodedata.normalize("NFKC", text)
    return "".join(character for character in text if unicodedata.category(character) != "Cf" and character != "*")


def _label_pattern(label: str, position: int, script_letters: Sequence[str]) -> str:
    """The ways a label is written.

    A digit also in Thai, or as the Latin letter of its position; a letter also as the one of that position in the script of
    the language.
    """
    forms = [label, THAI_DIGITS[label], "ABCDE"[position]] if label in THAI_DIGITS else [label]
    return f"(?:{'|'.join([*forms, *script_letters[position : position + 1]])})"


def _boundary(text: str) -> str:
    """What keeps a text from ending inside a word or number; in scripts without capitals words need no blanks between them."""
    return r"(?!\w)" if text[-1:].isdigit() or text[-1:].lower() != text[-1:].upper() else ""


def _folded(text: str) -> str:
    """The text without differences of case and blanks."""
    return " ".join(_plain(text).casefold().split())


def _is_own_text(rest: str, position: int, options: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether the text of the option, or its beginning, follows its label.

    The whole text of another option, or a label, does not, even if the texts begin alike.
    """
    text, own = _folded(rest), _folded(options[position])
    if text.strip(_SEPARATORS) in {*map(_folded, options), *map(str.casefold, labels)} - {own, own.strip(_SEPARATORS)}:
        return False
    return own.startswith(text) or re.match(re.escape(own) + _boundary(own), text) is not None


def _behind_label(line: str, pattern: str) -> str | None:
    """What follows the label at the beginning of a line; None if the line does not begin with it."""
    opening = re.match(f"[{re.escape(''.join(_PAIRS))}]*", line)[0]
    match = re.match(pattern, line[len(opening) :], re.IGNORECASE)
    if not match:
        return None
    rest = line[len(opening) + match.end() :]
    # "'B.' text": a separator may stand inside the marks or behind them
    closing = re.escape("".join(_PAIRS[mark] for mark in reversed(opening)))
    for ending in (rf"[{_SEPARATORS};]?{closing}[{_SEPARATORS}]?", rf"[{_SEPARATORS};]?"):
        if (match := re.match(rf"{ending}(?=\s|$)", rest)) or (match := re.match(rf"{ending}(?<=[{_SEPARATORS}])", rest)):
            return rest[match.end() :]
    return None


def _lead_in_pattern(words: str) -> str:
    """A lead-in, with or without a colon or dash. In a script with capitals it is a word of its own: "lettera" has none."""
    blanks = r"\s+".join(map(re.escape, _plain(words).split()))
    return rf"{blanks}{_boundary(words)}\s*(?:[:៖–—-]\s*)?"


def _labelled(position: int, label: str, options: Sequence[str], script_letters: Sequence[str]) -> str:
    """The pattern of an option in a list of them, in folded text: label, marks, text."""
    return rf"(?<!\w){_label_pattern(label, position, script_letters)}\W{{1,4}}{re.escape(_folded(options[position]))}"


def extract_letter(
    text: str,
    letters: Sequence[str],
    options: Sequence[str],
    cues: Sequence[str] = (),
    lead_ins: Sequence[str] = (),
    script_letters: Sequence[str] = (),
) -> int | None:
    """Position of the answer in `letters`, or None if the text does not begin with an answer.

    Only the first line with text counts. Accepted is a label alone ("B", "(b)", "**B**", "B."), and one that the text of its own
    option follows ("B. …", "B – …", also if it breaks off), each also after one of the answer `cues` and after `lead_ins`
    ("Option B", "The correct answer is option (B)"). A label that is part of a word or a number ("Bandung", "3,5", "A.M."), or
    that anything else follows ("A dog", "A. or B.", "Option B is wrong", "1. First, …"), is no answer; nor are two options with
    their texts on the line, or a repeated list of the options, from the first on, on lines of its own.

    Args:
        text: what the model generated.
        letters: the labels of the options in order, upper-case Latin letters or Arabic digits.
        options: the texts of the options.
        cues: the words that ask for the answer, such as "คำตอบ:".
        lead_ins: words that may come before a label, such as "Option".
        script_letters: what stands for `letters` in another script, such as "กขคง".
    """
    line = _plain(answer_text(text, cues)).strip()
    # the longest first, for one may begin with another
    any_lead_in = "|".join(map(_lead_in_pattern, sorted(lead_ins, key=len, reverse=True)))
    line = re.sub(rf"\A(?:{any_lead_in})+", "", line, flags=re.IGNORECASE) if any_lead_in else line
    for position, label in enumerate(letters):
        rest = _behind_label(line, _label_pattern(label, position, script_letters))
        if rest is None:
            continue
        rest = re.sub(rf"\A\s*{_DASH}\s*", "", rest)
        if not rest.strip(f"{_SEPARATORS} "):
            return position
        if not _is_own_text(rest, position, options, letters):
            return None
        patterns = [_labelled(other, letters[other], options, script_letters) for other in range(len(letters))]
        if any(re.search(pattern, _folded(rest), re.IGNORECASE) for pattern in patterns[:position] + patterns[position + 1 :]):
            return None
        repeated = position == 0 and re.search(r"\W+".join(patterns[:2]), _folded(text), re.IGNORECASE)
        return None if repeated else position
    return None
