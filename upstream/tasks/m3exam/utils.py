"""M3Exam: options with labels by position, in place of the many printed spellings."""

import re
from functools import partial


LABEL = re.compile(r"\s*([A-Ea-eВ1-5๑-๕])\s*[.,]?\s*(.*)", re.DOTALL)
# Thai digits to Arabic ones, Cyrillic В (U+0412) to Latin B
PLAIN = str.maketrans("๑๒๓๔๕\u0412", "12345B")


def plain_label(label):
    return label.strip().translate(PLAIN).upper()


def process_row(row, labels):
    split = [LABEL.fullmatch(option) for option in row["options"]]
    printed = [plain_label(match[1]) for match in split]
    answer = plain_label(row["answer_text"])
    # A label that is printed twice or not at all stands for its place.
    once = printed.count(answer) == 1
    return {
        "question": row["question_text"].strip(),
        "options": [match[2].strip() for match in split],
        "letters": list(labels[: len(split)]),
        "gold": printed.index(answer) if once else labels.index(answer),
    }


def process_javanese_row(row):
    """Cuts off the row of dots that is to be filled in."""
    processed = process_row(row, "ABCDE")
    return processed | {"question": processed["question"].rstrip(" .…")}


def process_docs(dataset, process):
    return dataset.map(process, remove_columns=dataset.column_names)


process_javanese_docs = partial(process_docs, process=process_javanese_row)
process_thai_docs = partial(process_docs, process=partial(process_row, labels="12345"))
process_vietnamese_docs = partial(
    process_docs, process=partial(process_row, labels="ABCDE")
)
