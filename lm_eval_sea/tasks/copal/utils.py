"""COPAL-ID: from published rows to processed rows."""

from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"premise", "choice1", "choice2", "question", "label", "idx"}, all strings → a processed row."""
    if row["question"] not in ("cause", "effect"):
        raise ValueError(f"field 'question' is {row['question']!r}; expected 'cause' or 'effect'")
    return {
        "id": row["idx"],
        "premise": row["premise"].strip(),
        "question": row["question"],
        "options": [row["choice1"].strip(), row["choice2"].strip()],
        "letters": ["A", "B"],
        "gold": int(row["label"]),
    }
