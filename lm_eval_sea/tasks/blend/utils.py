"""BLEnD: from published rows to processed rows."""

import unicodedata
from collections.abc import Iterator
from typing import Any


def process_row(row: dict[str, Any]) -> dict[str, Any] | list[dict[str, Any]]:
    """A question with people's answers and how many gave each → a processed row; [] for one that the authors do not score."""
    asked = row["idks"]
    refused = asked["no-answer"] + asked["not-applicable"]
    if not row["annotations"] or refused >= 3 or asked["idk"] >= 5:
        return []
    votes: dict[str, int] = {}
    for annotation in row["annotations"]:
        count = annotation["count"]
        if type(count) is not int or count < 1:
            raise ValueError(f"field 'count' is {count!r}; expected 1 or more")
        for answer in (*annotation["answers"], *annotation["en_answers"]):
            for spelling in _spellings(answer.strip()):
                votes[spelling] = max(count, votes.get(spelling, 0))
    question = unicodedata.normalize("NFC", row["question"].strip())
    return {"id": row["ID"], "question": question, "answers": list(votes), "votes": list(votes.values())}


def _spellings(answer: str) -> Iterator[str]:
    """The answer itself, then without acute accents, and with spaces and hyphens exchanged."""
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFD", answer).replace("\u0301", ""))
    for form in (answer, plain):
        yield from (form, form.replace("-", " "), form.replace(" ", "-"))
