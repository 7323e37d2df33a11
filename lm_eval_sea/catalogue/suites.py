"""The suites, which are lists in `tasks/suites.yml`, and tasks that could be in one but are not."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_sea.catalogue.data_sets import DataSet, data_sets
from lm_eval_sea.catalogue.kinds import JUDGED
from lm_eval_sea.catalogue.names import chat_name, language_group, lite_name
from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER, read_yaml

FILE = "suites.yml"
SUITE, LITE_SUITE = "sea_sailcompass", "sea_lite"  # the group of SailCompass, and that of its lite tasks
NATIVE = "sea_native"  # the group of the tasks whose rows were written in their language


@dataclass(frozen=True)
class Suite:
    """A group of lm-eval over several data sets."""

    name: str
    version: float
    tasks: tuple[str, ...]  # names of tasks and of groups
    kind: str | None = None  # the kind of all tasks, if their mean makes sense


@functools.cache
def read_suites() -> dict[str, Suite]:
    """The suites by name."""
    groups = read_yaml(TASKS_FOLDER / FILE)["groups"]
    return {name: Suite(name, own["version"], tuple(own["tasks"]), own.get("kind")) for name, own in groups.items()}


def sailcompass() -> list[DataSet]:
    """The data sets of SailCompass: those whose groups are in the groups that make up its suite."""
    members = [group for task in read_suites()[SUITE].tasks for group in read_suites()[task].tasks]
    return [data_sets()[group.split("_")[1]] for group in members]


def read_totals() -> Mapping[str, Mapping[str, Any]]:
    """What SEA-HELM's totals average, by name of the total; with the keys that `suites.yml` explains."""
    return dict(read_yaml(TASKS_FOLDER / FILE)["totals"])


def read_others() -> Mapping[str, list[str]]:
    """Language → the tasks of SEA-HELM that are in no total, by SEA-HELM's names."""
    return dict(read_yaml(TASKS_FOLDER / FILE)["others"])


def is_collected(data_set: DataSet, language: str) -> bool:
    """Whether the tasks qualify for suites: rows of SailCompass' data sets, or rows on the hub with a licence.

    Judged tasks do not: a run by itself does not score them.
    """
    data = data_set.languages[language]
    is_free = data_set.kind != JUDGED and data.licence is not None and data.on_hub
    return bool(data_set.suite_languages) or is_free


@functools.cache
def read_lite() -> dict[str, Any]:
    """The rows of the lite tasks: `tasks` and `missing` of every data set's `lite.yml` together."""
    contents = [read_yaml(path) for path in sorted(TASKS_FOLDER.glob("*/lite.yml"))]
    return {
        "tasks": {task: choice for content in contents for task, choice in content["tasks"].items()},
        "missing": {task: why for content in contents for task, why in content["missing"].items()},
    }


@functools.cache
def lite_chat_tasks() -> frozenset[str]:
    """The lite versions of chat tasks: those whose plain task has one."""
    chosen = read_lite()["tasks"]
    return frozenset(
        lite_name(chat)
        for data_set in data_sets().values()
        if data_set.kind != JUDGED
        for language in data_set.languages
        for plain, chat in zip(data_set.names(language), data_set.names(language, "chat"), strict=True)
        if plain in chosen
    )


def unlisted() -> list[str]:
    """One line for each task that qualifies for a suite or total and is not listed there."""
    listed = {(task, suite.name) for suite in read_suites().values() for task in suite.tasks}
    lacking = [f"{task} qualifies for {suite} and is not in it" for task, suite in _qualifying() if (task, suite) not in listed]
    return lacking + [f"{task} of SEA-HELM is in no total and not in `others`" for task in _unlisted_of_sea_helm()]


def _qualifying() -> Iterator[tuple[str, str]]:
    lite = read_lite()["tasks"]
    for data_set in data_sets().values():
        for language, data in data_set.languages.items():
            if not is_collected(data_set, language):
                continue
            for task in data_set.names(language):
                yield task, language_group(language)
                if task in lite:
                    yield lite_name(task), lite_name(language_group(language))
                if data.origin == "native" and language != "en":  # English rows are the source of the translations
                    yield task, NATIVE
            for task in data_set.names(language, "chat"):
                yield task, chat_name(language_group(language))


def _unlisted_of_sea_helm() -> Iterator[str]:
    totals = [total["languages"] for total in read_totals().values()]
    for name, languages in sea_helm().tasks.items():
        for language, task in languages.items():
            listed = [key for lists in (*totals, read_others()) for key in lists.get(language, ())]
            if not task.is_judged and not task.is_among(listed):
                yield f"sea_helm_{language}_{name}"
