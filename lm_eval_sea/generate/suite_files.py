"""The groups of the whole suite: sea_sailcompass → its tasks → the groups of the data sets."""

from __future__ import annotations

from typing import Any

from lm_eval_sea.catalogue import SUITE
from lm_eval_sea.generate.task_kinds import KINDS, RECOMMENDED_VARIANT
from lm_eval_sea.generate.task_yaml import render


def averages(metrics: tuple[str, ...]) -> list[dict[str, Any]]:
    """What makes a group the unweighted mean of its leaf tasks, by metric."""
    return [{"metric": metric, "aggregation": "mean", "weight_by_size": False} for metric in metrics]


def suite_files(catalogue: dict[str, Any]) -> dict[str, str]:
    """Path below the tasks folder → content. The data sets of a task are all of one kind, so that their mean has a meaning."""
    version = {"metadata": {"version": catalogue["suite_version"]}}
    groups = [{"group": SUITE, "task": [f"{SUITE}_{task}" for task in catalogue["tasks"]]}]
    for task in catalogue["tasks"]:
        records = {name: record for name, record in catalogue["data_sets"].items() if record["task"] == task}
        (kind,) = {record["kind"] for record in records.values()}
        variant = RECOMMENDED_VARIANT if kind == "mcq" else ""
        groups.append(
            {
                "group": f"{SUITE}_{task}",
                "task": ["_".join(filter(None, ("sea", name, variant))) for name in records],
                "aggregate_metric_list": averages(KINDS[kind][variant].aggregated),
            }
        )
    named = {f"sailcompass/{group['group'].removeprefix('sea_')}.yaml": group | version for group in groups}
    return {path: render("catalogue/data_sets.yaml", path, group) for path, group in named.items()}
