"""ID-CSQA and SU-CSQA: from published rows to processed rows."""

from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"id", "question", "choices": {"label", "text"}, "answer_majority"} → a processed row."""
    letters = row["choices"]["label"]
    if row["answer_majority"] not in letters:
        raise ValueError(f"field 'answer_majority' is {row['answer_majority']!r}; expected one of {', '.join(letters)}")
    return {
        "id": row["id"],
        "question": row["question"].strip(),
        "options": [option.strip() for option in row["choices"]["text"]],
        "letters": list(letters),
        "gold": letters.index(row["answer_majority"]),
    }
