"""lm-eval's reader of task files and its index of them, which it keeps to itself, for releases 0.4.13 and 0.5.0.dev1.

A release that changes it is a change in this module and in no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_task_file(path: Path) -> Mapping[str, Any]:
    """The keys of a task's file or of a template, with those of the templates it includes, and functions where it names them."""
    from lm_eval.tasks._yaml_loader import load_yaml  # a second of imports

    return load_yaml(path)


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
    return _entry(manager, name).yaml_path


def _entry(manager: Any, name: str) -> Any:
    return manager._index.get(name)  # 0.4 also calls it `task_index`, 0.5 `_task_index`
