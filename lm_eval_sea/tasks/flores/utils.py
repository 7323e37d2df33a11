"""FLORES-200: from published rows to processed rows. The same rows serve both directions."""

from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"source": English, "target": translation} → a processed row; many published translations have blanks at the edges."""
    return {"english": row["source"].strip(), "translation": row["target"].strip()}
