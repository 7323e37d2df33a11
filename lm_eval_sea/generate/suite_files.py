"""The groups over data sets: sea_sailcompass → its tasks → the groups of the data sets; sea_native → the tasks of native rows."""

from __future__ import annotations

from typing import Any

from lm_eval_sea.catalogue import NATIVE, SUITE
from lm_eval_sea.generate.prompt_books import is_english_prompt
from lm_eval_sea.generate.task_kinds import JUDGED, KINDS, directions, recommended_variant
from lm_eval_sea.generate.task_yaml import render


def averages(metrics: tuple[str, ...]) -> list[dict[str, Any]]:
    """What makes a group the unweighted mean of its leaf tasks, by metric."""
    return [{"metric": metric, "aggregation": "mean", "weight_by_size": False} for metric in metrics]


def plain_tasks(name: str, record: dict[str, Any]) -> dict[str, list[str]]:
    """Language → what a plain run has of a data set: the recommended variant, with prompts in the language if there is a book.

    Args:
        name: of the data set.
        record: in the catalogue.
    """
    variant = recommended_variant(record["kind"])
    tasks = {}
    for language, data in record["languages"].items():
        ending = "enprompt" if is_english_prompt(data.get("book", language), language) else ""
        pairs = directions(record, language)
        tasks[language] = ["_".join(filter(None, ("sea", name, pair, variant, ending))) for pair in pairs]
    return tasks


def is_collected(name: str, language: str, catalogue: dict[str, Any]) -> bool:
    """Whether groups over data sets have the tasks: SailCompass' own, and those of others that are on the hub under a licence.

    What a judge scores is in none of them: a run by itself has no score of it.
    """
    record = catalogue["data_sets"][name]
    data = record["languages"][language]
    return name in catalogue["suite"] or (record["kind"] != JUDGED and data["licence"] is not None and data.get("on_hub", True))


def suite_files(catalogue: dict[str, Any]) -> dict[str, str]:
    """Path below the tasks folder → content. The data sets of a task are all of one kind, so that their mean has a meaning."""
    version = {"metadata": {"version": catalogue["suite_version"]}}
    groups = [{"group": SUITE, "task": [f"{SUITE}_{task}" for task in catalogue["tasks"]]}]
    for task in catalogue["tasks"]:
        records = {name: catalogue["data_sets"][name] for name in catalogue["suite"]}
        records = {name: record for name, record in records.items() if record["task"] == task}
        (kind,) = {record["kind"] for record in records.values()}
        variant = recommended_variant(kind)
        groups.append(
            {
                "group": f"{SUITE}_{task}",
                "task": ["_".join(filter(None, ("sea", name, variant))) for name in records],
                "aggregate_metric_list": averages(KINDS[kind][variant].aggregated),
            }
        )
    native = [
        task
        for name, record in catalogue["data_sets"].items()
        for language, tasks in plain_tasks(name, record).items()
        if language != "en"  # what is written in English is what the translations are made of
        and record["languages"][language]["origin"] == "native"
        and is_collected(name, language, catalogue)
        for task in tasks
    ]
    groups.append({"group": NATIVE, "task": native})
    named = {f"sailcompass/{group['group'].removeprefix('sea_')}.yaml": group | version for group in groups}
    return {path: render("catalogue/data_sets.yaml", path, group) for path, group in named.items()}
