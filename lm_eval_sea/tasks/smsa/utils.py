"""SmSA: from published rows to processed rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


# The numbers of the hub, in this order; the authors' repository has the words.
LABELS = ("positive", "neutral", "negative")


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"text", "label"} → a processed row."""
    label = row["label"]
    if label in LABELS:
        label = LABELS.index(label)
    if isinstance(label, bool) or label not in range(len(LABELS)):
        raise ValueError(f"field 'label' is {label!r}; expected one of {', '.join(LABELS)} or its number")
    return {"text": row["text"].strip(), "gold": label}


def process_rows(splits: Mapping[str, Sequence[dict[str, Any]]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of every row; a file with one label in all rows is refused, for the authors mask labels so."""
    if len({str(row.get("label")) for row in splits["test"]}) == 1:
        raise ValueError("field 'label' is the same in every row, as where it is masked; test_preprocess.tsv has the labels")
    return process_row
