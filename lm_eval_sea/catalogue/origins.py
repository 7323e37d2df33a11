"""Which rows were written in their language, which were translated, and under which licence: from the catalogue alone."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.lm_eval_tasks import of_lm_eval
from lm_eval_sea.catalogue.names import competency_titles, did_you_mean, language_names, languages_like
from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.catalogue.task_list import aligned


class Coverage(NamedTuple):
    """What the pack has of one data set in one language."""

    language: str
    competency: str  # a key of `competencies.yml`
    title: str  # for SEA-HELM's tasks that of the data set, such as "XQuAD"
    tasks: str  # what their names begin with
    rows: int | None  # None if SEA-HELM's number is unknown
    origin: str  # "native", "translated" or "machine translated"
    licence: str | None
    gated: bool | None  # None: not known
    data_set: str  # its name in the pack; "sea_helm TASK" for SEA-HELM's tasks


@functools.cache
def coverage() -> list[Coverage]:
    """All data sets in all languages, first those of the catalogue, then SEA-HELM's as far as their origin is known."""
    return [*_of_data_sets(), *_of_sea_helm()]


def distinct(entries: Sequence[Coverage]) -> list[Coverage]:
    """Each data set, such as LINDSEA, once per language, however many tasks SEA-HELM makes of it."""
    return list({(entry.language, entry.competency, entry.title): entry for entry in reversed(entries)}.values())[::-1]


COLUMNS = ("tests", "data set", "rows", "origin", "licence", "login", "tasks")


def coverage_of(language: str) -> str:
    """What the pack has in a language, a line for each data set, in aligned columns; raises `ValueError` if it has nothing."""
    known, titles = language_names(), competency_titles()
    entries = [entry for entry in coverage() if entry.language == language]
    if not entries:
        advice = did_you_mean(languages_like(language)) or f"; there is {', '.join(sorted(known))}"
        raise ValueError(f"no rows in {language!r}{advice}")
    rows = [
        (
            titles[entry.competency],
            entry.title,
            "?" if entry.rows is None else f"{entry.rows:,}",
            entry.origin,
            entry.licence or "none stated",
            {True: "yes", False: "no", None: "–"}[entry.gated],
            f"{entry.tasks}…",
        )
        for entry in sorted(entries, key=lambda entry: [*titles].index(entry.competency))
    ]
    head = f"{known[language]}: {len(distinct(entries))} data sets"
    return "\n".join([head, *aligned([COLUMNS, *rows], range(len(COLUMNS))), *_of_lm_eval_in(language)])


def _of_lm_eval_in(language: str) -> Iterator[str]:
    titles = competency_titles()
    there = [each for each in of_lm_eval() if language in each.languages]
    if there:
        yield "\nlm-eval's own, which `run --language` adds:"
    for each in there:
        rows = "rows unknown" if each.rows is None else f"{each.rows:,} rows"
        yield f"{titles[each.tests]}  {each.title}  {rows}, {each.origin}, chance {100 * each.chance:g}"
        yield from (f"    {name}, {metric}" for name, metric in each.names(language).items())
        yield from textwrap.wrap(each.says, 100, initial_indent="    ", subsequent_indent="    ")


def origin_of(metadata: Mapping[str, Any]) -> str | None:
    """The origin of a task's rows, see `ORIGINS`; None if unknown."""
    data_set, language = str(metadata.get("dataset")), str(metadata.get("language"))
    name = f"{data_set} {metadata.get('task')}" if data_set == "sea_helm" else data_set
    return _origins().get((name, language))


@functools.cache
def _origins() -> dict[tuple[str, str], str]:
    return {(found.data_set, found.language): found.origin for found in coverage()}


def _of_data_sets() -> Iterator[Coverage]:
    for name, data_set in data_sets().items():
        for language, data in data_set.languages.items():
            yield Coverage(
                language=language,
                competency=data_set.task,
                title=data_set.title,
                tasks=f"sea_{name}",
                rows=data.rows,
                origin=data.origin,
                licence=data.licence,
                gated=data.gated,
                data_set=name,
            )


def _of_sea_helm() -> Iterator[Coverage]:
    for task in sea_helm().each:
        for group in task.sets:
            for language in group.languages:
                yield Coverage(
                    language=language,
                    competency=task.tests,
                    title=group.set,
                    tasks=f"sea_helm_{language}_{task.name}",
                    rows=sea_helm().tasks[task.name][language].rows,
                    origin=group.origin,
                    licence=group.licence,
                    gated=task.gated,
                    data_set=f"sea_helm {task.name}",
                )
