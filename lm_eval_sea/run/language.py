"""The tasks of one language that a plain run should have."""

from __future__ import annotations

from lm_eval_sea.catalogue.task_list import TaskList
from lm_eval_sea.run.request import RunError

SUITE = "sea_sailcompass"
# Belebele in the recommended variant, for languages that the suite lacks, too; some have prompts in English only.
READING = ("sea_belebele_{}_to_ppl", "sea_belebele_{}_to_ppl_enprompt")
HELM = "sea_helm_{}"


def tasks_of_language(listed: TaskList, language: str) -> list[str]:
    """Names for `--tasks`: the tasks of SailCompass in the language, from it and into it; Belebele; SEA-HELM's suite.

    Args:
        listed: what there is.
        language: its code, such as "th".

    Raises:
        RunError: for a language that has none of them.
    """
    names = [name for name in listed.groups[SUITE] if listed.tasks[name].metadata["language"] == language]
    reading = next((name for each in READING if (name := each.format(language)) in listed.tasks), None)
    names += [reading] if reading is not None and reading not in names else []
    names += [name for name in [HELM.format(language)] if name in listed.groups]
    if not names:
        raise RunError(f"--language {language}: no such language; there is {', '.join(languages(listed))}")
    return names


def languages(listed: TaskList) -> list[str]:
    """The codes of the languages that have tasks of their own."""
    return sorted({str(task.metadata["language"]) for task in listed.tasks.values() if "-" not in str(task.metadata["language"])})
