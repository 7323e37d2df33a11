"""SEA-HELM's label tasks: rows for the prompts, and the mean F1 of the labels."""

import unicodedata

from sklearn.metrics import f1_score


def process_row(row):
    """The texts to show and the label, a letter or a word."""
    label = unicodedata.normalize("NFC", row["label"]).strip()
    return row["prompts"][0] | {"label": label}


def process_row_with_choices(row):
    """Adds the two words that the row offers: "Benar atau Salah"."""
    processed = process_row(row)
    first, _, second = processed["choices_translated"].split()
    return processed | {"choices": [first, second]}


def process_docs(dataset):
    return dataset.map(process_row, remove_columns=dataset.column_names)


def process_docs_with_choices(dataset):
    return dataset.map(process_row_with_choices, remove_columns=dataset.column_names)


def macro_f1(items):
    """Mean F1 over the labels that occur; items are pairs of gold and prediction."""
    golds, predictions = zip(*items, strict=True)
    return f1_score(golds, predictions, average="macro", zero_division=0)
