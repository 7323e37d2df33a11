"""The folder of the results: tested before the model is loaded, with a fallback if they cannot be written."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval.utils import sanitize_model_name

from lm_eval_sea.run.request import FailedRunError, RunError, Tasks, rows_within

_ROWS_MEASURED = 20
_LONGEST_NAME, _NAME_KEPT = 255, 200  # bytes of a folder's name


def folder_of(output_path: str) -> Path:
    """The folder that lm-eval writes to: the path itself, or that of a file `….json`."""
    path = Path(output_path)
    return path.parent if path.suffix == ".json" else path


def probe(output_path: str, named_by: str = "--output_path") -> None:
    """Refuses a folder that cannot be made or written to; `named_by` is what the user named it with."""
    if output_path.startswith("~/"):
        raise RunError(f"{named_by} {output_path}: the shell has not expanded ~ there; write $HOME{output_path[1:]}")
    folder = folder_of(output_path)
    try:
        str(folder.resolve()).encode()  # results contain the name
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except (OSError, ValueError) as error:  # the latter for a name with a null character
        why = getattr(error, "strerror", None) or error
        if isinstance(error, UnicodeEncodeError) and sys.getfilesystemencoding() != "utf-8":
            why = "the locale has no such letters; set PYTHONUTF8=1"
        raise RunError(f"{named_by} {output_path}: results cannot be written there ({why}); name another folder") from error


def check_space(output_path: str, tasks: Tasks, limit: float | None) -> None:
    """Refuses a disk with less free space than the logged samples of `limit` rows, or of that share of them, will need."""
    needed, free = sum(size_of_samples(task, limit) for task in tasks.values()), shutil.disk_usage(folder_of(output_path)).free
    if free < needed:
        raise RunError(
            f"--output_path {output_path}: the samples take about {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free; "
            "name a folder on another disk, or leave out --log_samples"
        )


def size_of_samples(task: Any, limit: float | None) -> float:
    """Estimates the bytes of a task's logged samples: lm-eval writes a row, and its whole prompt once for each option."""
    number = rows_within(limit, len(task.eval_docs))
    rows = list(itertools.islice(task.eval_docs, _ROWS_MEASURED))
    if not rows:
        return 0
    size = sum(len(json.dumps(row, default=str, ensure_ascii=False).encode()) for row in rows) / len(rows)
    prompts = max(len(row.get("options", ())) for row in rows) + 1
    return number * size * (1 + prompts * (1 + (task.config.num_fewshot or 0)))


def save(
    tracker: Any, results: dict[str, Any], samples: Mapping[str, list[dict[str, Any]]] | None, what_is_kept: Callable[[], str]
) -> None:
    """Writes results, and samples by task if given; if that fails, to a new temporary folder.

    Raises `FailedRunError` if they are not where lm-eval's `EvaluationTracker` was to write them; it says where they are or, if
    they are nowhere, what is kept.
    """
    wanted, described = tracker.output_path, tracker.general_config_tracker
    described.model_name_sanitized = _name_of_folder(described.model_name_sanitized)
    if _is_saved(tracker, results, samples) or not wanted:
        return
    parts = list(_folder_of_model(tracker).glob(f"*_{tracker.date_id}.json*")) if tracker.date_id else []
    try:
        tracker.output_path = tempfile.mkdtemp(prefix="lm-eval-sea-results-")
    except OSError as error:
        raise FailedRunError(
            f"the results could not be written, not even to a temporary folder ({error}); {what_is_kept()}"
        ) from error
    if not _is_saved(tracker, results, samples):
        raise FailedRunError(
            f"the results could not be written, nor all of them to {tracker.output_path} (see the warnings); {what_is_kept()}"
        )
    for part in parts:  # else they would be read as a run of fewer rows
        with contextlib.suppress(OSError):
            part.unlink()
    raise FailedRunError(f"the results could not be written to {wanted}; they are in {tracker.output_path}")


def _name_of_folder(name: object) -> str:
    """The name of a model's folder, for which other people's results may have a path; empty for the model in `.` or `..`.

    A long one is shortened to a digest and its end: few file systems take names above 255 bytes. lm-eval makes the name of the
    model's whole path; a Thai or Burmese letter has three bytes.
    """
    data = sanitize_model_name(str(name)).replace("\0", "").encode(errors="replace")
    if len(data) <= _LONGEST_NAME:
        return data.decode() if data.strip(b".") else ""
    return f"{hashlib.sha256(data).hexdigest()[:16]}_{data[-_NAME_KEPT:].decode(errors='ignore')}"


def _is_saved(tracker: Any, results: dict[str, Any], samples: Mapping[str, list[dict[str, Any]]] | None) -> bool:
    """Lets lm-eval write the files, and checks that they are complete, because lm-eval raises nothing."""
    tracker.date_id = None  # then file names have the time of saving
    tracker.save_results_aggregated(results=results, samples=samples)
    for task, rows in (samples or {}).items():
        tracker.save_results_samples(task_name=task, samples=[dict(row) for row in rows])  # it changes what it writes
    if not tracker.output_path or not tracker.date_id:
        return False
    folder = _folder_of_model(tracker)
    try:
        [written] = folder.glob(f"*_{tracker.date_id}.json")
        json.loads(written.read_text(encoding="utf-8"))
        return all(
            _lines(folder / f"samples_{task}_{tracker.date_id}.jsonl") == len(rows) for task, rows in (samples or {}).items()
        )
    except (OSError, ValueError):
        return False


def _folder_of_model(tracker: Any) -> Path:
    """Where lm-eval's `EvaluationTracker` writes the files of this model."""
    if Path(tracker.output_path).suffix == ".json":
        return folder_of(tracker.output_path)
    return Path(tracker.output_path, tracker.general_config_tracker.model_name_sanitized)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if line.endswith(b"\n"))
