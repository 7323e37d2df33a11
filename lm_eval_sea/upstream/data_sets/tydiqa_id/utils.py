"""TyDiQA GoldP in Indonesian: rows for the prompts, and scores."""

import unicodedata
from collections import Counter


UNITS = "%‰"
PUNCTUATION = "".join(
    character
    for character in map(chr, range(0x110000))
    if unicodedata.category(character).startswith("P") and character not in UNITS
)


def process_row(row):
    return {
        "passage": row["context"].strip(),
        "question": row["question"].strip(),
        "answers": [answer.strip() for answer in row["answers"]["text"]],
    }


def process_docs(dataset):
    """Keeps the rows in Indonesian: an id begins with the name of its language."""
    indonesian = dataset.filter(lambda row: row["id"].startswith("indonesian-"))
    return indonesian.map(process_row, remove_columns=dataset.column_names)


def normalise(text):
    """Lower case, single blanks, no punctuation at the ends."""
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    text = unicodedata.normalize("NFC", visible).lower()
    return " ".join(text.split()).strip(PUNCTUATION + " ")


def words_of(text):
    stripped = (word.strip(PUNCTUATION) for word in text.split())
    return [word for word in stripped if word]


def f1(answer, reference):
    """Of words or characters, each counted as often as it occurs."""
    shared = sum((Counter(answer) & Counter(reference)).values())
    return 2 * shared / (len(answer) + len(reference)) if shared else 0.0


def process_results(doc, results):
    """Scores the first line that has text, by the best of all references."""
    line = next(iter(results[0].strip().splitlines()), "")
    answer, *references = map(normalise, [line, *doc["answers"]])
    scores = (f1(words_of(answer), words_of(text)) for text in references)
    return {"exact_match": float(answer in references), "f1": max(scores)}
