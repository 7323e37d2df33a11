"""Another model's answers about the rows of a task, and the scores, in files beside lm-eval's samples.

The scores of `samples_<task>_<date>.jsonl` are in `judged_<task>_<date>.json` (by a judge) or `metricx_<task>_<date>.json`.
Answers are in a file of JSON lines, each saved as soon as it arrives, so a stopped command continues where it was.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.whole_files import write_whole
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import ResultsError, is_number
from lm_eval_sea.results.uncertainty import Estimate, estimate, percent
from lm_eval_sea.results.written_folder import appending, lock

JUDGED, METRICX = "judged", "metricx"


@dataclass(frozen=True)
class RowScores:
    """The scores of a task's rows."""

    scorer: str  # what gave the scores, in words
    best: float  # score of a perfect row; the worst is 0
    scores: Mapping[int, float]  # doc_id → score
    notes: Sequence[str] = ()  # what a reader of the scores must know
    details: Mapping[str, Any] = field(default_factory=dict)  # other things worth keeping, such as verdicts by row
    clusters: Mapping[int, str] = field(default_factory=dict)  # doc_id → cluster; rows of one are not independent
    samples: str = ""  # a digest of the file with the answers; empty if unknown

    @property
    def mean(self) -> Estimate:
        """The mean score as a share of the best, with its interval by cluster; a row without a cluster is its own."""
        shares = [score / self.best for score in self.scores.values()]
        return estimate(shares, [self.clusters.get(doc_id, str(doc_id)) for doc_id in self.scores])

    @property
    def mean_text(self) -> str:
        """Such as "61.25 of 100, 95 % interval [52.1, 69.6]"; one row or passage has no interval."""
        mean, low, high = map(percent, self.mean[:1] + self.mean[2:4])
        interval = "" if low is None else f", 95\u00a0% interval [{low:.1f}, {high:.1f}]"
        return f"{mean:.2f} of 100{interval}"


def write(path: Path, row_scores: RowScores) -> None:
    """Writes the scores of at least one row; the file is complete or does not exist."""
    found = row_scores.mean
    ends = {"mean": found.mean, "low": found.low, "high": found.high}
    content = {
        "scorer": row_scores.scorer,
        "samples_sha256": row_scores.samples,
        "best": row_scores.best,
        **{name: None if share is None else row_scores.best * share for name, share in ends.items()},
        "notes": list(row_scores.notes),
        "scores": [{"doc_id": doc_id, "score": score} for doc_id, score in row_scores.scores.items()],
        **row_scores.details,
    }
    write_whole(path, json.dumps(content, indent=1) + "\n")


def write_beside(task: TaskRun, kind: str, row_scores: RowScores, number: str) -> str:
    """Writes scores of a kind beside the samples of a task; returns a line about them, with `number`, their summary."""
    path = task.beside(kind, ".json")
    write(path, replace(row_scores, samples=_digest_of(task)))
    said = "; ".join([row_scores.scorer, *row_scores.notes])
    of_all = f" of {task.expected:,}" if task.limited else ""
    return f"{task.name}: {number}, {len(row_scores.scores)}{of_all} rows; {said}; {path}"


def read_beside(task: TaskRun) -> RowScores | None:
    """The scores beside the samples of a task, if there are any; raises `ResultsError` if they are of other answers."""
    paths = [task.beside(kind, ".json") for kind in (JUDGED, METRICX)]
    path = next(filter(Path.exists, paths), None)
    if path is None:
        return None
    scores = read(path)
    if not scores.samples:  # of an older version
        return replace(scores, notes=[*scores.notes, "these scores do not say of which answers they are; score the task again"])
    if scores.samples != _digest_of(task):
        raise ResultsError(f"{path}: these scores are not of the answers in {task.samples}; remove it and score the task again")
    return scores


def repeated(samples: Any, numbers: Sequence[Any]) -> list[str]:
    """A line if some rows have the same number as others."""
    more = len(numbers) - len(set(numbers))
    return [f"{samples}: {more} of {len(numbers)} rows repeat others; the last of each counts"] if more else []


def _digest_of(task: TaskRun) -> str:
    return hashlib.sha256(task.samples.read_bytes()).hexdigest() if isinstance(task.samples, Path) else ""


def read(path: Path) -> RowScores:
    """Reads what `write` has written, without details; raises `ResultsError` if a score is not a number from 0 to the best."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        best = content["best"]
        scores = {row["doc_id"]: row["score"] for row in content["scores"]}
        if not all(map(is_number, (best, *scores.values()))) or not all(0 <= score <= best for score in (1e-9, *scores.values())):
            raise ValueError(f"a score is not a number from 0 to {str(best)[:20]}")
        notes, samples = [str(note) for note in content["notes"]], str(content.get("samples_sha256", ""))
        return RowScores(str(content["scorer"]), best, scores, notes, samples=samples)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ResultsError(f"{path}: cannot be read as scores of rows ({error}); remove it and score the task again") from error


class KeyedLines:
    """Records by key, which one process at a time may add to."""

    def __init__(self, path: Path):
        """Reads what is there, except a last line that was cut off."""
        self.path = path
        self._read()

    def _read(self) -> None:
        self._records: dict[str, dict[str, Any]] = {}
        self._ends_in_newline = True
        if self.path.is_file():
            content = self.path.read_bytes()
            self._ends_in_newline = content.endswith(b"\n") or not content
            for line in content.splitlines():
                try:
                    record = json.loads(line)
                    key = record.pop("key")
                except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
                    continue
                self._records[str(key)] = record

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Locks the file and reads what other processes have added; raises `ResultsError` if one is adding records now."""
        with appending(self.path) as file:
            lock(file, ResultsError(f"{self.path}: another process is adding to it; start again when that has ended"))
            self._read()
            try:
                yield
            finally:
                if not os.fstat(file.fileno()).st_size:
                    self.path.unlink(missing_ok=True)

    def get(self, key: str) -> dict[str, Any] | None:
        """The record of a key; None if there is none yet."""
        return self._records.get(key)

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Keeps a record, on disk before this returns."""
        line = json.dumps({"key": key, **record}) + "\n"
        with appending(self.path) as file:
            file.write((b"" if self._ends_in_newline else b"\n") + line.encode())
            file.flush()
            os.fsync(file.fileno())
        self._ends_in_newline = True
        self._records[key] = record
