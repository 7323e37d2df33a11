"""TICO-19: from published rows to processed rows. The same rows serve both directions."""

import unicodedata
from typing import Any


ZERO_WIDTH_SPACE = "\u200b"  # between the words of a part of the Khmer rows only
CONVERSATIONS = "CMU_"  # sentences of several conversations, which do not belong together as those of an article do


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"stringID": "DOCUMENT:NUMBER", "sourceString": English, "targetString": translation} → a processed row."""
    english, translation = (
        unicodedata.normalize("NFC", row[name].replace(ZERO_WIDTH_SPACE, "").strip()) for name in ("sourceString", "targetString")
    )
    name = row["stringID"]
    document = name if name.startswith(CONVERSATIONS) else name.rpartition(":")[0]
    return {"id": name, "cluster": document, "english": english, "translation": translation}
