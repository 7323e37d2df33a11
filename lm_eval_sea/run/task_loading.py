"""Loads the tasks of a run with their rows before the model, and reports those that are not available."""

from __future__ import annotations

import fnmatch
import functools
import glob
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue import task_index
from lm_eval_sea.catalogue.lm_eval_tasks import folder_of
from lm_eval_sea.catalogue.task_files import GROUP, TASK, find_file, read_task_file, tags
from lm_eval_sea.catalogue.task_list import is_glob, read_tasks
from lm_eval_sea.make.on_demand import names_on_demand, tasks_on_demand
from lm_eval_sea.results.visible_text import once, some_names
from lm_eval_sea.run.request import RunError, in_one_line, what_failed
from lm_eval_sea.tasks._shared.facts import facts
from lm_eval_sea.tasks._shared.sources import Source

_FILES_SHOWN = 3
_FIRST_ROW = " (the first row is 0)"


class RunTasks(TaskManager):
    """The tasks of a request, and no others, each loaded once.

    So the model gets the very rows that were checked before it was loaded. lm-eval's own 14,000 files are read only for a name
    that neither the user nor the pack has.
    """

    def __init__(self, wanted: Iterable[str], own_folders: Sequence[str] = (), metadata: Mapping[str, Any] | None = None) -> None:
        """Reads the files of what is wanted, and all files of the user's folders, whose tasks replace others of their name.

        `wanted` has names or globs of tasks, groups and tags, files of tasks, or folders of them.
        """
        super().__init__(include_path=[*own_folders], include_defaults=False, metadata=dict(metadata or {}))
        self._with_members: set[str] = set()
        self._loaded: tuple[list[Any], Any] | None = None
        # for each entry of the request the names and files that it stands for; none where there is no such task
        self.names = {entry: self._matches(entry) for entry in wanted}
        for name in sum(self.names.values(), []):
            self._add_with_members(name)

    def load(self, task_list: Any) -> Any:
        """As lm-eval's, but the same list gives the same tasks again, and a task that groups share is run once."""
        if self._loaded is None or self._loaded[0] != task_list:
            self._loaded = task_list, _together({name: super(RunTasks, self).load([name]) for name in task_list})
        return self._loaded[1]

    def drop(self, failed: Collection[str]) -> list[str]:
        """Makes `load` return the same tasks, as they are now, without those that failed and the groups that have one of them.

        Prompts that were built are not built again. Returns the names that are left, for `load`.
        """
        assert self._loaded is not None
        wanted, loaded = self._loaded
        groups = {
            name: group
            for name, group in loaded["groups"].items()
            if not any(task.task_name in failed for task in group.get_all_tasks())
        }
        tasks = {name: task for name, task in loaded["tasks"].items() if name not in failed}
        for task in tasks.values():
            if getattr(task, "_instances", None):
                task.build_all_requests = functools.partial(_without_answers, task)
        names = without(self, wanted, set(failed))
        group_map = {name: members for name, members in loaded["group_map"].items() if name in groups}
        self._loaded = names, {**loaded, "tasks": tasks, "groups": groups, "group_map": group_map}
        return names

    def known(self, *, of_lm_eval: bool = True) -> set[str]:
        """All names that there are: the user's, the pack's and, which takes seconds, lm-eval's."""
        pack = read_tasks()
        return {*self.task_index, *pack.tasks, *pack.groups, *pack.tags, *(self._of_lm_eval if of_lm_eval else ())}

    def _matches(self, entry: str) -> list[str]:
        path = Path(entry)
        there = path.glob("*.yaml") if path.is_dir() else [path] if path.is_file() else glob.glob(entry)
        files = sorted(str(Path(file).absolute()) for file in there)
        if entry.endswith(".yaml") or (path.is_dir() and "/" in entry):  # which no name has
            return files
        if is_glob(entry):
            known = self.known(of_lm_eval=not entry.startswith("sea_")).union(names_on_demand(entry))
            found = sorted(fnmatch.filter(known, entry))
        else:
            found = [entry] if self._add(entry) else []
        return found or (files if path.is_dir() else [])

    def _add_with_members(self, name: str) -> None:
        """Makes a name known to lm-eval, with all that it stands for."""
        if name in self._with_members:
            return
        self._with_members.add(name)
        if not self._add(name):
            return
        path = task_index.path_of(self, name)
        if path and _file_of_pack(name) not in (None, path):
            logging.getLogger("lm_eval_sea").warning("%s is the task in %s, which replaces the pack's", name, path)
        config = task_index.config_of(self, name)
        for member in task_index.members_of(self, name) if name in self.all_tags else task_index.named_in(config):
            self._add_with_members(member)

    def _add(self, name: str) -> bool:
        """Makes a name known to lm-eval: the user's, the pack's, or else its own; returns whether there is one."""
        if name in self.task_index or name.endswith(".yaml"):
            return name in self.task_index
        if path := _file_of_pack(name):
            task_index.add_entries(self, task_index.entries_of_files([path]), [name])
        elif made := tasks_on_demand([name]):
            for config in made.values():
                task_index.add_task(self, config)
        elif name.startswith("sea_") and (tasks := tags().get(name)):
            paths = filter(None, map(_file_of_pack, tasks))
            task_index.add_entries(self, task_index.entries_of_files(paths), [name])
        else:
            entries = task_index.entries_of_lm_eval(folder) if (folder := folder_of(name)) else {}
            entries = entries if name in entries else self._of_lm_eval
            task_index.add_entries(self, entries, entries)
        return name in self.task_index

    @functools.cached_property
    def _of_lm_eval(self) -> dict[str, Any]:
        return task_index.entries_of_lm_eval()


