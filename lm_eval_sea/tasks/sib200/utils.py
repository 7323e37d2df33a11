"""SIB-200: from published rows to processed rows."""

from typing import Any


LABELS = ("science/technology", "travel", "politics", "sports", "health", "entertainment", "geography")


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"index_id", "category", "text"} → a processed row."""
    if row["category"] not in LABELS:
        raise ValueError(f"field 'category' is {row['category']!r}; expected one of {', '.join(LABELS)}")
    return {"id": row["index_id"], "text": row["text"].strip(), "gold": LABELS.index(row["category"])}
