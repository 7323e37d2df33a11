"""What the pack has: reads the task files as lm-eval does, without data and models."""

from __future__ import annotations

import difflib
import fnmatch
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_sea.catalogue.task_index import config_of, leaf_names, path_of
from lm_eval_sea.tasks._shared.facts import facts

if TYPE_CHECKING:
    from lm_eval_sea.tasks._shared.sources import Source

TASKS_FOLDER = Path(__file__).resolve().parents[1] / "tasks"

COLUMNS = ("task", "language", "data set", "variant", "rows", "metric", "source")


class UnknownNameError(ValueError):
    """A name that is no task, group or tag; the message lists close names."""


@dataclass(frozen=True)
class TaskRecord:
    """What one task file says of its task."""

    name: str
    path: Path  # the task file
    source: Source  # where the rows are
    process: str  # the function that processes the rows: "/FOLDER/utils.FUNCTION"
    exemplars: list[dict[str, Any]]
    labels: list[str]  # the words to choose from, where they are the same for all rows; else empty
    reference: str  # the column of the reference of a generated text; else empty
    num_fewshot: int  # exemplars, unless the user asks for another number
    max_new_tokens: int | None  # the longest answer to be generated
    metadata: Mapping[str, Any]  # with the facts that `data_set.yml` has of it
    config: Mapping[str, Any]  # all keys of the file and of the templates it includes

    @property
    def may_change(self) -> bool:
        """Whether the rows may be others than the task was made with: those named by configuration, or in a user's folder."""
        return not self.source.files or not self.source.on_hub

    @property
    def cells(self) -> tuple[str, ...]:
        """The entries of `COLUMNS`."""
        described = [self.metadata[key] for key in ("language", "dataset", "variant", "rows", "headline_metric")]
        return (self.name, *("–" if value is None else str(value) for value in described), self.source.repository)


@dataclass(frozen=True)
class TaskList:
    """All tasks, groups and tags, in alphabetical order."""

    tasks: Mapping[str, TaskRecord]
    groups: Mapping[str, list[str]]  # name → names of its tasks
    tags: Mapping[str, list[str]]  # the same

    def select(self, wanted: Iterable[str]) -> list[TaskRecord]:
        """The tasks that are asked for, each once.

        Args:
            wanted: names or globs of tasks, groups and tags, as lm-eval's `--tasks` takes them.

        Raises:
            UnknownNameError: if one of them matches nothing.
        """
        members = {name: [name] for name in self.tasks} | dict(self.groups) | dict(self.tags)
        chosen: dict[str, None] = {}
        for pattern in wanted:
            names = fnmatch.filter(members, pattern)
            if not names:
                raise UnknownNameError(self._unknown(pattern))
            chosen |= dict.fromkeys(task for name in names for task in members[name])
        return [self.tasks[name] for name in chosen]

    def search(self, pattern: str) -> tuple[list[TaskRecord], list[str], list[str]]:
        """The tasks, the groups and the tags whose names a glob matches or a part of a name occurs in.

        The whole name of a group or tag also finds its tasks.

        Raises:
            UnknownNameError: if there are none.
        """
        glob = pattern if set(pattern) & set("*?[") else f"*{pattern}*"
        tasks, groups, tags = (fnmatch.filter(names, glob) for names in (self.tasks, self.groups, self.tags))
        if not (tasks or groups or tags):
            raise UnknownNameError(self._unknown(pattern))
        tasks = sorted({*tasks, *self.groups.get(pattern, []), *self.tags.get(pattern, [])})
        return [self.tasks[name] for name in tasks], groups, tags

    def _unknown(self, pattern: str) -> str:
        close = difflib.get_close_matches(pattern, [*self.tasks, *self.groups, *self.tags], n=5)
        advice = f"did you mean {', '.join(close)}?" if close else "`lm-eval-sea ls` lists what there is."
        return f"no task, group or tag {pattern!r}; {advice}"


@functools.cache
def read_tasks() -> TaskList:
    """Reads the task files of the pack, once per process."""
    from lm_eval.tasks import TaskManager  # a second of imports that printing the folder's path does without

    manager = TaskManager(include_path=str(TASKS_FOLDER), include_defaults=False)
    return TaskList(
        tasks={name: record_of(name, path_of(manager, name), config_of(manager, name)) for name in manager.all_subtasks},
        groups={name: leaf_names(manager, name) for name in manager.all_groups},
        tags={name: leaf_names(manager, name) for name in manager.all_tags},
    )


def record_of(name: str, path: Path, config: Mapping[str, Any]) -> TaskRecord:
    """What a task's configuration says of it; `path` is its file, or the prompt file of one that is made on demand."""
    from lm_eval_sea.tasks._shared.sources import Source  # imports `datasets`

    known = facts(config["metadata"])
    return TaskRecord(
        name=name,
        path=path,
        source=Source.from_metadata(**known),
        process=config["dataset_kwargs"]["process"],
        exemplars=config.get("fewshot_config", {}).get("samples", []),
        labels=choices if isinstance(choices := config.get("doc_to_choice"), list) else known.get("labels", []),
        reference=config.get("doc_to_target", ""),
        num_fewshot=config.get("num_fewshot") or 0,
        max_new_tokens=config.get("generation_kwargs", {}).get("max_gen_toks"),
        metadata=known,
        config=config,
    )


def table(tasks: Iterable[TaskRecord]) -> str:
    """The tasks as lines of aligned columns, the numbers to the right."""
    lines = [COLUMNS, *(task.cells for task in tasks)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numbers = COLUMNS.index("rows")
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column == numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in lines
    )
