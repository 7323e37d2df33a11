"""lm-eval's own tasks in the pack's languages, for data sets that the pack does not have: `lm_eval_tasks.yml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_sea.tasks._shared.facts import read_yaml

FILE = Path(__file__).with_name("lm_eval_tasks.yml")


@dataclass(frozen=True)
class OfLmEval:
    """A data set of lm-eval's; the keys are explained in the file."""

    title: str
    tests: str
    origin: str
    folder: str
    chance: float
    rows: int | None
    languages: Mapping[str, str]
    says: str
    task: str = ""
    metric: str = ""
    chat: str = ""
    chat_metric: str = ""

    def names(self, language: str) -> dict[str, str]:
        """The names of the plain and of the chat task or group in a language → the headline metric."""
        code = self.languages[language]
        forms = {self.task: self.metric, self.chat: self.chat_metric}
        return {name.format(code): metric for name, metric in forms.items() if name}


@functools.cache
def of_lm_eval() -> tuple[OfLmEval, ...]:
    """The data sets, in the order of the file."""
    entries: Any = read_yaml(FILE)
    return tuple(OfLmEval(**entry) for entry in entries)


def names_in(language: str, *, chat: bool = False, most_rows: int | None = None) -> list[str]:
    """lm-eval's own plain or chat tasks that `--language` runs; with `most_rows` only of data sets known to have no more."""
    return [
        form.format(each.languages[language])
        for each in of_lm_eval()
        if (form := each.chat if chat else each.task) and language in each.languages
        if most_rows is None or (each.rows is not None and each.rows <= most_rows)
    ]


def facts_of_lm_eval(task: str) -> Mapping[str, Any]:
    """The facts that the pack's own tasks have in their metadata; empty for a task that is not listed."""
    if not (found := _closest(task)):
        return {}
    name, data_set, language, metric = found
    return {
        "headline_metric": metric,
        "dataset": data_set.title,
        "language": language,
        "task": data_set.tests,
        "chance": data_set.chance,
        **({"part": task.removeprefix(f"{name}_")} if task != name else {}),
        **({"rows": data_set.rows} if task == name and data_set.rows else {}),  # a member of a group has only a part
    }


def folder_of(task: str) -> str:
    """The folder below lm-eval's tasks that has a listed task or group; empty for others."""
    found = _closest(task)
    return found[1].folder if found else ""


def _closest(task: str) -> tuple[str, OfLmEval, str, str] | None:
    """The listed task or group with this name, or whose member it is.

    Groups whose names continue with "few_shot" are separate ones: they have the same rows, with exemplars.
    """

    def is_listed(name: str) -> bool:
        return task == name or (task.startswith(f"{name}_") and not task.startswith(f"{name}_few_shot_"))

    return next((entry for entry in listed() if is_listed(entry[0])), None)


@functools.cache
def listed() -> list[tuple[str, OfLmEval, str, str]]:
    """Each task or group with its data set, its language and its headline metric."""
    return [
        (name, data_set, language, metric)
        for data_set in of_lm_eval()
        for language in data_set.languages
        for name, metric in data_set.names(language).items()
    ]
