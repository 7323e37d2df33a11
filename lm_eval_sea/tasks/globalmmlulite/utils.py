"""Global-MMLU-Lite: from published rows to processed rows."""

from typing import Any


LETTERS = "ABCD"


def process_row(row: dict[str, Any]) -> dict[str, Any] | list[dict[str, Any]]:
    """{"sample_id", "question", "option_a" …, "answer"} → a processed row; none for a row without a question.

    An option that repeats an earlier one is left out, so that only one option is right.
    """
    if not (row["question"] or "").strip():
        return []
    texts = [row[f"option_{letter.lower()}"].strip() for letter in LETTERS]
    if row["answer"] not in list(LETTERS):
        raise ValueError(f"field 'answer' is {row['answer']!r}; expected one of {', '.join(LETTERS)}")
    options = list(dict.fromkeys(texts))
    return {
        "id": row["sample_id"],
        "question": row["question"].strip(),
        "options": options,
        "letters": list(LETTERS[: len(options)]),
        "gold": options.index(texts[LETTERS.index(row["answer"])]),
    }
