"""TICO-19: from published rows to processed rows. The same rows serve both directions."""

import unicodedata
from typing import Any


ZERO_WIDTH_SPACE = "\u200b"  # between words, but only in some of the Khmer rows
CONVERSATIONS = "CMU_"  # sentences of several conversations, which do not form one text like those of an article


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"stringID": "DOCUMENT:NUMBER", "sourceString": English, "targetString": translation} → a processed row."""
    english, translation = (
        unicodedata.normalize("NFC", row[name].replace(ZERO_WIDTH_SPACE, "").strip()) for name in ("sourceString", "targetString")
    )
    name = row["stringID"]
    document = name if name.startswith(CONVERSATIONS) else name.rpartition(":")[0]
    return {"id": name, "cluster": document, "english": english, "translation": translation}
