"""The tasks of one language that a plain run should have."""

from __future__ import annotations

from lm_eval_sea.catalogue.lm_eval_tasks import names_in
from lm_eval_sea.catalogue.names import chat_name, language_group, lite_name
from lm_eval_sea.catalogue.suites import lite_chat_tasks
from lm_eval_sea.catalogue.task_list import TaskList
from lm_eval_sea.run.request import RunError

LITE_ROWS = 100  # the most that a lite task has


def group_of_language(listed: TaskList, language: str, *, lite: bool = False, chat: bool = False) -> str:
    """The group of a language's tasks: those of SailCompass, from it and into it; Belebele; other data sets; SEA-HELM's suite.

    Args:
        listed: all there are.
        language: its code.
        lite: on a part of the rows.
        chat: with the chat tasks of the data sets.

    Raises:
        RunError: for a code that is no language with such a group.
    """
    name = language_group(language)
    if name not in listed.groups:
        raise RunError(f"--language {language}: no such language; there is {', '.join(languages(listed))}")
    return lite_name(name) if lite else chat_name(name) if chat else name


def names_of_language(listed: TaskList, language: str, *, lite: bool, chat: bool) -> list[str]:
    """What `--language` asks for: the group, or the lite tasks of its chat tasks, which no group has."""
    group = group_of_language(listed, language, lite=lite and not chat, chat=chat)
    if not (lite and chat):
        return [group]
    there = lite_chat_tasks() | set(listed.tasks)
    return [name for task in listed.select([group]) if (name := lite_name(task.name)) in there]


def names_beside(language: str, *, lite: bool, chat: bool) -> list[str]:
    """lm-eval's own tasks that `--language` runs beside the pack's; with `lite` those of no more rows than a lite task."""
    return names_in(language, chat=chat, most_rows=LITE_ROWS if lite else None)


def languages(listed: TaskList) -> list[str]:
    """The codes of the languages that have such a group."""
    start = language_group("")
    endings = (lite_name(""), chat_name(""))
    return sorted(name.removeprefix(start) for name in listed.groups if name.startswith(start) and not name.endswith(endings))
