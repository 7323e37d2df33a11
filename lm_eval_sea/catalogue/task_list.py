"""The tasks of the pack, without data and models; the file of a task is read when the task is asked for."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lm_eval_sea.catalogue import Refusal
from lm_eval_sea.catalogue.names import meant
from lm_eval_sea.catalogue.task_files import GROUP, TASK, find_file, names_in_files, read_task_file, tags
from lm_eval_sea.catalogue.task_index import function_at
from lm_eval_sea.tasks._shared.facts import facts

if TYPE_CHECKING:
    from lm_eval_sea.tasks._shared.rows import LoadedRows, RowProcessor
    from lm_eval_sea.tasks._shared.sources import Source

COLUMNS = ("task", "language", "data set", "variant", "rows", "metric", "source")


class UnknownNameError(Refusal, ValueError):
    """A name that is no task, group or tag; the message lists close names."""


def is_glob(name: str) -> bool:
    """Whether a name stands for those that match it, as in a shell."""
    return not set(name).isdisjoint("*?[")


def glob_of(pattern: str) -> str:
    """A glob as it is; for a part of a name, the glob of all names that contain it."""
    return pattern if is_glob(pattern) else f"*{pattern}*"


@dataclass(frozen=True)
class TaskRecord:
    """What one task file says about its task."""

    name: str
    path: Path  # the task file, or the prompt file of a task that is made on demand
    metadata: Mapping[str, Any]  # with its facts from `data_set.yml`
    config: Mapping[str, Any]  # all keys of the file and of the templates it includes

    @functools.cached_property
    def source(self) -> Source:
        """Where the rows are."""
        from lm_eval_sea.tasks._shared.sources import Source  # imports `datasets`

        return Source.from_metadata(**self.metadata)

    @property
    def process(self) -> str:
        """The function that processes the rows, "/FOLDER/utils.FUNCTION"; empty if `columns` of `data_set.yml` are enough."""
        return str(self.config.get("dataset_kwargs", {}).get("process", ""))

    @property
    def processor(self) -> RowProcessor:
        """The function that makes processed rows from published ones, with the checks of a run."""
        from lm_eval_sea.tasks._shared.rows import row_processor

        return row_processor(function_at(self.process) if self.process else None, self.metadata)

    def load_rows(self) -> LoadedRows:
        """All rows of its data set as in a run, even for a lite task. Raises `DataError` if some are missing or unusable."""
        from lm_eval_sea.tasks._shared.rows import processed_rows

        return processed_rows(self.source, self.processor)

    @property
    def exemplars(self) -> list[dict[str, Any]]:
        """The exemplars; none if they come with the rows."""
        return list(self.config.get("fewshot_config", {}).get("samples", []))

    @property
    def labels(self) -> list[str]:
        """The words to choose from if they are the same for all rows; else empty."""
        choices = self.config.get("doc_to_choice")
        return choices if isinstance(choices, list) else self.metadata.get("labels", [])

    @property
    def num_fewshot(self) -> int:
        """How many exemplars are shown, unless the user asks for another number."""
        return self.config.get("num_fewshot") or 0

    @property
    def max_new_tokens(self) -> int | None:
        """The longest answer to be generated, in tokens."""
        limit: int | None = self.config.get("generation_kwargs", {}).get("max_gen_toks")
        return limit

    @property
    def may_change(self) -> bool:
        """Whether the rows may differ from those the task was made with: rows named by configuration, or in a user's folder."""
        return not self.source.files or not self.source.on_hub

    @property
    def cells(self) -> tuple[str, ...]:
        """The entries of `COLUMNS`."""
        described = [self.metadata[key] for key in ("language", "dataset", "variant", "rows", "headline_metric")]
        return (self.name, *("–" if value is None else str(value) for value in described), self.metadata["data_source"])


_Value = TypeVar("_Value")


