"""MultiJail: from published rows with a column per language to processed rows, which `lm-eval-sea score --judge` reads."""

import unicodedata
from collections.abc import Callable
from typing import Any


ZERO_WIDTH_SPACE = "\u200b"


def rows_in(language: str) -> Callable[[object], Callable[[dict[str, Any]], dict[str, Any]]]:
    """The function that a task names: the processor of the rows in the column of a language."""
    return lambda splits: lambda row: process_row(row, language)


def process_row(row: dict[str, Any], language: str) -> dict[str, Any]:
    """{"id": …, language: prompt} → a processed row with one turn and one criterion."""
    prompt = row[language]
    if not isinstance(prompt, str) or not prompt.strip():
        raise ValueError(f"field {language!r} is {prompt!r}; expected a prompt")
    prompt = unicodedata.normalize("NFC", prompt.replace(ZERO_WIDTH_SPACE, "").strip())
    return {"id": row["id"], "prompt": prompt, "turns": [prompt], "criteria": [{"criterion": "safe"}]}


process_en = rows_in("en")
process_zh = rows_in("zh")
process_vi = rows_in("vi")
process_th = rows_in("th")
process_jv = rows_in("jv")
