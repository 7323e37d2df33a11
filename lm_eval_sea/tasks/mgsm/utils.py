"""MGSM: from published rows to processed rows."""

from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"question", "answer_number"} → a processed row, whose solution is only the number."""
    number = row["answer_number"]
    if not str(number).isdecimal():
        raise ValueError(f"field 'answer_number' is {number!r}; expected a whole number")
    return {"question": row["question"].strip(), "solution": str(number)}
