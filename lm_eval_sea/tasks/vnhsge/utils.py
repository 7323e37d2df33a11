"""VNHSGE: from published rows to processed rows."""

import re
from typing import Any


LETTERS = "ABCD"
_NUMBER = re.compile(r"Câu\s*\d+\s*[:.)]?")
_BROWSER = "Top of Form\nBottom of Form"  # Word writes this into text that was copied from a web page
_OPTION = re.compile(r"^\s*([A-D])\s*[.:]", re.MULTILINE)


def _text(published: str) -> str:
    """The lines, with single spaces between words and none around them."""
    return "\n".join(" ".join(line.split()) for line in published.replace(_BROWSER, "").strip().split("\n"))


def process_row(row: dict[str, Any]) -> dict[str, Any] | list[dict[str, Any]]:
    """{"ID", "Image_Question", "Question" ("Câu 1: …" with a line "A. …" for each option), "Choice"} → a processed row.

    None for a row with an image, or without four options at the beginning of lines. The options may be in another order than A,
    B, C, D. A wrong option with the text of the right one is dropped.
    """
    stem, *parts = _OPTION.split(row["Question"])
    options = {letter: _text(text) for letter, text in zip(parts[::2], parts[1::2], strict=True)}
    if row["Image_Question"].strip() or len(parts) != 2 * len(LETTERS) or len(options) != len(LETTERS):
        return []
    if row["Choice"] not in options:
        raise ValueError(f"field 'Choice' is {row['Choice']!r}; expected one of {', '.join(LETTERS)}")
    right = options[row["Choice"]]
    kept = [options[letter] for letter in LETTERS if options[letter] != right or letter == row["Choice"]]
    return {
        "id": row["ID"],
        "question": _text(_NUMBER.sub("", stem, count=1)),
        "options": kept,
        "letters": list(LETTERS[: len(kept)]),
        "gold": kept.index(right),
    }
