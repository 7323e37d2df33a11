"""IndoLEM sentiment: from published rows to processed rows."""

from typing import Any


LABELS = ("positive", "negative")


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"text", "label"} → a processed row."""
    if row["label"] not in LABELS:
        raise ValueError(f"field 'label' is {row['label']!r}; expected {', '.join(LABELS)}")
    return {"text": row["text"].strip(), "gold": LABELS.index(row["label"])}
