"""What lm-eval's own test-suite asks of a task (its tests/test_tasks.py), on the sample rows: of a task of each kind.

`test_prompts.py` asks it of all others.
"""

from __future__ import annotations

from itertools import islice

import pytest
from lm_eval.tasks import TaskManager

from .evaluation import TASKS

ROWS = 3
FOLDERS = sorted(path.parent.name for path in TASKS.glob("*/data_set.yml"))


def tasks_by_kind(manager: TaskManager) -> dict[tuple, list[str]]:
    """The names of the tasks that are made by the same template from the rows of the same data set.

    A second turn reads the samples of a run of the first, which no check of a task alone has; a lite task wants real rows.
    """
    kinds: dict[tuple, list[str]] = {}
    for name in sorted(manager.all_subtasks):
        metadata = manager.task_index[name].cfg["metadata"]
        if metadata.get("setting") != "lite" and not name.endswith("_turn_2"):
            kind = metadata["variant"], metadata.get("setting"), metadata.get("sea_helm_task")
            kinds.setdefault(kind, []).append(name)
    return kinds


@pytest.mark.parametrize("data_set", FOLDERS)
def test_a_task_of_each_kind_keeps_the_conventions_of_lm_eval(data_set, folder, monkeypatch):
    manager = TaskManager(include_path=str(TASKS / data_set), include_defaults=False)
    monkeypatch.chdir(folder)
    kinds = tasks_by_kind(manager)
    assert kinds
    for name, *_ in kinds.values():
        check(manager.load(name)["tasks"][name])


def check(task) -> None:
    task.download(task.config.dataset_kwargs)
    for split in ("training", "validation", "test"):
        assert not getattr(task, f"has_{split}_docs")() or getattr(task.config, f"{split}_split") is not None
    assert task.has_test_docs()
    assert not task.should_decontaminate() or task.config.doc_to_decontamination_query is not None

    docs = list(islice(task.test_docs(), ROWS))
    assert docs, task.task_name
    ranked = task.OUTPUT_TYPE == "multiple_choice"
    for doc in docs:
        text = task.doc_to_text(doc)
        assert not (text[-1:].isspace() and task.config.target_delimiter.isspace()), "a blank follows the question"
        choices, target = task.doc_to_choice(doc) if ranked else [""], task.doc_to_target(doc)
        assert all(isinstance(choice, str) for choice in choices)
        assert not ranked or isinstance(target, (int, str)) or all(isinstance(place, int) for place in target)
        made = task.construct_requests(doc=doc, ctx=text)  # without the keyword `metadata`
        assert len(made if isinstance(made, list) else [made]) >= len(choices)

    task.build_all_requests(limit=1, rank=0, world_size=1)
    assert {instance.doc_id for instance in task.instances} == {0}, task.task_name
