"""SeaBench: from published rows in one file to processed rows, which `lm-eval-sea score --judge` reads."""

from collections.abc import Callable
from typing import Any


TURNS = (1, 2)


def rows_in(language: str) -> Callable[[object], Callable[[dict[str, Any]], Any]]:
    """The function that a task names: the processor of the rows in a language, which leaves out all others."""
    return lambda splits: lambda row: process_row(row) if row["lang"] == language else []


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"unit_id", "type", "user_1", "reference_1", "user_2", "reference_2"} → a conversation of two turns."""
    said, right = ([row[f"{who}_{turn}"] for turn in TURNS] for who in ("user", "reference"))
    for text in (*said, *right):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"a turn or its reference is {text!r}; expected a text")
    return {
        "id": row["unit_id"],
        "category": row["type"],
        "turns": [text.strip() for text in said],
        "references": [text.strip() for text in right],
        "criteria": [{"turn": turn - 1, "criterion": "grade"} for turn in TURNS],
    }


process_indonesian = rows_in("id")
process_thai = rows_in("th")
process_vietnamese = rows_in("vi")
