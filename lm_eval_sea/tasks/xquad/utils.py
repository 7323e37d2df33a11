"""XQuAD: from published rows to processed rows."""


def process_row(row):
    """{"title", "context", "question", "answer"} → a processed row; the passage, with its five questions, is the cluster."""
    passage = row["context"].strip()
    return {
        "cluster": passage,
        "passage": passage,
        "question": row["question"].strip(),
        "answers": [row["answer"].strip()],
    }


def process_rows(splits):
    """The processor of every row."""
    return process_row
