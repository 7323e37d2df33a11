"""IndoMMLU: from published rows to processed rows."""

import ast
import re
from typing import Any


_LABEL = re.compile(r"^([A-E])\. ?", re.MULTILINE)


def split_options(published: str | list[str]) -> dict[str, str]:
    """Published options → letter: text, without those that have no text.

    They are a list of lines, or on the hub that list written as a string. A line without a letter belongs to the option before.

    Raises:
        ValueError: if a string is not a list.
    """
    try:
        lines = ast.literal_eval(published) if isinstance(published, str) else published
    except SyntaxError as error:
        raise ValueError(f"field 'options' is {published[:80]!r}; expected a list of texts, written as one") from error
    _, *parts = _LABEL.split("\n".join(lines))
    return {letter: text.strip() for letter, text in zip(parts[::2], parts[1::2], strict=True) if text.strip()}


def process_row(row: dict[str, Any]) -> dict[str, Any] | list[dict[str, Any]]:
    """{"question", "options", "answer", "is_for_fewshot" (may be missing)} → a processed row, or none.

    Rows that the authors set aside as exemplars, and rows whose answer is none of their options, are left out. If the right
    option occurs twice, the copy under the wrong letter is dropped.
    """
    options = split_options(row["options"])
    right = options.get(row["answer"].strip())
    if str(row.get("is_for_fewshot")) == "1" or right is None:
        return []
    kept = [option for letter, option in options.items() if option != right or letter == row["answer"].strip()]
    return {
        "question": row["question"].strip(),
        "options": kept,
        "letters": list("ABCDE"[: len(kept)]),
        "gold": kept.index(right),
    }
