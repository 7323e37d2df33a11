"""UIT-VSMEC: rows for the prompts, and the mean F1 of the labels."""

from sklearn.metrics import f1_score


# fear, disgust, sadness, enjoyment, other, anger, surprise
LABELS = (
    "Sợ hãi",
    "Ghê tởm",
    "Buồn bã",
    "Thích thú",
    "Khác",
    "Tức giận",
    "Bất ngờ",
)


def process_row(row):
    return {"text": row["text"].strip(), "gold": LABELS.index(row["label"])}


def process_docs(dataset):
    return dataset.map(process_row)


def macro_f1(items):
    """Mean F1 over the labels; items are pairs of gold and predicted label."""
    golds, predictions = zip(*items, strict=True)
    labels = range(len(LABELS))
    return f1_score(golds, predictions, labels=labels, average="macro", zero_division=0)
