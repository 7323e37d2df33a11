"""Where results go: tried before a model is loaded, and looked after when they could not be written."""

from __future__ import annotations

import itertools
import json
import logging
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lm_eval_sea.run.request import RunError, rows_within

_TRACKER_LOGGER = "lm_eval.loggers.evaluation_tracker"
_FAILED = "Could not save"  # how the tracker's message begins; it raises nothing
_ROWS_MEASURED = 20


class ResultsNotWrittenError(Exception):
    """The results could not be written where the user wanted them; one line that says where they are."""


def folder_of(output_path: str) -> Path:
    """The folder that lm-eval writes to: the path itself, or that of a file `….json`."""
    path = Path(output_path)
    return path.parent if path.suffix == ".json" else path


def probe(output_path: str) -> None:
    """Makes the folder and writes a file to it.

    Raises:
        RunError: if that fails.
    """
    folder = folder_of(output_path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except (OSError, ValueError) as error:  # the latter for a name with a null character
        why = getattr(error, "strerror", None) or error
        raise RunError(f"--output_path {output_path}: results cannot be written there ({why}); name another folder") from error


def check_space(output_path: str, tasks: Mapping[str, Any], limit: float | None) -> None:
    """Compares the free space with the size that the logged samples will have, about.

    Args:
        output_path: where they go.
        tasks: lm-eval's tasks by name, with their rows.
        limit: the number or share of rows to be evaluated, if any.

    Raises:
        RunError: if there is less.
    """
    needed, free = sum(size_of_samples(task, limit) for task in tasks.values()), shutil.disk_usage(folder_of(output_path)).free
    if free < needed:
        raise RunError(
            f"--output_path {output_path}: the samples take about {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free; "
            "name a folder on another disk, or leave out --log_samples"
        )


def size_of_samples(task: Any, limit: float | None) -> float:
    """Bytes of a task's logged samples, about: lm-eval writes a row, and its whole prompt once for each option."""
    number = rows_within(limit, len(task.eval_docs))
    rows = list(itertools.islice(task.eval_docs, _ROWS_MEASURED))
    if not rows:
        return 0
    size = sum(len(json.dumps(row, default=str, ensure_ascii=False).encode()) for row in rows) / len(rows)
    prompts = max(len(row.get("options", ())) for row in rows) + 1
    return number * size * (1 + prompts * (1 + (task.config.num_fewshot or 0)))


class _Failures(logging.Handler):
    """Counts the tracker's messages that something could not be saved."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.getMessage().startswith(_FAILED)


@contextmanager
def failures_of_saving() -> Iterator[_Failures]:
    """Counts inside what lm-eval could not write."""
    logger, failures = logging.getLogger(_TRACKER_LOGGER), _Failures()
    logger.addHandler(failures)
    try:
        yield failures
    finally:
        logger.removeHandler(failures)


def save_elsewhere(tracker: Any, results: dict[str, Any], samples: Mapping[str, list[dict[str, Any]]] | None) -> Path:
    """Writes results to a new folder among the temporary ones, in lm-eval's layout.

    Args:
        tracker: lm-eval's, which failed to write them.
        results: without samples.
        samples: by task; None if they are not wanted.

    Returns:
        The folder.

    Raises:
        ResultsNotWrittenError: if that fails, too.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="lm-eval-sea-results-"))
    except OSError as error:
        raise ResultsNotWrittenError(f"the results could not be written, nor to a temporary folder ({error})") from error
    tracker.output_path = str(folder)
    with failures_of_saving() as failures:
        tracker.save_results_aggregated(results=results, samples=samples)
        for task, rows in (samples or {}).items():
            tracker.save_results_samples(task_name=task, samples=rows)
    if failures.count:
        raise ResultsNotWrittenError(f"the results could not be written, nor all of them to {folder}; see the warnings above")
    return folder
