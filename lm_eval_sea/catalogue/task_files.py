"""Finds and reads the pack's task files, only those of the names that are asked for.

lm-eval's own reader takes a second to import, and its index reads every file below a folder with all that it includes.
"""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

GROUP, TASK = "group", "task"  # the keys that name what a file has


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads `!function utils.NAME` as "/FOLDER/utils.NAME", as lm-eval does if it imports no functions."""

    def __init__(self, text: str, folder: str) -> None:
        super().__init__(text)
        self.folder = folder


_Loader.add_constructor("!function", lambda loader, node: f"{loader.folder}/{node.value}")


@functools.cache
def _own_keys(path: str) -> Mapping[str, Any]:
    """The keys of the file itself, without its templates."""
    with open(path, encoding="utf-8") as file:
        found: Mapping[str, Any] = yaml.load(file.read(), functools.partial(_Loader, folder=os.path.dirname(path)))
    return found


def read_task_file(path: Path | str) -> dict[str, Any]:
    """The keys of a task's file or of a template, with those of the templates it includes.

    Functions are named as "/FOLDER/utils.FUNCTION". Each file is read once per process, so callers must not change the values.
    """
    path = os.path.normpath(path)
    own = _own_keys(path)
    whole: dict[str, Any] = {}
    includes = own.get("include", [])
    for each in [includes] if isinstance(includes, str) else includes:
        whole |= read_task_file(os.path.join(os.path.dirname(path), each))
    return whole | {key: value for key, value in own.items() if key != "include"}


def find_file(name: str, kind: str) -> Path | None:
    """The file of a task or of a group; None if there is none of that name.

    The words of the name are those of the path, perhaps in another order: sea_belebele_th_chat is belebele/chat/th.yaml. Or the
    file is called like the task, as for suites. Several files may have the same words, so the content decides.
    """
    places = _by_words().get(_words(name), ())
    return next((Path(place) for place in places if _own_keys(place).get(kind) == name), None)


def names_in_files(kind: str) -> list[str]:
    """The names of all tasks or of all groups; reads all files."""
    return sorted(own[kind] for own in map(_own_keys, _places()) if isinstance(own.get(kind), str))


@functools.cache
def tags() -> Mapping[str, list[str]]:
    """Tag → the names of its tasks; reads all files."""
    tasks = defaultdict(list)
    for own in map(_own_keys, _places()):
        for tag in own.get("tag", ()):
            tasks[tag].append(own[TASK])
    return {tag: sorted(tasks[tag]) for tag in sorted(tasks)}


@functools.cache
def _places() -> list[str]:
    walked = os.walk(TASKS_FOLDER)
    return [os.path.join(folder, file) for folder, _, files in walked for file in files if file.endswith(".yaml")]


@functools.cache
def _by_words() -> Mapping[frozenset[str], list[str]]:
    found = defaultdict(list)
    for place in _places():
        *folders, file = os.path.relpath(place, TASKS_FOLDER).removesuffix(".yaml").split(os.sep)
        below = ["sea", *(folder for folder in folders if folder != "groups"), file]
        for words in {_words("_".join(below)), _words(file)}:
            found[words].append(place)
    return found


def _words(name: str) -> frozenset[str]:
    return frozenset(name.split("_"))
