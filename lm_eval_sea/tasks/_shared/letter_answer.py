"""Reading the answer letter (or digit) from generated text, strictly. Pure functions, no I/O."""

from __future__ import annotations

import re
from collections.abc import Sequence

THAI_DIGITS = {"1": "๑", "2": "๒", "3": "๓", "4": "๔", "5": "๕"}

# Brackets, quotation marks and Markdown's stars that people put around a label, and what may follow one.
_OPENING = r"[\s(\[{\"'“‘«*_]*"
_SEPARATOR = r"[.:)\]}\"'”’»*_]"
# A separator inside a number or an abbreviation ("3.5", "A.M.") is followed by one of these.
_LATIN_OR_DIGIT = r"[0-9๐-๙A-Za-zÀ-ɏḀ-ỿ]"


def _written_forms(label: str, position: int) -> list[str]:
    """The ways a label is written: a digit also in Thai, or as the Latin letter of its position; a letter as it is."""
    if label in THAI_DIGITS:
        return [label, THAI_DIGITS[label], "ABCDE"[position]]
    return [label]


def extract_letter(text: str, letters: Sequence[str], cues: Sequence[str] = ()) -> int | None:
    """Position of the answer in `letters`, or None if the text does not begin with an answer.

    Only the first line counts. Accepted is a label alone ("B", "(b)", "**B**"), also with the text of the option after a
    full stop, colon or bracket ("B. …"), each also after one of the answer `cues`. A label that is part of a word or a
    number ("Bandung", "3,5", "A.M.") or is followed by running text ("A dog") is no answer.

    Args:
        text: what the model generated.
        letters: the labels of the options in order, upper-case Latin letters or Arabic digits.
        cues: the words that ask for the answer, such as "คำตอบ:".
    """
    line = text.split("\n", 1)[0].strip()
    for cue in cues:
        if line.startswith(cue):
            line = line[len(cue) :].strip()
            break
    for position, label in enumerate(letters):
        for form in _written_forms(label, position):
            pattern = rf"{_OPENING}{form}(?:\s*$|{_SEPARATOR}+(?!{_LATIN_OR_DIGIT}))"
            if re.match(pattern, line, re.IGNORECASE):
                return position
    return None
