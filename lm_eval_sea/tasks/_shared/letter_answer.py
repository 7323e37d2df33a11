"""Reading the answer letter (or digit) from generated text, strictly. Pure functions, no I/O."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from .answer_text import answer_text

THAI_DIGITS = {"1": "๑", "2": "๒", "3": "๓", "4": "๔", "5": "๕"}

# Marks that people put around a label, and what closes each.
_PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "*": "*", "_": "_", "`": "`"}
# What stands between a label and the text of its option.
_SEPARATORS = ".:)"


def _label_pattern(label: str, position: int) -> str:
    """The ways a label is written: a digit also in Thai, or as the Latin letter of its position; a letter as it is."""
    return f"(?:{label}|{THAI_DIGITS[label]}|{'ABCDE'[position]})" if label in THAI_DIGITS else label


def _same_beginning(one: str, other: str) -> bool:
    """Whether one text begins with the other, but for case and blanks."""
    one, other = (" ".join(text.casefold().split()) for text in (one, other))
    return one.startswith(other) or other.startswith(one)


def _behind_label(line: str, pattern: str) -> str | None:
    """What follows the label at the beginning of a line; None if the line does not begin with it."""
    opening = re.match(f"[{re.escape(''.join(_PAIRS))}]*", line)[0]
    match = re.match(pattern, line[len(opening) :], re.IGNORECASE)
    if not match:
        return None
    rest = line[len(opening) + match.end() :]
    # "**B.** text": a separator may stand inside the marks or behind them
    closing = re.escape("".join(_PAIRS[mark] for mark in reversed(opening)))
    for ending in (rf"[{_SEPARATORS};]?{closing}[{_SEPARATORS}]?", rf"[{_SEPARATORS};]?"):
        if (match := re.match(rf"{ending}(?=\s|$)", rest)) or (match := re.match(rf"{ending}(?<=[{_SEPARATORS}])", rest)):
            return rest[match.end() :]
    return None


def extract_letter(text: str, letters: Sequence[str], options: Sequence[str], cues: Sequence[str] = ()) -> int | None:
    """Position of the answer in `letters`, or None if the text does not begin with an answer.

    Only the first line with text counts. Accepted is a label alone ("B", "(b)", "**B**", "B."), and one that the text of its own
    option follows ("B. …", also if it breaks off), each also after one of the answer `cues`. A label that is part of a word
    or a number ("Bandung", "3,5", "A.M."), or that anything else follows ("A dog", "A. or B.", "1. First, …"), is no answer.

    Args:
        text: what the model generated.
        letters: the labels of the options in order, upper-case Latin letters or Arabic digits.
        options: the texts of the options.
        cues: the words that ask for the answer, such as "คำตอบ:".
    """
    # full-width letters become ordinary ones
    line = unicodedata.normalize("NFKC", answer_text(text, cues))
    for position, label in enumerate(letters):
        rest = _behind_label(line, _label_pattern(label, position))
        if rest is not None and (not rest.strip() or _same_beginning(rest, unicodedata.normalize("NFKC", options[position]))):
            return position
    return None
