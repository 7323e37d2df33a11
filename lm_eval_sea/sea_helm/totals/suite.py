"""The suites of SEA-HELM: which tasks make a total, and in which order."""

from __future__ import annotations

from dataclasses import dataclass

from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.catalogue.suites import read_totals
from lm_eval_sea.results.types import grouped
from lm_eval_sea.sea_helm.totals.hierarchy import Place


@dataclass(frozen=True)
class Suite:
    """The tasks of a total."""

    name: str
    version: str  # of SEA-HELM, the source of the list of tasks
    places: tuple[Place, ...]  # all tasks, in the order in which the totals draw their seeds
    base_skips: frozenset[str] = frozenset()  # names of the tasks that base models leave out
    ranked: bool = False  # whether labels are ranked instead of generated


def read_suite(name: str) -> Suite:
    """A suite of the catalogue.

    Its tasks are in the order of their first occurrence in the languages' lists; a task's languages are in the suite's order.
    """
    record = read_totals()[name]
    known = {task.key: task for task in sea_helm().each}
    groups = grouped((task.score_group, key) for key, task in known.items())  # a suite may have its name for all its tasks
    of_language = {
        language: dict.fromkeys(key for name in names for key in groups.get(name, [name]))
        for language, names in record["languages"].items()
    }
    keys = dict.fromkeys(key for keys in of_language.values() for key in keys)
    places = [
        Place(language, known[key].competency, known[key].score_group, key)
        for key in keys
        for language, members in of_language.items()
        if key in members
    ]
    return Suite(name, record["version"], tuple(places), frozenset(record["base_skips"]), record.get("ranked", False))
