"""M3Exam: from published rows to processed rows.

The texts of options begin with their labels, in many spellings: "A. …", "a. …", "A.…", "A . …", "B, …", "D …", with a Cyrillic В,
with Arabic or Thai digits, with a line break or a no-break space after them. Here the labels are cut off, and the options get new
labels by their position: A to D, in Thai 1 to 5.
"""

import re
from collections.abc import Callable
from typing import Any


_LABEL = re.compile(r"\s*([A-Ea-eВ1-5๑-๕])\s*[.,]?\s*(.*)", re.DOTALL)
# Thai digits to Arabic ones, Cyrillic В (U+0412) to Latin B
_PLAIN = str.maketrans("๑๒๓๔๕\u0412", "12345B")


def _plain_label(label: str) -> str:
    return label.strip().translate(_PLAIN).upper()


def _gold_position(answer: str, printed: list[str], letters: list[str]) -> int:
    """Position of the right option.

    The printed label decides if it occurs once. If labels are printed twice or are missing (nine Vietnamese rows have "A, B, C,
    C" and the like), the position that the label should have decides.
    """
    if printed.count(answer) == 1:
        return printed.index(answer)
    if answer not in letters:
        raise ValueError(f"field 'answer_text' is {answer!r}; expected one of {', '.join(letters)}")
    return letters.index(answer)


def process_row(row: dict[str, Any], labels: str) -> dict[str, Any]:
    """{"question_text", "options", "answer_text"} and the labels in order, "ABCDE" or "12345" → a processed row."""
    split = []
    for position, option in enumerate(row["options"]):
        match = _LABEL.fullmatch(option)
        if match is None:
            raise ValueError(f"field 'options' has no label at position {position + 1}: {option!r}; expected 'A. …'")
        split.append(match)
    letters = list(labels[: len(split)])
    return {
        "question": row["question_text"].strip(),
        "options": [match[2].strip() for match in split],
        "letters": letters,
        "gold": _gold_position(_plain_label(row["answer_text"]), [_plain_label(match[1]) for match in split], letters),
    }


def process_thai_rows(splits: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of Thai rows: digits are labels."""
    return lambda row: process_row(row, "12345")


def process_vietnamese_rows(splits: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of Vietnamese rows."""
    return lambda row: process_row(row, "ABCDE")


def process_javanese_rows(splits: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of Javanese rows. Questions end in dots for the answer, which the published prompt cuts off."""

    def process(row: dict[str, Any]) -> dict[str, Any]:
        processed = process_row(row, "ABCDE")
        return processed | {"question": processed["question"].rstrip(" .…")}

    return process
