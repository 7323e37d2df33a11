"""VMLU: from published rows to processed rows."""

import re
from typing import Any


_LABELLED = re.compile(r"([A-E])\. *(.*)", re.DOTALL)


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"id", "question", "choices" ("A. …"), "answer"} → a processed row.

    In one row the right option occurs twice; the copy under the wrong letter is dropped.
    """
    matches = [match for choice in row["choices"] if (match := _LABELLED.fullmatch(choice.strip()))]
    if len(matches) < len(row["choices"]):
        raise ValueError(f"field 'choices' is {row['choices']!r}; expected 'A. …' and so on")
    options = {match[1]: match[2].strip() for match in matches}
    if row["answer"] not in options:
        raise ValueError(f"field 'answer' is {row['answer']!r}; expected one of {', '.join(options)}")
    right = options[row["answer"]]
    kept = [option for letter, option in options.items() if option != right or letter == row["answer"]]
    return {
        "id": row["id"],
        "question": row["question"].strip(),
        "options": kept,
        "letters": list("ABCDE"[: len(kept)]),
        "gold": kept.index(right),
    }
