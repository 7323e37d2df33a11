"""IndoNLI: rows for the prompts, and the mean F1 of the labels."""

from sklearn.metrics import f1_score


# The published label (entailment, neutral, contradiction) → its word's place in
# doc_to_choice.
PLACES = (1, 0, 2)


def process_row(row):
    return {
        "premise": row["premise"].strip(),
        "hypothesis": row["hypothesis"].strip(),
        "gold": PLACES[row["label"]],
    }


def process_docs(dataset):
    return dataset.map(process_row)


def macro_f1(items):
    """Mean F1 over the labels; items are pairs of gold and predicted label."""
    golds, predictions = zip(*items, strict=True)
    labels = range(len(PLACES))
    return f1_score(golds, predictions, labels=labels, average="macro", zero_division=0)
