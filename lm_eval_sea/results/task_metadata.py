"""What is known of a task: what the results say of it, and where they say nothing, the installed pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.run_files import TaskResult
from lm_eval_sea.results.visible_text import one_line

HEADLINE = "headline_metric"
AS_PUBLISHED = " as published"  # behind the name of a data set whose faults are not corrected


def metadata_of(task: TaskResult, notes: list[str]) -> dict[str, Any]:
    """The metadata of a task; without `HEADLINE` for a task of another pack.

    Args:
        task: of a run.
        notes: gets a line if the installed pack had to be asked.
    """
    if HEADLINE in task.metadata:
        return dict(task.metadata)
    known = read_tasks().tasks.get(task.name)
    if known is None:
        return dict(task.metadata)
    if not task.metadata:
        notes.append(f"{task.name}: its settings are not in the files; those of the installed pack are taken")
    return {**known.metadata, **task.metadata}


def version_note(task: TaskResult) -> str | None:
    """One line if the results were made by another version of the task than the installed pack has."""
    known = read_tasks().tasks.get(task.name)
    if known is None or not task.metadata or task.metadata.get("version") == known.metadata["version"]:
        return None
    return (
        f"{task.name}: made by version {task.metadata.get('version')} of the task; the installed pack has "
        f"{known.metadata['version']}"
    )


def data_set_of(metadata: Mapping[str, Any]) -> str:
    """The name of a task's data set, within which equal names of clusters are the same rows; empty, if it is not known."""
    return one_line(str(metadata.get("dataset") or "")) + (AS_PUBLISHED if metadata.get("as_published") else "")


def item_metric(metadata: Mapping[str, Any]) -> str:
    """The metric of a row: the headline, or where that is made of all rows, the one it is made of."""
    return str(metadata.get("item_metric") or metadata.get(HEADLINE) or "").removeprefix("balanced_")
