"""IndoSum: from published rows to processed rows."""


def process_row(row):
    """{"input", "target"} → a processed row. A summary is one line, as answers are."""
    return {"document": row["input"].strip(), "summary": " ".join(row["target"].split())}


def process_rows(splits):
    """The processor of every row."""
    return process_row
