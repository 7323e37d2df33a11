"""What SEA-HELM consists of: the tasks of the pack, and the parts that need a judge model, which it does not have."""

from __future__ import annotations

from typing import Any

from lm_eval_sea.catalogue import read_sea_helm
from lm_eval_sea.sea_helm.totals.hierarchy import Place


def _places(tasks: dict[str, dict[str, Any]]) -> dict[Place, dict[str, Any]]:
    return {
        Place(language, task["competency"], task.get("score_group", ""), task["key"]): task
        for task in tasks.values()
        for language in task["languages"]
    }


def expected_tasks() -> list[Place]:
    """The tasks of all languages."""
    return list(_places(read_sea_helm()["tasks"]))


def unavailable_tasks() -> dict[Place, str]:
    """What has no score here that would be SEA-HELM's → the model that it needs."""
    catalogue = read_sea_helm()
    places = _places(catalogue["judged"]) | _places(catalogue["tasks"])
    return {place: task["judge"] for place, task in places.items() if "judge" in task}
