"""FLORES-200: from published rows to processed rows. The same rows serve both directions."""

from collections.abc import Callable
from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"source": English, "target": translation} → a processed row; many published translations have blanks at the edges."""
    return {"english": row["source"].strip(), "translation": row["target"].strip()}


def process_sentences(splits: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of the translations as texts of their own."""
    return lambda row: {"text": process_row(row)["translation"]}


def process_english_sentences(splits: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The same of the English sentences."""
    return lambda row: {"text": process_row(row)["english"]}
