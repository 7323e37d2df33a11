"""The suite that means are taken over, and the report's names for what is in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.names import chat_name, competency_titles, language_group, language_names, lite_name
from lm_eval_sea.catalogue.origins import origin_of
from lm_eval_sea.catalogue.overview import suites_of
from lm_eval_sea.catalogue.suites import LITE_SUITE, SUITE
from lm_eval_sea.catalogue.task_list import TaskList, read_tasks
from lm_eval_sea.report.chart import Line, Mark, keys_of
from lm_eval_sea.results.facts import AS_PUBLISHED


@dataclass(frozen=True)
class Suite:
    """The members of SailCompass as the paper recommends it, and titles."""

    members: Mapping[str, tuple[str, str]]  # name of a task → SailCompass task and language
    languages: Mapping[str, str]  # "th" → "Thai"
    data_sets: Mapping[str, str]  # "xnli" → "XNLI"
    english_labels: Mapping[str, Sequence[str]]  # name of a task → its labels in English; empty without fixed labels
    suites: Mapping[str, Sequence[str]]  # all suites: name → tasks
    nested: Mapping[str, Mapping[str, tuple[str, ...]]]  # suites whose competencies weigh the same → their tasks, as in `members`
    facts: Mapping[str, Mapping[str, Any]]  # name of any task → its metadata
    kinds: Mapping[str, str]  # "mrc" → its title, of all competencies
    origins: Mapping[str, str]  # name of a task that a plain run has → origin of its rows, where that is known

    @property
    def names(self) -> Mapping[str, Mapping[str, str]]:
        """What the report calls the values of columns: column → value → name."""
        return {"language": self.languages, "prompt_language": self.languages, "dataset": self.data_sets}

    def title_of(self, data_set: str, *languages: str) -> str:
        """The name of a task in figures: its data set, and its language or the direction of a translation."""
        return f"{self.data_sets.get(data_set, data_set)}: {' → '.join(self.languages.get(name, name) for name in languages)}"

    def lines(self, rows: pd.DataFrame, marks_of: Callable[[pd.DataFrame], Sequence[Mark]]) -> list[Line]:
        """A line of a chart for each member among the tasks of some rows."""
        by_task, lines = dict(list(rows.groupby("task"))), []
        for own in (by_task[name] for name in self.members if name in by_task):
            task = own.iloc[0]
            ends = (task.source_language, task.answer_language) if task.source_language else (task.language,)
            title = self.title_of(task.dataset, *ends)
            lines.append(Line(title, marks_of(own), keys_of(task, "dataset", "language", "variant")))
        return lines


def read_suite(names: Collection[str] = ()) -> Suite:
    """Reads the suite from the task files and the titles from the catalogue.

    If the `names` of tasks that were run have lite tasks and no member of the suite, the lite tasks are the members.
    """
    tasks = read_tasks()
    group = next((group for group in (SUITE, LITE_SUITE) if not set(tasks.groups[group]).isdisjoint(names)), SUITE)
    titles = {name: data_set.title for name, data_set in data_sets().items()}
    facts = {name: task.metadata for name, task in tasks.tasks.items()}
    paths = {
        suite: {name: (str(facts[name]["task"]), str(facts[name]["language"])) for name in tasks.groups[suite]}
        for suite in (SUITE, LITE_SUITE, chat_name(SUITE))
    }
    return Suite(
        members=paths[group],
        languages=language_names(),
        data_sets=titles | {f"{name}{AS_PUBLISHED}": f"{title}, as published" for name, title in titles.items()},
        english_labels={
            name: tasks.tasks.get(f"{name.removesuffix(lite_name(''))}_enprompt", task).labels
            for name, task in tasks.tasks.items()
        },
        suites=suites_of(tasks),
        nested=paths,
        facts=facts,
        kinds=competency_titles(),
        origins=_origins(tasks, names),
    )


def _origins(tasks: TaskList, names: Collection[str]) -> dict[str, str]:
    """The origins of the tasks in the groups of languages; a lite task does not count if its whole task was run."""
    plain = {name for group, members in tasks.groups.items() if group.startswith(language_group("")) for name in members}
    found = {name: origin_of(tasks.tasks[name].metadata) for name in plain.difference(map(lite_name, names))}
    return {name: origin for name, origin in found.items() if origin is not None}
