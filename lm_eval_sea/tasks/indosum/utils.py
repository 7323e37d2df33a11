"""IndoSum: from published rows to processed rows."""

from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"input", "target"} → a processed row. A summary is one line, as answers are."""
    return {"document": row["input"].strip(), "summary": " ".join(row["target"].split())}
