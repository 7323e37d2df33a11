"""What lm-eval's own test-suite asks of a task (its tests/test_tasks.py), asked of the tasks of the pack on the sample rows."""

from __future__ import annotations

from itertools import islice

import pytest
from lm_eval.tasks import TaskManager

from .evaluation import TASKS
from .prompt_texts import complete_samples

ROWS = 3
MANAGER = TaskManager(include_path=str(TASKS), include_defaults=False)


def _metadata(name: str) -> dict:
    return MANAGER.task_index[name].cfg["metadata"]


def _kind(name: str) -> tuple:
    """Tasks with equal kinds are made by the same template from the rows of the same data set."""
    metadata = _metadata(name)
    return metadata["dataset"], metadata["variant"], metadata.get("setting"), metadata.get("sea_helm_task")


# A second turn reads the samples of a run of the first, which no check of a task alone has; a lite task wants real rows.
SUBTASKS = sorted(
    name for name in MANAGER.all_subtasks if not name.endswith("_turn_2") and _metadata(name).get("setting") != "lite"
)
ONE_OF_A_KIND = {_kind(name): name for name in SUBTASKS}
NAMES = [name if ONE_OF_A_KIND[_kind(name)] == name else pytest.param(name, marks=pytest.mark.slow) for name in SUBTASKS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The samples with stand-ins for the languages without."""
    return complete_samples(tmp_path_factory.mktemp("samples"))


def test_one_of_a_kind_is_of_every_data_set():
    assert {_metadata(name)["dataset"] for name in SUBTASKS} == {kind[0] for kind in ONE_OF_A_KIND}
    assert len(ONE_OF_A_KIND) > 50


@pytest.mark.parametrize("name", NAMES)
def test_a_task_keeps_the_conventions_of_lm_eval(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    task = MANAGER.load(name)["tasks"][name]
    task.download(task.config.dataset_kwargs)
    assert task.dataset is not None
    for split in ("training", "validation", "test"):
        has = getattr(task, f"has_{split}_docs")()
        assert has in (True, False)
        assert not has or getattr(task.config, f"{split}_split") is not None
    assert task.has_test_docs()
    assert not task.should_decontaminate() or task.config.doc_to_decontamination_query is not None

    docs = list(islice(task.test_docs(), ROWS))
    assert docs
    ranked = task.OUTPUT_TYPE == "multiple_choice"
    for doc in docs:
        text = task.doc_to_text(doc)
        assert isinstance(text, str)
        # a blank follows between question and answer
        assert not (text[-1:].isspace() and task.config.target_delimiter.isspace())
        target = task.doc_to_target(doc)
        if ranked:
            choices = task.doc_to_choice(doc)
            assert isinstance(choices, list)
            assert all(isinstance(choice, str) for choice in choices)
            assert isinstance(target, (int, str)) or all(isinstance(place, int) for place in target)
        made = task.construct_requests(doc=doc, ctx=text)  # without the keyword `metadata`
        requests = made if isinstance(made, list) else [made]
        assert len(requests) >= (len(choices) if ranked else 1)

    task.build_all_requests(limit=1, rank=0, world_size=1)
    assert {instance.doc_id for instance in task.instances} == {0}
