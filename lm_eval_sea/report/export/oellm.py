"""The suites of the pack as task groups of oellm-eval, which runs lm-eval on clusters: a `task-groups.yaml`."""

from __future__ import annotations

from typing import Any

import yaml

from lm_eval_sea.catalogue.names import language_group
from lm_eval_sea.catalogue.overview import suites_of
from lm_eval_sea.catalogue.task_list import TaskList, TaskRecord

SUITE = "lm-eval-harness"
_HEAD = """\
# Task groups of lm_eval_sea for oellm-eval, written by `lm-eval-sea export oellm-task-groups`.
# Run oellm-eval with --lm_eval_include_path on the folder that `lm-eval-sea path` prints.
"""


def task_groups(listed: TaskList) -> str:
    """The content of the file: one group per suite and one per language.

    Groups whose rows are all made by the user are left out, for oellm-eval downloads data before it runs.
    """
    languages = {name: listed.groups[name] for name in listed.groups if name.startswith(language_group(""))}
    groups = {
        name: _group(name, [listed.tasks[task] for task in tasks]) for name, tasks in (suites_of(listed) | languages).items()
    }
    return _HEAD + str(
        yaml.safe_dump({"task_groups": {name: group for name, group in groups.items() if group["tasks"]}}, sort_keys=False)
    )


def _group(name: str, tasks: list[TaskRecord]) -> dict[str, Any]:
    on_hub = [
        {"task": task.name, "n_shots": [task.num_fewshot], "dataset": task.source.repository}
        | ({"subset": task.source.config} if task.source.config else {})
        for task in tasks
        if not task.source.is_made_by_user
    ]
    return {"description": f"{name}: {len(on_hub)} tasks of lm_eval_sea", "suite": SUITE, "tasks": on_hub}
