"""XQuAD: from published rows to processed rows."""

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
