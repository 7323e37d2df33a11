"""IndoLEM sentiment: from published rows to processed rows."""

LABELS = ("positive", "negative")


def process_row(row):
    """{"text", "label"} → a processed row."""
    if row["label"] not in LABELS:
        raise ValueError(f"field 'label' is {row['label']!r}; expected {', '.join(LABELS)}")
    return {"text": row["text"].strip(), "gold": LABELS.index(row["label"])}


def process_rows(splits):
    """The processor of every row."""
    return process_row