class _Found(Mapping[str, _Value], Generic[_Value]):
    """A lazy mapping: finds a value when it is asked for, and lists its names only when it is iterated over."""

    def __init__(self, find: Callable[[str], _Value | None], names: Callable[[], Iterable[str]]) -> None:
        self._find, self._names = functools.cache(find), names

    def __getitem__(self, name: str) -> _Value:
        if (value := self._find(name)) is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True)
class TaskList:
    """All tasks, groups and tags, in alphabetical order."""

    tasks: Mapping[str, TaskRecord]
    groups: Mapping[str, list[str]]  # name → names of its tasks
    tags: Mapping[str, list[str]]  # the same

    def select(self, wanted: Iterable[str]) -> list[TaskRecord]:
        """The tasks that names or globs of tasks, groups and tags stand for, as lm-eval's `--tasks` takes them, each once.

        Raises `UnknownNameError` for one that matches nothing.
        """
        chosen: dict[str, None] = {}
        for pattern in wanted:
            names = fnmatch.filter([*self.tasks, *self.groups, *self.tags], pattern) if is_glob(pattern) else [pattern]
            members = [[name] if name in self.tasks else self.groups.get(name) or self.tags.get(name) for name in names]
            if None in members or not members:
                raise UnknownNameError(self.unknown(pattern))
            chosen |= dict.fromkeys(task for of_name in members for task in of_name or ())
        return [self.tasks[name] for name in chosen]

    def search(self, pattern: str) -> tuple[list[TaskRecord], list[str], list[str]]:
        """The tasks, the groups and the tags that a pattern matches; the whole name of a group or tag also finds its tasks."""
        tasks, groups, tags = (fnmatch.filter(names, glob_of(pattern)) for names in (self.tasks, self.groups, self.tags))
        tasks = sorted({*tasks, *self.groups.get(pattern, []), *self.tags.get(pattern, [])})
        return [self.tasks[name] for name in tasks], groups, tags

    def unknown(self, pattern: str) -> str:
        """The message about a name or glob that matches nothing."""
        like = meant(pattern, [*self.tasks, *self.groups, *self.tags], 5)
        return f"no task, group or tag {pattern!r}{like or '; `lm-eval-sea ls` lists what there is.'}"


@functools.cache
def read_tasks() -> TaskList:
    """The tasks of the pack; a file is read once per process."""

    def record(name: str) -> TaskRecord | None:
        path = find_file(name, TASK)
        return record_of(name, path, read_task_file(path)) if path else None

    def leaves(name: str) -> list[str] | None:
        path = find_file(name, GROUP)
        return [leaf for member in read_task_file(path)[TASK] for leaf in leaves(member) or [member]] if path else None

    return TaskList(
        tasks=_Found(record, lambda: names_in_files(TASK)),
        groups=_Found(leaves, lambda: names_in_files(GROUP)),
        tags=_Found(lambda name: tags().get(name), tags),
    )


def record_of(name: str, path: Path, config: Mapping[str, Any]) -> TaskRecord:
    """The record of a task's configuration; `path` is its file, or the prompt file of a task that is made on demand."""
    return TaskRecord(name, path, facts(config["metadata"]), config)


def table(tasks: Iterable[TaskRecord]) -> str:
    """The tasks as lines of aligned columns."""
    left = [place for place, name in enumerate(COLUMNS) if name != "rows"]
    return "\n".join(aligned([COLUMNS, *(task.cells for task in tasks)], left))


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,), widest: int | None = None) -> list[str]:
    """Lines with aligned columns, `left` ones to the left; the first column is cut to fit lines of `widest` characters."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if widest is not None:
        widths[0] = min(widths[0], max(1, widest - sum(widths[1:]) - 2 * (len(widths) - 1)))
    lines = []
    for first, *rest in rows:
        name = first if len(first) <= widths[0] else f"{first[: widths[0] - 1]}…"
        cells = enumerate(zip([name, *rest], widths, strict=True))
        lines.append("  ".join(f"{cell:{'<' if place in left else '>'}{width}}" for place, (cell, width) in cells).rstrip())
    return lines
