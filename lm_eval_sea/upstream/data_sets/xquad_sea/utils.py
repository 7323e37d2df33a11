"""XQuAD in Thai and Vietnamese: rows for the prompts, and scores."""

import unicodedata
from collections import Counter
from functools import partial


UNITS = "%‰"
PUNCTUATION = "".join(
    character
    for character in map(chr, range(0x110000))
    if unicodedata.category(character).startswith("P") and character not in UNITS
)


def process_row(row):
    """Takes out byte order marks, which stand inside some passages."""
    fields = {"passage": row["context"], "question": row["question"]}
    clean = {name: text.replace("\ufeff", "").strip() for name, text in fields.items()}
    answers = [
        answer.replace("\ufeff", "").strip() for answer in row["answers"]["text"]
    ]
    return clean | {"answers": answers}


def process_docs(dataset):
    return dataset.map(process_row, remove_columns=dataset.column_names)


def normalise(text):
    """Lower case, ASCII digits, single blanks, no punctuation at the ends."""
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    text = unicodedata.normalize("NFC", visible).lower()
    text = "".join(str(unicodedata.decimal(c, c)) for c in text)
    return " ".join(text.split()).strip(PUNCTUATION + " ")


def words_of(text):
    stripped = (word.strip(PUNCTUATION) for word in text.split())
    return [word for word in stripped if word]


def characters_of(text):
    """The characters without blanks: Thai has no blanks between words."""
    return list(text.replace(" ", ""))


def f1(answer, reference):
    """Of words or characters, each counted as often as it occurs."""
    shared = sum((Counter(answer) & Counter(reference)).values())
    return 2 * shared / (len(answer) + len(reference)) if shared else 0.0


def process_results(doc, results, units_of, separator):
    """Scores the first line that has text, by the best of all references."""
    line = next(iter(results[0].strip().splitlines()), "")
    answer, *references = map(normalise, [line, *doc["answers"]])
    joined = [text.replace(" ", separator) for text in (answer, *references)]
    scores = (f1(units_of(answer), units_of(text)) for text in references)
    return {"exact_match": float(joined[0] in joined[1:]), "f1": max(scores)}


score_vietnamese = partial(process_results, units_of=words_of, separator=" ")
score_thai = partial(process_results, units_of=characters_of, separator="")
