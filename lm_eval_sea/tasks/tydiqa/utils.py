"""TyDiQA, gold passage task: from published rows to processed rows."""

from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"context", "question", "answer"} → a processed row; the passage is the cluster, for some have several questions."""
    passage = row["context"].strip()
    return {
        "cluster": passage,
        "passage": passage,
        "question": row["question"].strip(),
        "answers": [answer.strip() for answer in row["answer"]],
    }
