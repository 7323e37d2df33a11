"""MGSM: from published rows to processed rows."""


def process_row(row):
    """{"question", "answer_number"} → a processed row, whose solution is the number alone."""
    number = row["answer_number"]
    if not str(number).isdecimal():
        raise ValueError(f"field 'answer_number' is {number!r}; expected a whole number")
    return {"question": row["question"].strip(), "solution": str(number)}


def process_rows(splits):
    """The processor of every row."""
    return process_row
