"""NTREX-128: from published rows with a column per language to processed rows. The same rows serve both directions."""

from collections.abc import Callable
from typing import Any


ZERO_WIDTH_SPACE = "\u200b"  # between syllables, but only in some of the rows


def rows_in(*columns: str) -> Callable[[object], Callable[[dict[str, Any]], dict[str, Any]]]:
    """The function that a task names: the processor of rows by the first of the columns that they have."""
    return lambda splits: lambda row: process_row(row, next((name for name in columns if name in row), columns[0]))


def process_row(row: dict[str, Any], column: str) -> dict[str, Any]:
    """{"eng_Latn": English, column: translation} → a processed row."""
    english, translation = (row[name].replace(ZERO_WIDTH_SPACE, "").strip() for name in ("eng_Latn", column))
    return {"english": english, "translation": translation}


process_filipino = rows_in("fil_Latn")
process_indonesian = rows_in("ind_Latn")
process_khmer = rows_in("khm_Khmr")
process_lao = rows_in("lao_Laoo")
process_malay = rows_in("msa_Latn", "zsm_Latn")  # copies of the rows have different names for the column
process_tamil = rows_in("tam_Taml")
process_thai = rows_in("tha_Thai")
process_vietnamese = rows_in("vie_Latn")
