"""XQuAD: from published rows to processed rows."""

from collections.abc import Callable
from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"title", "context", "question", "answer"} → a processed row; the passage, with its five questions, is the cluster."""
    passage = row["context"].strip()
    return {
        "cluster": passage,
        "passage": passage,
        "question": row["question"].strip(),
        "answers": [row["answer"].strip()],
    }


def process_rows(splits: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of every row."""
    return process_row
