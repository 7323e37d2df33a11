"""What a judge reads from lm-eval's samples: conversations with the criteria they are judged by. Pure functions, no I/O.

A judged task writes one line per conversation into its samples, whose `doc` has

    id          of the row
    cluster     rows with the same one are not independent; may be absent
    category    of the row, such as "writing"; may be absent
    turns       what the user said, turn by turn, as the model saw it, without instructions that all rows share
    answers     what the model answered to all turns but the last; empty for one turn
    criteria    list of {"turn": 0, "criterion": "…", "severity": "high"}; `turn` may be absent for one turn, `severity` ("high",
                "medium", "low" or "generic") if criteria have equal weight; the text is final, without placeholders
    baselines   instead of criteria, if answers are compared in pairs: the other model's answers, turn by turn
    references  right answers, turn by turn, if the comparison shows them; may be absent or null

and whose answer to the last turn is `doc.answer` (without the model's thoughts) or else the first of `filtered_resps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_sea.results.types import ResultsError


@dataclass(frozen=True)
class Criterion:
    """One statement that an answer meets or not."""

    turn: int  # from 0
    text: str
    severity: str = ""


@dataclass(frozen=True)
class Conversation:
    """One row that is judged."""

    doc_id: int
    category: str
    turns: tuple[str, ...]
    answers: tuple[str, ...]  # as many as turns
    criteria: tuple[Criterion, ...] = ()
    baselines: tuple[str, ...] = ()  # as many as turns, or none
    references: tuple[str, ...] = ()  # likewise
    cluster: str = ""  # empty if the row is its own cluster

    def is_answered(self, turn: int) -> bool:
        """Whether there is something to judge: an answer in this turn, and in those before it."""
        return all(map(str.strip, self.answers[: turn + 1]))


def conversation(sample: Mapping[str, Any]) -> Conversation:
    """The conversation of a line of samples, as described above; raises `ResultsError` if something does not fit together."""
    try:
        return _conversation(sample)
    except ValueError as error:
        raise ResultsError(f"row {sample.get('doc_id')}: {error}") from error


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    doc, number = sample.get("doc"), sample.get("doc_id")
    if not isinstance(doc, dict) or not isinstance(number, int):
        raise ValueError("no doc, or no number")
    last, responses = doc.get("answer"), sample.get("filtered_resps")
    if last is None and isinstance(responses, list):
        last = next(iter(responses), None)
    if not isinstance(last, str):
        raise ValueError("no answer to the last turn")
    turns, answers, baselines, references = (_texts(doc, key) for key in ("turns", "answers", "baselines", "references"))
    answers = (*answers, last)
    records = doc.get("criteria") or []
    if not isinstance(records, list):
        raise ValueError("criteria is not a list")
    criteria = tuple(_criterion(record, len(turns)) for record in records)
    if not turns or len(answers) != len(turns):
        raise ValueError(f"{len(turns)} turns, but {len(answers)} answers")
    if not criteria and len(baselines) != len(turns):
        raise ValueError("neither criteria nor a baseline for each turn")
    if references and len(references) != len(turns):
        raise ValueError(f"{len(turns)} turns, but {len(references)} references")
    category, cluster = (str(doc.get(key) or "") for key in ("category", "cluster"))
    return Conversation(number, category, turns, answers, criteria, baselines, references, cluster)


def _texts(doc: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = doc.get(key) or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{key} is not a list of texts")
    return tuple(texts)


def _criterion(record: Any, turns: int) -> Criterion:
    try:
        criterion = Criterion(int(record.get("turn") or 0), str(record["criterion"]), str(record.get("severity") or "").lower())
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError("a criterion without a text, or whose turn is not a number") from error
    if not 0 <= criterion.turn < turns:
        raise ValueError(f"a criterion for turn {criterion.turn} of {turns}")
    return criterion
