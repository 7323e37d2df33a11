"""Published rows of SEA-HELM → processed rows.

A published row has `prompts` (a list with one mapping of texts to show), `label` (a list if a question has several right answers)
and `metadata`. A processed row has these texts, `label` and, if the published row has them, `phenomenon` and `subject`.

A row of a judged task has `criteria` instead of a label, or another model's answers (`baselines`). Its processed row has what
`lm-eval-sea score --judge` reads: `turns` (what the user says), `category`, and `criteria` (with `turn`, `criterion` and
`severity`) or `baselines` and `references`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any


Row = dict[str, Any]
Splits = Mapping[str, Sequence[Row]]

# Columns of `metadata` that scores and exemplars need → their names in a processed row.
_METADATA = {"linguistic_phenomenon": "phenomenon", "subject": "subject"}
_EXAM_OPTIONS = (("option_a", "option_b", "option_c", "option_d"), ("a", "b", "c", "d", "e"))
_BURMESE_LETTERS = {"က": "A", "ခ": "B", "ဂ": "C", "ဃ": "D"}
# The model whose answers are the baseline of comparisons.
_BASELINE = "gpt-4.1-2025-04-14"
_PLACE = re.compile(r"{{|}}|{(\w+)}")
_PARAPHRASE_LETTERS = {"paraphrase": "A", "non-paraphrase": "B"}


def process_rows(splits: Splits) -> Callable[[Row], Row]:
    """Rows that share no text with others."""
    return _processor(splits)


def process_rows_by_text(splits: Splits) -> Callable[[Row], Row]:
    """Rows with the same text are a cluster."""
    return _processor(splits, "text")


def process_rows_by_first_sentence(splits: Splits) -> Callable[[Row], Row]:
    """Rows with the same first sentence are a cluster: XNLI has three hypotheses for a premise."""
    return _processor(splits, "sentence1")


def process_rows_by_choices(splits: Splits) -> Callable[[Row], Row]:
    """Rows with the same choices are a cluster. They have two figures of speech with opposite meanings."""
    return _processor(splits, "choice1", "choice2")


def process_rows_with_choices(splits: Splits) -> Callable[[Row], Row]:
    """Rows that each name their two choices: "Benar atau Salah"."""
    of_row = _processor(splits)

    def process_row(published: Row) -> Row:
        row = of_row(published)
        words = row["choices_translated"].split()
        if len(words) != 3:
            raise ValueError(f"field 'choices_translated' is {row['choices_translated']!r}; expected two words with 'or' between")
        return _with_choices(row, [words[0], words[2]])

    return process_row


def process_paraphrases(splits: Splits) -> Callable[[Row], Row]:
    """Rows whose label is a letter, or says whether the sentences are paraphrases."""
    of_row = _processor(splits)

    def process_row(published: Row) -> Row:
        row = of_row(published)
        return row | {"label": _PARAPHRASE_LETTERS.get(row["label"], row["label"])}

    return process_row


def process_safeguard_prompts(splits: Splits) -> Callable[[Row], Row]:
    """Rows of SEA-SafeguardBench with the label of the user's request, which is called `prompt_text` in processed rows."""
    of_row = _processor(splits)

    def relabelled(published: Row) -> Row:
        prompt = dict(published["prompts"][0])
        text = prompt.get("prompt_text") or prompt["local_prompt"]
        label = published.get("prompt_label") or published.get("label")
        return dict(published) | {"label": label, "prompts": [{"prompt_text": text}]}

    return lambda published: of_row(relabelled(published))


def process_safeguard_responses(splits: Splits) -> Callable[[Row], Row]:
    """Rows of SEA-SafeguardBench with the label of the response to the user's request."""
    of_row = _processor(splits)
    return lambda published: of_row(dict(published) | {"label": published["response_label"]})


def process_criteria(splits: Splits) -> Callable[[Row], Row]:
    """Questions whose answers a judge compares with criteria."""
    keeps_ids = _ids_differ(splits)

    def process_row(published: Row) -> Row:
        row = _conversation(published, 1, keeps_ids)
        return row | {"text": row["turns"][0], "criteria": _criteria(published, 1)}

    return process_row


