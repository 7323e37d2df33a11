"""What the pack has at a glance: suites, languages, data sets and variants, with counts."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable

from lm_eval_sea.catalogue.names import language_group
from lm_eval_sea.catalogue.task_list import TaskList, TaskRecord, aligned

WIDTH = 100  # of a terminal
_ADVICE = """\
Pass any suite, group, tag or task to --tasks. To see more:
  lm-eval-sea ls th                     names that contain this
  lm-eval-sea ls 'sea_*_th_to_ppl'      names that match a glob (quote it, or the shell expands it)
  lm-eval-sea ls sea_sailcompass        the tasks of a suite, group or tag
  lm-eval-sea ls '*'                    all"""


def overview(listed: TaskList) -> str:
    """Lines of text, at most `WIDTH` wide except for very long names."""
    tasks, tags = list(listed.tasks.values()), set(listed.tags)
    suites = [
        (name, str(len(members)), _joined(_languages(listed.tasks[member] for member in members)))
        for name, members in suites_of(listed).items()
    ]
    blocks = [
        f"{len(tasks)} tasks, {len(listed.groups)} groups, {len(listed.tags)} tags",
        _block(("suite", "tasks", "languages"), suites),
        _block(
            ("language", "tasks", "tag"),
            _counted(tasks, _language, lambda code, _: tag if (tag := f"sea_{code}") in tags else ""),
        ),
        _block(("data set", "tasks", "languages"), _counted(tasks, _dataset, lambda _, of: _joined(_languages(of)))),
        _block(
            ("variant", "tasks", "data sets"),
            _counted(tasks, lambda task: str(task.metadata["variant"]), lambda _, of: _joined(map(_dataset, of))),
        ),
        _ADVICE,
    ]
    return "\n\n".join(blocks)


def suites_of(listed: TaskList) -> dict[str, list[str]]:
    """The groups of more than one kind of task, except those of a language and parts of a larger one: name → tasks."""

    def kinds(members: Iterable[str]) -> set[tuple[str, str]]:
        return {(_dataset(listed.tasks[name]), listed.tasks[name].metadata["task"]) for name in members}

    named = {name: members for name, members in listed.groups.items() if not name.startswith(language_group(""))}
    several = {name: members for name, members in named.items() if len(kinds(members)) > 1}
    return {
        name: members for name, members in several.items() if not any(set(members) < set(others) for others in several.values())
    }


def _dataset(task: TaskRecord) -> str:
    return str(task.metadata["dataset"])


def _language(task: TaskRecord) -> str:
    language = str(task.metadata["language"])
    return "two languages" if "-" in language else language


def _languages(tasks: Iterable[TaskRecord]) -> Iterable[str]:
    return sorted({part for task in tasks for part in str(task.metadata["language"]).split("-")})


def _counted(
    tasks: Iterable[TaskRecord], key: Callable[[TaskRecord], str], describe: Callable[[str, list[TaskRecord]], str]
) -> list[tuple[str, str, str]]:
    """Name, number of tasks and description of each group by `key`, the largest first."""
    found: dict[str, list[TaskRecord]] = defaultdict(list)
    for task in tasks:
        found[key(task)].append(task)
    ordered = sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [(name, str(len(of)), describe(name, of)) for name, of in ordered]


def _joined(names: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(names))


def _block(head: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> str:
    lines = aligned([head, *rows], left=(0, 2))
    indent = " " * lines[0].rindex(head[2])
    return "\n".join(textwrap.fill(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) for line in lines)
