"""What data sets, tasks and suites there are: reads `tasks/<data set>/data_set.yml` and the lists beside those folders."""

from __future__ import annotations

import functools
from typing import Any

from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, read_yaml

SUITE, LITE_SUITE = "sea_sailcompass", "sea_lite"  # the group of SailCompass, and that of its lite tasks


class Refusal(Exception):  # noqa: N818 (what it is of is in the names of its subclasses)
    """What a command cannot do; its text says in one line what is wrong and how to mend it."""


def read_countries() -> dict[str, Any]:
    """The countries of Southeast Asia by name: their `languages`, `data_sets` about them, and what is `missing` of them."""
    countries: dict[str, Any] = read_yaml(TASKS_FOLDER / "languages.yml")["countries"]
    return countries


@functools.cache
def read_lite() -> dict[str, Any]:
    """The rows of the lite tasks: `tasks` and `missing` of every data set's `lite.yml` together."""
    contents = [read_yaml(path) for path in sorted(TASKS_FOLDER.glob("*/lite.yml"))]
    return {
        "tasks": {task: choice for content in contents for task, choice in content["tasks"].items()},
        "missing": {task: why for content in contents for task, why in content["missing"].items()},
    }
