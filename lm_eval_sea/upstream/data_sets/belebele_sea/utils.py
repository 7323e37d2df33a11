"""Belebele: rows for the prompts."""

ANSWERS = ("mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")


def unescape_csv(text):
    """Takes off the quoting of a CSV cell that many published passages kept."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and '""' in text[1:-1]:
        text = text[1:-1]
        while '""' in text:
            text = text.replace('""', '"')
    return text.strip()


def process_row(row):
    return {
        "passage": unescape_csv(row["flores_passage"]),
        "question": unescape_csv(row["question"]),
        "options": [unescape_csv(row[answer]) for answer in ANSWERS],
        "letters": ["A", "B", "C", "D"],
        "gold": int(row["correct_answer_num"]) - 1,
    }


def process_docs(dataset):
    return dataset.map(process_row, remove_columns=dataset.column_names)
