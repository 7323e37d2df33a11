"""IndoCloze: from published rows to processed rows."""

import hashlib
from typing import Any


SENTENCES = ("Kalimat-1", "Kalimat-2", "Kalimat-3", "Kalimat-4")
ENDINGS = ("Correct Ending", "Incorrect Ending")
_MARKS = (".", "!", "?", "…", '"', "”")


def sentence(published: str) -> str:
    """A sentence on one line that ends with a full stop, unless with another mark; many published ones have none."""
    text = " ".join(published.split())
    return text if text.endswith(_MARKS) else f"{text}."


def position_of_right(story: str) -> int:
    """0 or 1: where the right ending stands, by the first bit of the story's SHA-256. The published rows have no order."""
    return hashlib.sha256(story.encode()).digest()[0] >> 7


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"Kalimat-1" to "Kalimat-4", "Correct Ending", "Incorrect Ending"} → a processed row."""
    story = " ".join(sentence(row[column]) for column in SENTENCES)
    options = [sentence(row[column]) for column in ENDINGS]
    gold = position_of_right(story)
    return {"story": story, "options": options[::-1] if gold else options, "letters": ["A", "B"], "gold": gold}
