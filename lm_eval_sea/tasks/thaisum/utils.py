"""ThaiSum: from published rows to processed rows."""


def process_row(row):
    """{"body", "summary"} → a processed row. A summary is one line, as answers are."""
    return {"document": row["body"].strip(), "summary": " ".join(row["summary"].split())}


def process_rows(splits):
    """The processor of every row."""
    return process_row
