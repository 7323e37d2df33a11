"""FLORES-200: from published rows to processed rows. The same rows serve both directions."""


def process_row(row):
    """{"source": English, "target": translation} → a processed row; many published translations have blanks at the edges."""
    return {"english": row["source"].strip(), "translation": row["target"].strip()}


def process_rows(splits):
    """The processor of every row."""
    return process_row
