"""The task files as lm-eval finds them, and what holds for a task of each kind; `test_prompts.py` asks the same of all others.

That is what lm-eval's own test-suite (tests/test_tasks.py) asks for, and that the right letter counts however an answer begins.
"""

import functools
import re
import unicodedata
from collections.abc import Mapping
from itertools import cycle, islice

import lm_eval
import pytest
from lm_eval.api.task import Task
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.facts import facts

from .evaluation import TASKS, draw_few_resamples
from .planted_model import RowModel, right_of

LISTED = read_tasks()
FILES = sorted(TASKS.rglob("*.yaml"))


def test_every_task_says_what_a_report_needs(everything):
    needed = {"version", "dataset", "language", "task", "variant", "prompt_language", "prompt_book_version"}
    needed |= {"data_source", "rows", "chance", "headline_metric"}
    for path in FILES[:: 1 if everything else 10]:
        content = load_yaml(path, resolve_func=False)
        assert content["metadata"]["version"], path
        assert "group" in content or needed <= set(facts(content["metadata"])), path


def test_every_file_is_registered_under_a_name_of_its_own(manager):
    """lm-eval skips a file that it cannot read without a word."""
    assert {entry.yaml_path for entry in manager.task_index.values() if entry.yaml_path} == set(FILES)
    assert not set(manager.all_tags) & (set(manager.all_groups) | set(manager.all_subtasks))


def test_text_files_are_nfc_utf8_without_trailing_blanks_and_the_functions_that_they_name_are_there(everything):
    for number, path in enumerate([*FILES, *TASKS.rglob("*_yaml")]):
        text = path.read_bytes().decode("utf-8")
        assert text == unicodedata.normalize("NFC", text), path
        assert "\r" not in text
        assert not re.search(r"[ \t]+$", text, re.MULTILINE), path
        if (everything or number % 10 == 0) and (path.suffix or path.name.startswith("_")):
            load_yaml(path, resolve_func=True)


ROWS = 3
FOLDERS = sorted(path.parent.name for path in TASKS.glob("*/data_set.yml"))


@pytest.mark.parametrize("data_set", FOLDERS)
def test_a_task_of_each_kind_keeps_the_conventions_of_lm_eval(data_set, folder, monkeypatch):
    """Of the tasks that are made by the same template from the rows of the same data set.

    A second turn reads the samples of a run of the first, which no check of a task alone has; a lite task wants real rows.
    """
    manager, kinds = TaskManager(include_path=str(TASKS / data_set), include_defaults=False), {}
    monkeypatch.chdir(folder)
    for name in sorted(manager.all_subtasks):
        metadata = manager.task_index[name].cfg["metadata"]
        if metadata.get("setting") != "lite" and not name.endswith("_turn_2"):
            kinds.setdefault((metadata["variant"], metadata.get("setting"), metadata.get("sea_helm_task")), name)
    assert kinds
    for name in kinds.values():
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


# {} is the right letter or label, {cue} what asks for it at the end of the prompt.
FORMS = ["{}", "\n{}", "  {}", "{}.", " {}\n", "\n\n  {}.\n\n", "{cue}\n{}"]
WRITTEN = ("litilo_gen", "labels", "phenomena", "minimal_pairs")


def cue_of(row: dict) -> str:
    return row["scoring"]["answer_cue"] if "answer_cue" in row["scoring"] else row["scoring"]["answer_tag"]


@functools.cache
def written_tasks() -> list[str]:
    """All tasks whose answer is a letter or label that the model writes; lite ones are these on some of the rows."""
    lite = set(LISTED.tags["sea_setting_lite"])
    return [name for name, task in LISTED.tasks.items() if _is_written(task.metadata) and name not in lite]


def _is_written(metadata) -> bool:
    if metadata["variant"] == "chat":
        return data_sets()[metadata["dataset"]].kind in ("mcq", "classification")
    return metadata["variant"] in WRITTEN


def misread(tasks: Mapping[str, Task]) -> dict[str, list[float]]:
    """Tasks in which the right label does not always count, each answer in the next form, or another text anywhere.

    Of each, the headline score and the share of answers that are read as none, with right answers and with others.
    """
    forms, found = cycle(FORMS), {name: [] for name in tasks}
    for write in (lambda row: next(forms).format(right_of(row), cue=cue_of(row)), lambda row: "\n?"):
        results = lm_eval.evaluate(RowModel(write), {"tasks": dict(tasks)}, limit=2, bootstrap_iters=0)["results"]
        for name, scores in found.items():
            headline = LISTED.tasks[name].metadata["headline_metric"]
            scores += [results[name][f"{headline},none"], results[name]["null_rate,none"]]
    return {name: scores for name, scores in found.items() if scores != [1.0, 0.0, 0.0, 1.0]}


def test_the_right_label_counts_in_any_form_and_another_text_nowhere(folder, manager, monkeypatch):
    """In a task of each data set, and of each language."""
    found = {}
    for name in reversed(written_tasks()):
        told = LISTED.tasks[name].metadata
        if "-" not in told["language"]:
            found |= dict.fromkeys((told["dataset"], told["language"]), name)
    assert len(set(found.values())) > 30
    monkeypatch.chdir(folder)
    tasks = manager.load(list(dict.fromkeys(found.values())))["tasks"]
    draw_few_resamples(monkeypatch)
    assert misread(tasks) == {}
