"""Belebele: from published rows to processed rows."""

ANSWERS = ("mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4")


def unescape_csv(text):
    """Takes off the quoting of a CSV cell that the published rows kept: `"He said ""yes""."` becomes `He said "yes".`.

    Without blanks at the edges. A text is such a cell if quotation marks enclose it and stand doubled inside; one passage
    was quoted twice.
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and '""' in text[1:-1]:
        text = text[1:-1]
        while '""' in text:
            text = text.replace('""', '"')
    return text.strip()


def process_row(row):
    """{"flores_passage", "question", "mc_answer1" … "mc_answer4", "correct_answer_num"} → a processed row.

    The passage is the cluster: 412 of the 488 passages have two questions, whose errors are not independent.
    """
    passage = unescape_csv(row["flores_passage"])
    return {
        "id": f"{row['link']}#{row['question_number']}",
        "cluster": passage,
        "passage": passage,
        "question": unescape_csv(row["question"]),
        "options": [unescape_csv(row[answer]) for answer in ANSWERS],
        "letters": ["A", "B", "C", "D"],
        "gold": int(row["correct_answer_num"]) - 1,
    }


def process_rows(splits):
    """The processor of every row."""
    return process_row
