"""ThaiSum: rows for the prompts, and what the corpus scores need of a row."""

import unicodedata


def process_row(row):
    return {
        "document": row["body"].strip(),
        "summary": " ".join(row["summary"].split()),
    }


def process_docs(dataset):
    return dataset.map(process_row, remove_columns=dataset.column_names)


def process_results(doc, results):
    """Reference and answer; the answer is the first line that has text."""
    line = next(iter(results[0].strip().splitlines()), "")
    texts = (unicodedata.normalize("NFC", text) for text in (doc["summary"], line))
    pair = tuple(text.lower() for text in texts)
    return {"bleu": pair, "chrf": pair}
