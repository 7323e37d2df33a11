"""The suites of the pack as task groups of oellm-eval, which runs lm-eval on clusters: a `task-groups.yaml`."""

from __future__ import annotations

import yaml

from lm_eval_sea.catalogue.names import language_group
from lm_eval_sea.catalogue.overview import suites_of
from lm_eval_sea.catalogue.task_list import TaskList

SUITE = "lm-eval-harness"
_HEAD = """\
# Task groups of lm_eval_sea for oellm-eval, written by `lm-eval-sea export oellm-task-groups`.
# Run oellm-eval with --lm_eval_include_path on the folder that `lm-eval-sea path` prints.
"""


def task_groups(listed: TaskList) -> str:
    """The content of the file: one group per suite and one per language.

    Groups whose rows are all made by the user are left out, because oellm-eval downloads data before it runs.
    """
    groups = {}
    languages = {name: members for name, members in listed.groups.items() if name.startswith(language_group(""))}
    for name, members in (suites_of(listed) | languages).items():
        on_hub = [
            {"task": task.name, "n_shots": [task.num_fewshot], "dataset": task.source.repository}
            | ({"subset": task.source.config} if task.source.config else {})
            for task in (listed.tasks[member] for member in members)
            if not task.source.is_made_by_user
        ]
        if on_hub:
            groups[name] = {"description": f"{name}: {len(on_hub)} tasks of lm_eval_sea", "suite": SUITE, "tasks": on_hub}
    return _HEAD + str(yaml.safe_dump({"task_groups": groups}, sort_keys=False))
