"""ThaiSum: from published rows to processed rows."""

from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"body", "summary"} → a processed row. A summary is one line, as answers are."""
    return {"document": row["body"].strip(), "summary": " ".join(row["summary"].split())}
