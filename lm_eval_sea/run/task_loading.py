"""Loads the tasks of a run with their rows before the model, and says which cannot be had."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lm_eval_sea.catalogue.task_index import config_of, leaf_names, members_of
from lm_eval_sea.run.lm_eval_cli import serve_loaded
from lm_eval_sea.run.request import RunError, in_one_line
from lm_eval_sea.some_names import some_names


def load_tasks(
    manager: Any, wanted: Sequence[Any], *, skip_missing: bool | None
) -> tuple[list[Any], Mapping[str, Any], list[str]]:
    """Loads tasks; lm-eval then takes them as they are loaded.

    Args:
        manager: lm-eval's `TaskManager`.
        wanted: names of tasks, groups and tags, or configurations.
        skip_missing: whether to go on without tasks whose rows cannot be had; groups that lack one are then left out, too.
            None where the user has no such choice.

    Returns:
        What is to be run, the tasks by name, and a line for each data set that is left out.

    Raises:
        RunError: if a task cannot be loaded and is not left out.
    """
    try:
        loaded = manager.load(list(wanted))
    # A task's data set, code and packages raise what they like.
    except Exception as error:
        faults = _faults(manager, wanted)
        if not faults:
            raise
        lines = _describe(faults)
        if not skip_missing or not all(map(_is_missing_data, faults.values())):
            raise RunError("\n  ".join(lines + _advice(faults, can_skip=skip_missing is not None))) from error
        rest = without(manager, wanted, set(faults))
        if not rest:
            raise RunError("\n  ".join(["of all tasks the data is missing", *lines])) from error
        loaded, wanted = manager.load(rest), rest
    else:
        lines = []
    serve_loaded(manager, loaded)
    return list(wanted), loaded["tasks"], lines


def without(manager: Any, wanted: Iterable[Any], missing: set[str]) -> list[Any]:
    """The names, with groups and tags that lack a task replaced by those of their members that lack none."""
    rest: dict[str, Any] = {}
    for spec in wanted:
        if not isinstance(spec, str) or not missing & set(leaf_names(manager, spec)):
            rest[str(spec)] = spec
        else:
            members = members_of(manager, spec)
            rest |= {name: name for name in without(manager, members, missing)} if members != [spec] else {}
    return list(rest.values())


def _faults(manager: Any, wanted: Iterable[Any]) -> dict[str, Exception]:
    """What keeps each task from being loaded; tasks with the same rows are tried once."""
    names = dict.fromkeys(name for spec in wanted if isinstance(spec, str) for name in leaf_names(manager, spec))
    faults: dict[str, Exception] = {}
    of_rows: dict[str, Exception] = {}
    for name in names:
        metadata = config_of(manager, name).get("metadata") or {}
        rows = repr([metadata.get(key) for key in ("data_source", "data_config", "data_files", "data_splits", "subset")])
        if "data_source" in metadata and rows in of_rows:
            faults[name] = of_rows[rows]
            continue
        try:
            manager.load([name])
        except Exception as error:
            faults[name] = error
            if _is_missing_data(error):
                of_rows[rows] = error
    return faults


def _is_missing_data(error: Exception) -> bool:
    """Whether rows cannot be had or scored. The pack's folder of tasks is a package of its own name, and so is the class."""
    return type(error).__name__ == "DataError"


def _describe(faults: Mapping[str, Exception]) -> list[str]:
    """A line for each cause, with its tasks."""
    tasks: dict[str, list[str]] = defaultdict(list)
    for name, error in faults.items():
        tasks[in_one_line(error)].append(name)
    return [f"{some_names(names)}: {text}" for text, names in tasks.items()]


def _advice(faults: Mapping[str, Exception], *, can_skip: bool) -> list[str]:
    missing = [name for name, error in faults.items() if _is_missing_data(error)]
    if not missing:
        return []
    advice = [f"to ask for access: {page}, then `hf auth login` or HF_TOKEN" for page in _pages(faults.values())]
    advice += [f"to fetch: lm-eval-sea data fetch --tasks {','.join(missing)}"]
    if can_skip and len(missing) == len(faults):
        advice.append("to go on without: --skip_missing")
    return advice


def _pages(errors: Iterable[Exception]) -> list[str]:
    """The pages of the gated data sets among those that cannot be had."""
    from huggingface_hub.constants import ENDPOINT
    from huggingface_hub.errors import HfHubHTTPError

    pages: dict[str, None] = {}
    for error in errors:
        cause = error.__cause__
        status = getattr(cause.response, "status_code", None) if isinstance(cause, HfHubHTTPError) else None
        found = re.search(r"\b[\w.-]+/[\w.-]+\b", str(error).partition(" of ")[2] or str(error))
        if found and (status in (401, 403) or "ask for access" in str(error)):
            pages[f"{ENDPOINT}/datasets/{found[0]}"] = None
    return list(pages)
