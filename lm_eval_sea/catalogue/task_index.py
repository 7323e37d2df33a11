"""lm-eval's reader of task files and its index of them, which are hardly documented.

If a release changes them, only this module has to change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.task_files import read_task_file


def read_with_functions(path: Path) -> Mapping[str, Any]:
    """The keys of a task's file or of a template, with those of the templates it includes and the functions that it names."""
    from lm_eval.tasks._yaml_loader import load_yaml  # a second of imports

    return load_yaml(path)


def function_at(place: str) -> Callable[..., Any]:
    """The function at a place "/FOLDER/utils.FUNCTION"."""
    from lm_eval.tasks._yaml_loader import _import_func_in_yml

    folder, _, name = place.rpartition("/")
    function: Callable[..., Any] = _import_func_in_yml(name, Path(folder))
    return function


def members_of(manager: Any, name: str) -> list[str]:
    """The members of a group or tag, as it names them; for any other name only itself."""
    entry = manager.task_index.get(name)
    if name in manager.all_groups:
        return [member for member in entry.cfg["task"] if isinstance(member, str)]
    return sorted(entry.tags) if name in manager.all_tags else [name]


def leaf_names(manager: Any, name: str) -> list[str]:
    """The tasks that a name stands for."""
    members = members_of(manager, name)
    return members if members == [name] else [leaf for member in members for leaf in leaf_names(manager, member)]


def config_of(manager: Any, name: str) -> Mapping[str, Any]:
    """What a task's file says, with the templates it includes; empty if there is no such file."""
    return getattr(manager.task_index.get(name), "cfg", None) or {}


def path_of(manager: Any, name: str) -> Path | None:
    """The file of a task or group; None for a tag, for what is in no file, and for an unknown name."""
    return getattr(manager.task_index.get(name), "yaml_path", None)


def named_in(config: Mapping[str, Any]) -> list[str]:
    """The names of tasks, groups and tags in the configuration of a group, also within what it defines itself."""
    members = config.get("task")
    names: list[str] = []
    for member in members if isinstance(members, list) else ():
        if isinstance(member, str):
            names.append(member)
        elif isinstance(member, dict):
            names += [name for key in ("group", "task") if isinstance(name := member.get(key), str)] + named_in(member)
    return names


def entries_of_files(paths: Iterable[Path]) -> dict[str, Any]:
    """lm-eval's entries for the tasks, groups and tags of files of the pack: name → entry."""
    from lm_eval.tasks._index import TaskIndex

    entries: dict[str, Any] = {}
    for path in paths:
        TaskIndex.process_cfg(read_task_file(path), path, entries)
    return entries


def entries_of_lm_eval(folder: str = "") -> dict[str, Any]:
    """lm-eval's entries for its own tasks, groups and tags, all or those in a folder; all are in 14,000 files."""
    import lm_eval.tasks
    from lm_eval.tasks._index import TaskIndex

    return TaskIndex.build([Path(lm_eval.tasks.__file__).parent / folder])


def faulty_files(folder: Path) -> dict[Path, Exception]:
    """The files below a folder that lm-eval silently skips as it looks for tasks, with the reason."""
    from lm_eval.tasks._index import TaskIndex
    from lm_eval.tasks._yaml_loader import load_yaml

    faulty = {}
    for path in TaskIndex._iter_yaml_files(folder):
        try:
            TaskIndex.process_cfg(load_yaml(path, resolve_func=False), path, {})
        except Exception as error:
            faulty[path] = error
    return faulty


def add_entries(manager: Any, entries: Mapping[str, Any], names: Iterable[str]) -> None:
    """Adds the entries of some names to a `TaskManager`, except for names that it knows already."""
    from lm_eval.tasks._index import Kind

    for name in (each for each in names if each not in manager.task_index):
        manager.task_index[name] = entries[name]
        listed = {Kind.GROUP: manager.all_groups, Kind.TAG: manager.all_tags}.get(entries[name].kind, manager.all_subtasks)
        listed.append(name)
        manager.all_tasks.append(name)


def add_task(manager: Any, config: Mapping[str, Any]) -> None:
    """Adds a task that is in no file to a `TaskManager`."""
    from lm_eval.tasks._index import TaskIndex

    entries = {tag: manager.task_index[tag] for tag in config["tag"] if tag in manager.task_index}
    entries[config["task"]] = TaskIndex.entry_from_config(dict(config))
    TaskIndex._register_tags(config["task"], config["tag"], entries)
    add_entries(manager, entries, entries)
