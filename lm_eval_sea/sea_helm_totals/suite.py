"""What SEA-HELM consists of: the tasks of the pack, and the parts that need a judge model, which it does not have."""

from __future__ import annotations

import functools
from typing import Any

import yaml

from lm_eval_sea.sea_helm_totals.hierarchy import Place
from lm_eval_sea.task_list import TASKS_FOLDER

CATALOGUE = TASKS_FOLDER.parent / "sea_helm.yaml"


@functools.cache
def _catalogue() -> dict[str, Any]:
    return yaml.safe_load(CATALOGUE.read_text(encoding="utf-8"))


def _places(tasks: dict[str, dict[str, Any]]) -> dict[Place, dict[str, Any]]:
    return {
        Place(language, task["competency"], task.get("score_group", ""), task["key"]): task
        for task in tasks.values()
        for language in task["languages"]
    }


def expected_tasks() -> list[Place]:
    """The tasks of all languages."""
    return list(_places(_catalogue()["tasks"]))


def unavailable_tasks() -> dict[Place, str]:
    """What has no score here that would be SEA-HELM's → the model that it needs."""
    catalogue = _catalogue()
    places = _places(catalogue["judged"]) | _places(catalogue["tasks"])
    return {place: task["judge"] for place, task in places.items() if "judge" in task}
