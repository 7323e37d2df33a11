"""XCOPA: from published rows to processed rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"premise", "choice1", "choice2", "question", "label", "idx"} → a processed row."""
    if row["question"] not in ("cause", "effect"):
        raise ValueError(f"field 'question' is {row['question']!r}; expected 'cause' or 'effect'")
    return {
        "id": str(row["idx"]),
        "premise": row["premise"].strip(),
        "question": row["question"],
        "options": [row["choice1"].strip(), row["choice2"].strip()],
        "letters": ["A", "B"],
        "gold": row["label"],
    }


def process_rows_with_vietnamese_question(
    splits: Mapping[str, Sequence[dict[str, Any]]],
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor that takes `question` from the Vietnamese row of the same `idx`.

    The items are the same in all languages. The Thai file has "effect" in every row, the Indonesian one in four rows too many.
    The Vietnamese file agrees with Estonian, Haitian Creole, Quechua, Tamil and Chinese in all rows.
    """
    questions = {row["idx"]: row["question"] for row in splits["vietnamese"]}

    def process(row: dict[str, Any]) -> dict[str, Any]:
        if row["idx"] not in questions:
            raise ValueError(f"field 'idx' is {row['idx']}, which the Vietnamese file lacks; expected the same items")
        return process_row(row | {"question": questions[row["idx"]]})

    return process
