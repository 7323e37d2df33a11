"""IndoNLI: from published rows to processed rows."""

LABELS = ("neutral", "entailment", "contradiction")


def process_row(row):
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


def process_rows(splits):
    """The processor of every row."""
    return process_row
