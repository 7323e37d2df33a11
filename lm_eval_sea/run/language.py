"""The tasks of one language that a plain run should have."""

from __future__ import annotations

from lm_eval_sea.catalogue.names import language_group, lite_name
from lm_eval_sea.catalogue.task_list import TaskList
from lm_eval_sea.run.request import RunError


def group_of_language(listed: TaskList, language: str, *, lite: bool = False) -> str:
    """The group of a language's tasks: those of SailCompass, from it and into it; Belebele; other data sets; SEA-HELM's suite.

    Raises:
        RunError: for a code that is no language with such a group.
    """
    name = language_group(language)
    if name not in listed.groups:
        raise RunError(f"--language {language}: no such language; there is {', '.join(languages(listed))}")
    return lite_name(name) if lite else name


def languages(listed: TaskList) -> list[str]:
    """The codes of the languages that have such a group."""
    start = language_group("")
    return sorted(
        name.removeprefix(start) for name in listed.groups if name.startswith(start) and not name.endswith(lite_name(""))
    )
