"""NusaX sentiment: from published rows to processed rows."""

from typing import Any


LABELS = ("negative", "neutral", "positive")  # the numbers of the hub, in this order; the authors' repository has the words


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"id", "text", "label"} → a processed row."""
    label = row["label"]
    if label in LABELS:
        label = LABELS.index(label)
    if isinstance(label, bool) or label not in range(len(LABELS)):
        raise ValueError(f"field 'label' is {label!r}; expected one of {', '.join(LABELS)} or its number")
    return {"id": str(row["id"]), "text": row["text"].strip(), "gold": label}
