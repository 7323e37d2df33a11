"""Scores that another model gave the rows of a task, in a file beside lm-eval's samples of it.

`samples_<task>_<date>.jsonl` has its scores in `judged_<task>_<date>.json` (by a judge) or `metricx_<task>_<date>.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lm_eval_sea.results.types import ResultsError, is_number
from lm_eval_sea.results.written_folder import write_whole

JUDGED, METRICX = "judged", "metricx"


@dataclass(frozen=True)
class RowScores:
    """The scores of a task's rows."""

    scorer: str  # what gave the scores, in words
    best: float  # score of a perfect row; the worst is 0
    scores: Mapping[int, float]  # doc_id → score
    notes: Sequence[str] = ()  # what a reader of the scores must know
    details: Mapping[str, Any] = field(default_factory=dict)  # whatever else is worth keeping, such as verdicts by row


def write(path: Path, row_scores: RowScores) -> None:
    """Writes the scores; the file is whole or not there."""
    content = {
        "scorer": row_scores.scorer,
        "best": row_scores.best,
        "mean": math.fsum(row_scores.scores.values()) / len(row_scores.scores) if row_scores.scores else None,
        "notes": list(row_scores.notes),
        "scores": [{"doc_id": doc_id, "score": score} for doc_id, score in row_scores.scores.items()],
        **row_scores.details,
    }
    write_whole(path, json.dumps(content, indent=1) + "\n")


def read(path: Path) -> RowScores:
    """Reads what `write` has written; details are left out.

    Raises:
        ResultsError: if the file is broken or a score is not a number from 0 to the best.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        best = content["best"]
        scores = {row["doc_id"]: row["score"] for row in content["scores"]}
        if not all(map(is_number, (best, *scores.values()))) or not all(0 <= score <= best for score in (1e-9, *scores.values())):
            raise ValueError(f"a score is not a number from 0 to {str(best)[:20]}")
        return RowScores(str(content["scorer"]), best, scores, [str(note) for note in content["notes"]])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ResultsError(f"{path}: cannot be read as scores of rows ({error}); remove it and score the task again") from error