def process_conversations(splits: Splits) -> Callable[[Row], Row]:
    """Conversations of two turns whose answers a judge compares with criteria."""
    keeps_ids = _ids_differ(splits)
    return lambda published: _conversation(published, 2, keeps_ids) | {"criteria": _criteria(published, 2)}


def process_compared_conversations(splits: Splits) -> Callable[[Row], Row]:
    """Conversations of two turns whose answers a judge compares with another model's."""
    keeps_ids = _ids_differ(splits, "question_id")

    def process_row(published: Row) -> Row:
        row = _conversation(published, 2, keeps_ids, "question_id")
        baselines = {name: answers for name, answers in (published["baselines"] or {}).items() if answers}
        if _BASELINE not in baselines:
            raise ValueError(f"there are no answers of {_BASELINE} to compare with, only of {', '.join(baselines) or 'none'}")
        return row | {"baselines": list(baselines[_BASELINE]), "references": list(published.get("references") or [])}

    return process_row


def _conversation(published: Row, turns: int, keeps_ids: bool, name_of_id: str = "id") -> Row:
    """The fields that rows of all judged tasks have."""
    said = [str(prompt["text"] or "") for prompt in published["prompts"] or []]
    if len(said) != turns or not all(text.strip() for text in said):
        raise ValueError(f"field 'prompts' has {len(said)} entries; expected {turns}, each with a text")
    category = (published.get("metadata") or {}).get("category") or "all"
    row = {"turns": said, "category": category}
    return row | ({"id": str(published[name_of_id])} if keeps_ids else {})


def _criteria(published: Row, turns: int) -> list[Row]:
    """The criteria, with the texts of the row instead of `{text}`. {{ and }} are braces."""
    fields = {name: str(value) for name, value in published["prompts"][0].items()}
    criteria = []
    for criterion in published["criteria"] or []:
        turn = int(criterion.get("turn") or 0)
        if not 0 <= turn < turns:
            raise ValueError(f"field 'criteria' has one for turn {turn}; expected 0 to {turns - 1}")
        text = _PLACE.sub(lambda found: fields.get(found[1], found[0]) if found[1] else found[0][0], criterion["criterion"])
        criteria.append({"turn": turn, "criterion": text, "severity": criterion.get("severity") or ""})
    if not criteria:
        raise ValueError("field 'criteria' is empty; expected one or more")
    return criteria


def _ids_differ(splits: Splits, name: str = "id") -> bool:
    """Whether all rows of the test split have published ids, which all differ."""
    ids = [published.get(name) for published in splits["test"]]
    return bool(ids) and None not in ids and len(set(ids)) == len(ids)


def process_exam_questions(splits: Splits) -> Callable[[Row], Row]:
    """Rows of ThaiExam and Global-MMLU-Lite, in their own layout (options and `answer` as columns) or in SEA-HELM's.

    Some questions of ThaiExam have an option without text, which is not offered. One Burmese row has no question, on the hub
    and in SEA-HELM's repository; its question is "None", as SEA-HELM shows it.
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
        row = {"question": _plain(row["question"]) or "None", **shown, "label": label, **subject}
        return _with_choices(row, letters)

    return process_row


def _processor(splits: Splits, *cluster_fields: str) -> Callable[[Row], Row]:
    """The function that turns a published row into a processed one. Rows with equal texts in the cluster fields are a cluster."""
    keeps_ids = _ids_differ(splits)
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
    """The texts to show, and the needed columns of the metadata."""
    if not published["prompts"] or len(published["prompts"]) != 1:
        raise ValueError(f"field 'prompts' has {len(published['prompts'] or [])} entries; expected one")
    metadata = published.get("metadata") or {}
    named = {name: metadata[column] for column, name in _METADATA.items() if metadata.get(column)}
    return dict(published["prompts"][0]) | named


def _with_choices(row: Row, choices: list[str]) -> Row:
    """The row with the labels that it offers, and the position of the right one."""
    if row["label"] not in choices:
        raise ValueError(f"field 'label' is {row['label']!r}; expected one of {', '.join(choices)}")
    return row | {"choices": choices, "gold": choices.index(row["label"])}


def _plain(value: Any) -> str:
    """A text in Unicode NFC, without white space at its ends; empty if it is missing."""
    return "" if value is None else unicodedata.normalize("NFC", str(value)).strip()
