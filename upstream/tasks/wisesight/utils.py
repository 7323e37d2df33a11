"""Wisesight sentiment: rows for the prompts, and the mean F1 of the labels."""

from sklearn.metrics import f1_score


LABELS = 3  # positive, neutral, negative
QUESTION = 3  # the published category that has no sentiment


def process_row(row):
    return {"text": row["texts"].strip(), "gold": row["category"]}


def process_docs(dataset):
    sentiments = dataset.filter(lambda row: row["category"] != QUESTION)
    return sentiments.map(process_row)


def macro_f1(items):
    """Mean F1 over the labels; items are pairs of gold and predicted label."""
    golds, predictions = zip(*items, strict=True)
    labels = range(LABELS)
    return f1_score(golds, predictions, labels=labels, average="macro", zero_division=0)