def _without_answers(task: Any, **_: Any) -> None:
    """In place of `Task.build_all_requests`: the requests as they were built."""
    for request in task.instances:
        request.resps, request.filtered_resps = [], {}


def _file_of_pack(name: str) -> Path | None:
    return find_file(name, TASK) or find_file(name, GROUP)


def _together(loaded: Mapping[str, Any]) -> dict[str, Any]:
    """Merges what `TaskManager.load` gives for several names; refuses a task that two of them configure differently."""
    whole: dict[str, Any] = {"tasks": {}, "groups": {}, "group_map": {}}
    first: dict[str, str] = {}  # task → the name that it came with
    for name, parts in loaded.items():
        for task_name, task in parts["tasks"].items():
            known = whole["tasks"].setdefault(task_name, task)
            origin = first.setdefault(task_name, name)
            if known is not task and known.dump_config() != task.dump_config():
                raise RunError(f"--tasks: {origin} and {name} have {task_name} with different settings; run one after the other")
        for group in parts["groups"].values():
            for task in group.get_all_tasks(recursive=False):
                group.add(whole["tasks"][task.task_name])
        whole = {kind: whole[kind] | ({} if kind == "tasks" else parts[kind]) for kind in whole}
    return whole


def load_tasks(
    manager: TaskManager, wanted: Sequence[str], *, skip_missing: bool | None
) -> tuple[list[str], Mapping[str, Any], list[str]]:
    """Loads the tasks of names or files with a `RunTasks`.

    With `skip_missing`, tasks without available rows and groups that lack one are left out; None if the user has no such flag.
    Returns what is to be run, the tasks by name, and a line for each data set that is left out.
    """
    try:
        return list(wanted), manager.load(list(wanted))["tasks"], []
    except RunError:
        raise
    # A task's data set, code and packages can raise anything.
    except Exception as error:
        faults = _faults(manager, wanted)
        if not faults:  # each task loads, but not its group
            raise RunError(f"--tasks: {in_one_line(error)}") from error
        lines = _describe(faults)
        if not skip_missing or not all(map(_is_missing_data, faults.values())):
            raise RunError("\n  ".join(lines + _advice(manager, faults, can_skip=skip_missing is not None))) from error
        rest = without(manager, wanted, set(faults))
        if not rest:
            raise RunError("\n  ".join(["the data of all tasks is missing", *lines])) from error
        return rest, manager.load(rest)["tasks"], lines


