"""What data sets, tasks and suites there are: reads `tasks/<data set>/data_set.yml` and the lists beside those folders."""

from __future__ import annotations

import functools
from typing import Any

from lm_eval_sea.tasks._shared.facts import SEA_HELM, TASKS_FOLDER, read_yaml, whole_record

SUITE, LITE_SUITE = "sea_sailcompass", "sea_lite"  # the group of SailCompass, and that of its lite tasks


def _read(name: str) -> dict[str, Any]:
    return read_yaml(TASKS_FOLDER / name)


@functools.cache
def read_data_sets() -> dict[str, Any]:
    """The data sets but for SEA-HELM's: their records by name among `data_sets`, those of SailCompass first.

    Each language's record has what its data set says once for all. `suite` has the names of the data sets of SailCompass,
    `competencies` the titles of its tasks and of what the others test.
    """
    suites, competencies = _read("suites.yml")["groups"], _read("competencies.yml")
    of_tasks = {task.removeprefix(f"{SUITE}_"): suites[task]["tasks"] for task in suites[SUITE]["tasks"]}
    suite = [group.split("_")[1] for groups in of_tasks.values() for group in groups]
    names = sorted(path.parent.name for path in TASKS_FOLDER.glob("*/data_set.yml"))
    others = [name for name in names if name not in (*suite, SEA_HELM)]
    return {
        "languages": _read("languages.yml")["languages"],
        "tasks": {task: competencies[task] for task in of_tasks},
        "competencies": competencies,
        "data_sets": {name: _with_whole_languages(_read(f"{name}/data_set.yml")) for name in (*suite, *others)},
        "suite": suite,
    }


def read_countries() -> dict[str, Any]:
    """The countries of Southeast Asia by name: their `languages`, and what is `missing` of them."""
    countries: dict[str, Any] = _read("languages.yml")["countries"]
    return countries


def _with_whole_languages(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"languages": {language: whole_record(record, language) for language in record["languages"]}}


@functools.cache
def read_sea_helm() -> dict[str, Any]:
    """The tasks of SEA-HELM: the content of `sea_helm/data_set.yml`."""
    return _read(f"{SEA_HELM}/data_set.yml")


@functools.cache
def read_lite() -> dict[str, Any]:
    """The rows of the lite tasks: `tasks` and `missing` of every data set's `lite.yml` together."""
    contents = [read_yaml(path) for path in sorted(TASKS_FOLDER.glob("*/lite.yml"))]
    return {
        "tasks": {task: choice for content in contents for task, choice in content["tasks"].items()},
        "missing": {task: why for content in contents for task, why in content["missing"].items()},
    }
