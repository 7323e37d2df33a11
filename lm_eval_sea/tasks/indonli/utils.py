"""IndoNLI: from published rows to processed rows."""

from typing import Any


LABELS = ("neutral", "entailment", "contradiction")


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"premise", "hypothesis", "label"} → a processed row; the premise is the cluster, for most have several hypotheses."""
    if row["label"] not in LABELS:
        raise ValueError(f"field 'label' is {row['label']!r}; expected {', '.join(LABELS)}")
    premise = row["premise"].strip()
    return {
        "cluster": premise,
        "premise": premise,
        "hypothesis": row["hypothesis"].strip(),
        "gold": LABELS.index(row["label"]),
    }