def load_beside(manager: TaskManager, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Those of lm-eval's own tasks that can be loaded, and a line on the others, which the user did not name, if any."""
    names, faults = list(names), {}
    for name in names:
        try:
            manager.load([name])
        # a data set can raise anything
        except Exception as error:
            faults[name] = f" of lm-eval: {in_one_line(error)}"
    there = [name for name in names if name not in faults]
    return there, [f"{some_names(list(faults))}{reason}" for reason in list(faults.values())[:1]]


def without(manager: TaskManager, wanted: Iterable[str], missing: set[str]) -> list[str]:
    """The names, with groups and tags that lack a task replaced by those of their members that lack none."""
    rest: dict[str, None] = {}
    for name in wanted:
        members = task_index.members_of(manager, name)
        if not missing & set(task_index.leaf_names(manager, name)):
            rest[name] = None
        elif members != [name]:
            rest |= dict.fromkeys(without(manager, members, missing))
    return list(rest)


def _faults(manager: TaskManager, wanted: Iterable[str]) -> dict[str, Exception]:
    """What keeps each task from being loaded; tasks with the same rows are tried once."""
    names = dict.fromkeys(leaf for name in wanted for leaf in task_index.leaf_names(manager, name))
    faults: dict[str, Exception] = {}
    of_rows: dict[str, Exception] = {}
    for name in names:
        known = facts(task_index.config_of(manager, name).get("metadata") or {})
        rows = repr([known.get(key) for key in ("data_source", "data_config", "data_files", "data_splits", "subset")])
        if "data_source" in known and rows in of_rows:
            faults[name] = of_rows[rows]
            continue
        try:
            manager.load([name])
        except Exception as error:
            faults[name] = error
            if _is_missing_data(error):
                of_rows[rows] = error
            elif name.endswith(".yaml") and isinstance(error, TypeError) and (group := read_task_file(name).get(GROUP)):
                faults[name] = RunError(f"is a group; give --include_path {Path(name).parent} --tasks {group}")
    return faults


def unreadable(folder: str | None) -> list[str]:
    """The first files below a user's folder that lm-eval silently skips, each with the reason."""
    faulty = task_index.faulty_files(Path(folder)) if folder else {}
    return [f"{path} is not a task ({in_one_line(error)})" for path, error in faulty.items()][:_FILES_SHOWN]


def _is_missing_data(error: Exception) -> bool:
    """Whether rows are missing or cannot be scored; by name, because the folder of tasks is imported under another name."""
    return type(error).__name__ == "DataError"


def _describe(faults: Mapping[str, Exception]) -> list[str]:
    """A line for each cause, with its tasks."""
    # a library's error says what is wrong, Python's KeyError only what is missing
    return once(
        (name, what_failed(error) if type(error).__module__ == "builtins" else in_one_line(error))
        for name, error in faults.items()
    )


def _advice(manager: TaskManager, faults: Mapping[str, Exception], *, can_skip: bool) -> list[str]:
    """What to type to get the missing rows; what to fix in local files."""
    of_data = [name for name, error in faults.items() if _is_missing_data(error)]
    if not of_data:
        return []
    places = {name: place for name in of_data if (place := getattr(faults[name], "place", ""))}
    missing = [name for name in of_data if getattr(faults[name], "to_fetch", False)]
    advice = [f"to fetch: lm-eval-sea data fetch --tasks {','.join(missing)}"] if missing else []
    to_fix = dict.fromkeys(place for name, place in places.items() if _rows_are_local(manager, name))
    lines = [*advice, *(f"to fix: {place}{_FIRST_ROW if ', row ' in place else ''}" for place in to_fix)]
    return lines + ["to leave them out: --skip_missing"] * (can_skip and len(of_data) == len(faults) and not to_fix)


def _rows_are_local(manager: TaskManager, name: str) -> bool:
    known = facts(task_index.config_of(manager, name).get("metadata") or {})
    return "data_source" in known and bool(Source.from_metadata(**known).local_state())
