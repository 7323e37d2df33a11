"""lm-eval's reader of task files and its index of them, of which it documents little.

A release that changes them is a change in this module and in no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def read_task_file(path: Path, *, functions: bool = True) -> Mapping[str, Any]:
    """The keys of a task's file or of a template, with those of the templates it includes.

    Where it names functions, there are these `functions`, or else their names as "/FOLDER/utils.FUNCTION".
    """
    from lm_eval.tasks._yaml_loader import load_yaml  # a second of imports

    found: Mapping[str, Any] = load_yaml(path, resolve_func=functions)
    return found


def function_at(place: str) -> Callable[..., Any]:
    """The function at a place "/FOLDER/utils.FUNCTION"."""
    from lm_eval.tasks._yaml_loader import _import_func_in_yml

    folder, _, name = place.rpartition("/")
    found: Callable[..., Any] = _import_func_in_yml(name, Path(folder))
    return found


def members_of(manager: Any, name: str) -> list[str]:
    """The members of a group or tag, as it names them; of any other name only itself."""
    entry = _entry(manager, name)
    if name in manager.all_groups:
        return [member for member in entry.cfg["task"] if isinstance(member, str)]
    return sorted(entry.tags) if name in manager.all_tags else [name]


def leaf_names(manager: Any, name: str) -> list[str]:
    """The tasks that a name stands for."""
    members = members_of(manager, name)
    return members if members == [name] else [leaf for member in members for leaf in leaf_names(manager, member)]


def config_of(manager: Any, name: str) -> Mapping[str, Any]:
    """What a task's file says, with the templates it includes; empty if there is no such file."""
    entry = _entry(manager, name)
    return (entry and entry.cfg) or {}


def path_of(manager: Any, name: str) -> Path:
    """The file of a task."""
    path: Path = _entry(manager, name).yaml_path
    return path


def add_task(manager: Any, config: Mapping[str, Any]) -> None:
    """Adds a task that is in no file to what a `TaskManager` knows."""
    from lm_eval.tasks._index import TaskIndex

    manager.task_index[config["task"]] = TaskIndex.entry_from_config(dict(config))
    manager.all_tasks.append(config["task"])
    manager.all_subtasks.append(config["task"])
    for tag in config["tag"]:
        if tag not in manager.all_tags:
            manager.all_tasks.append(tag)
            manager.all_tags.append(tag)
        TaskIndex._register_tags(config["task"], tag, manager.task_index)


def _entry(manager: Any, name: str) -> Any:
    return manager.task_index.get(name)
