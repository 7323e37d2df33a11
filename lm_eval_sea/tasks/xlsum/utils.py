"""XL-Sum: from published rows to processed rows."""

import unicodedata
from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"text", "summary"} → a processed row. A summary is one line, as answers are.

    Many published texts have decomposed Vietnamese letters (Unicode NFD, or half of it), which tokenizers and scores take for
    other letters.
    """
    text, summary = (unicodedata.normalize("NFC", row[column]) for column in ("text", "summary"))
    return {"document": text.strip(), "summary": " ".join(summary.split())}
