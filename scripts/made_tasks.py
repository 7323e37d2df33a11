"""The tasks that the scripts read."""

from __future__ import annotations

from lm_eval_sea.catalogue.task_list import TaskRecord, read_tasks


def made_task(name: str) -> TaskRecord:
    """A task of the pack; ends the script if its file is not made yet."""
    try:
        return read_tasks().tasks[name]
    except KeyError:
        raise SystemExit(f"there is no task {name} yet; run `lm-eval-sea make` first") from None
