"""FLORES-200: from published rows to processed rows. The same rows serve both directions."""

from collections.abc import Callable
from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"source": English, "target": translation} → a processed row. Many published translations have spaces at their ends."""
    return {"english": row["source"].strip(), "translation": row["target"].strip()}


def process_sentences(splits: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of the translations as texts of their own."""
    return lambda row: {"text": process_row(row)["translation"]}


def process_english_sentences(splits: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The processor of the English sentences as texts of their own."""
    return lambda row: {"text": process_row(row)["english"]}
