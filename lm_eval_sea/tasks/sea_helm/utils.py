"""Published rows of SEA-HELM → processed rows.

A published row has `prompts`, a list with one mapping of texts to show, `label` (a list of texts for questions with several right
answers) and `metadata`. A processed row has these texts, `label` and, where the rows have them, `phenomenon` and `subject`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Row = dict[str, Any]
Splits = Mapping[str, Sequence[Row]]

# Columns of `metadata` that scores and exemplars need, and what a processed row calls them.
_METADATA = {"linguistic_phenomenon": "phenomenon", "subject": "subject"}
_EXAM_OPTIONS = (("option_a", "option_b", "option_c", "option_d"), ("a", "b", "c", "d", "e"))
_BURMESE_LETTERS = {"က": "A", "ခ": "B", "ဂ": "C", "ဃ": "D"}
_PARAPHRASE_LETTERS = {"paraphrase": "A", "non-paraphrase": "B"}


def process_rows(splits: Splits) -> Callable[[Row], Row]:
    """Rows that share nothing with others."""
    return _processor(splits)


def process_rows_by_text(splits: Splits) -> Callable[[Row], Row]:
    """Rows with the same text are a cluster."""
    return _processor(splits, "text")


def process_rows_by_first_sentence(splits: Splits) -> Callable[[Row], Row]:
    """Rows with the same first sentence are a cluster: XNLI has three hypotheses for a premise."""
    return _processor(splits, "sentence1")


def process_rows_by_choices(splits: Splits) -> Callable[[Row], Row]:
    """Rows with the same choices are a cluster: two figures of speech with opposite meanings."""
    return _processor(splits, "choice1", "choice2")


def process_rows_with_choices(splits: Splits) -> Callable[[Row], Row]:
    """Rows that each name the two words to choose from: "Benar atau Salah"."""
    of_row = _processor(splits)

    def process_row(published: Row) -> Row:
        row = of_row(published)
        words = row["choices_translated"].split()
        if len(words) != 3:
            raise ValueError(f"field 'choices_translated' is {row['choices_translated']!r}; expected two words with 'or' between")
        return _with_choices(row, [words[0], words[2]])

    return process_row


def process_paraphrases(splits: Splits) -> Callable[[Row], Row]:
    """Rows whose label is a letter or says whether the sentences are paraphrases."""
    of_row = _processor(splits)

    def process_row(published: Row) -> Row:
        row = of_row(published)
        return row | {"label": _PARAPHRASE_LETTERS.get(row["label"], row["label"])}

    return process_row


def process_exam_questions(splits: Splits) -> Callable[[Row], Row]:
    """Rows of ThaiExam and Global-MMLU-Lite, in their own layout (options and `answer` as columns) or in SEA-HELM's.

    An option without a text, as some questions of ThaiExam have, is not offered.
    """

    def process_row(published: Row) -> Row:
        row = _fields(published) if "prompts" in published else dict(published)
        label = _plain(published["label" if "prompts" in published else "answer"]).upper()
        label = _BURMESE_LETTERS.get(label, label)
        columns = next((columns for columns in _EXAM_OPTIONS if columns[0] in row), _EXAM_OPTIONS[0])
        options = {column: _plain(row.get(column)) for column in columns}
        letters = [letter for letter, text in zip("ABCDE", options.values(), strict=False) if text]
        if label not in letters:
            raise ValueError(f"the answer is {label!r}; expected one of the options that have a text: {', '.join(letters)}")
        shown = {column: text or None for column, text in options.items()}
        subject = {"subject": row["subject"]} if row.get("subject") else {}
        row = {"question": _plain(row["question"]), **shown, "label": label, **subject}
        return _with_choices(row, letters)

    return process_row


def _processor(splits: Splits, *cluster_fields: str) -> Callable[[Row], Row]:
    """The function from a published row to a processed row.

    Args:
        splits: the published splits; published ids are kept if they are different for all rows of the test split.
        cluster_fields: rows with equal texts in these fields are a cluster.
    """
    ids = [published.get("id") for published in splits["test"]]
    keeps_ids = None not in ids and len(set(ids)) == len(ids)
    clusters: dict[tuple[str, ...], str] = {}

    def process_row(published: Row) -> Row:
        row = _fields(published)
        label = published["label"]
        row["label"] = [_plain(answer) for answer in label] if isinstance(label, list) else _plain(label)
        if not row["label"] or not all(row["label"]):
            raise ValueError(f"field 'label' is {label!r}; expected text")
        if keeps_ids:
            row["id"] = str(published["id"])
        if cluster_fields:
            key = tuple(row[field] for field in cluster_fields)
            row["cluster"] = clusters.setdefault(key, str(len(clusters)))
        return row

    return process_row


def _fields(published: Row) -> Row:
    """The texts to show, with what is needed of the metadata."""
    if not published["prompts"] or len(published["prompts"]) != 1:
        raise ValueError(f"field 'prompts' has {len(published['prompts'] or [])} entries; expected one")
    metadata = published.get("metadata") or {}
    named = {name: metadata[column] for column, name in _METADATA.items() if metadata.get(column)}
    return dict(published["prompts"][0]) | named


def _with_choices(row: Row, choices: list[str]) -> Row:
    """The row with the labels that it offers, and the position of its own."""
    if row["label"] not in choices:
        raise ValueError(f"field 'label' is {row['label']!r}; expected one of {', '.join(choices)}")
    return row | {"choices": choices, "gold": choices.index(row["label"])}


def _plain(value: Any) -> str:
    """A text without blanks at its edges, in Unicode NFC; nothing is an empty one."""
    return "" if value is None else unicodedata.normalize("NFC", str(value)).strip()
