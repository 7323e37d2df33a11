"""IndoCloze: from published rows to processed rows."""

import hashlib
from typing import Any


SENTENCES = ("Kalimat-1", "Kalimat-2", "Kalimat-3", "Kalimat-4")
ENDINGS = ("Correct Ending", "Incorrect Ending")
_MARKS = (".", "!", "?", "…", '"', "”")


def sentence(published: str) -> str:
    """A sentence on one line. It gets a full stop if it has no mark at its end, like many published ones."""
    text = " ".join(published.split())
    return text if text.endswith(_MARKS) else f"{text}."


def position_of_right(story: str) -> int:
    """The position of the right ending, 0 or 1: the first bit of the story's SHA-256. The published rows have no order."""
    return hashlib.sha256(story.encode()).digest()[0] >> 7


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"Kalimat-1" to "Kalimat-4", "Correct Ending", "Incorrect Ending"} → a processed row."""
    story = " ".join(sentence(row[column]) for column in SENTENCES)
    options = [sentence(row[column]) for column in ENDINGS]
    gold = position_of_right(story)
    return {"story": story, "options": options[::-1] if gold else options, "letters": ["A", "B"], "gold": gold}
