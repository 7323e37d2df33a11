"""XNLI: from published rows to processed rows."""

from typing import Any


LABELS = ("neutral", "entailment", "contradiction")


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"sentence1", "sentence2", "label"} → a processed row; the premise is the cluster, for it has three hypotheses."""
    if row["label"] not in LABELS:
        raise ValueError(f"field 'label' is {row['label']!r}; expected {', '.join(LABELS)}")
    premise = row["sentence1"].strip()
    return {
        "cluster": premise,
        "premise": premise,
        "hypothesis": row["sentence2"].strip(),
        "gold": LABELS.index(row["label"]),
    }
