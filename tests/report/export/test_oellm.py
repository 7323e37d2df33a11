"""Suites as task groups of oellm-eval."""

import yaml

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main


def test_groups_have_what_oellm_eval_needs(capsys):
    """Its documentation: a group has description, suite and tasks; a task its name, numbers of exemplars and data set."""
    assert main(["export", "oellm-task-groups"]) == 0
    groups = yaml.safe_load(capsys.readouterr().out)["task_groups"]
    listed = read_tasks()
    assert {"sea_sailcompass", "sea_lite", "sea_language_th", "sea_helm_th"} <= set(groups)
    for group in groups.values():
        assert set(group) == {"description", "suite", "tasks"}
        assert group["suite"] == "lm-eval-harness"
        for task in group["tasks"]:
            assert set(task) - {"subset"} == {"task", "n_shots", "dataset"}
            assert task["task"] in listed.tasks
            assert task["dataset"].count("/") == 1
    tasks = {task["task"]: task for task in groups["sea_sailcompass"]["tasks"]}
    assert set(tasks) == set(listed.groups["sea_sailcompass"])
    assert tasks["sea_xnli_th"]["n_shots"] == [3]
    assert tasks["sea_thaisum_th"]["n_shots"] == [1]
