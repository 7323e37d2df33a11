"""UIT-VSMEC: from published rows to processed rows."""

from typing import Any


# The published words and the labels they stand for.
WORDS = {
    "Sợ hãi": "fear",
    "Ghê tởm": "disgust",
    "Buồn bã": "sadness",
    "Thích thú": "enjoyment",
    "Khác": "other",
    "Tức giận": "anger",
    "Bất ngờ": "surprise",
}
LABELS = tuple(WORDS.values())


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"text", "label"} → a processed row."""
    if row["label"] not in WORDS:
        raise ValueError(f"field 'label' is {row['label']!r}; expected {', '.join(WORDS)}")
    return {"text": row["text"].strip(), "gold": LABELS.index(WORDS[row["label"]])}
