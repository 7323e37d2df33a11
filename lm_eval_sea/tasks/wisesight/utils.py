"""Wisesight sentiment: from published rows to processed rows."""

from typing import Any


LABELS = ("positive", "neutral", "negative")  # the published numbers, in this order


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"texts", "category"} → a processed row."""
    if row["category"] not in range(len(LABELS)):
        raise ValueError(f"field 'category' is {row['category']!r}; expected 0 to {len(LABELS) - 1}")
    return {"text": row["texts"].strip(), "gold": row["category"]}
