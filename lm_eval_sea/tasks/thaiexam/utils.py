"""ThaiExam: from published rows to processed rows."""

from typing import Any


COLUMNS = "abcde"  # the exam of investment consultants has no e


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"question", "a" …, "answer"} → a processed row.

    Empty options and those that repeat an earlier one are left out. The others get new labels by their position.
    """
    texts = {column: (row.get(column) or "").strip() for column in COLUMNS}
    options = list(dict.fromkeys(filter(None, texts.values())))
    if not texts.get(row["answer"]):
        raise ValueError(f"field 'answer' is {row['answer']!r}; expected one of the options that have a text")
    return {
        "question": row["question"].strip(),
        "options": options,
        "letters": list("ABCDE"[: len(options)]),
        "gold": options.index(texts[row["answer"]]),
    }
