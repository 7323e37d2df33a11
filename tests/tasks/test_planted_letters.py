"""The right letter or label counts however an answer begins and ends, in tasks that have it written: whole runs.

`test_prompts.py` asks it of all tasks.
"""

import functools
import itertools
from collections.abc import Mapping

import lm_eval
from lm_eval.api.task import Task
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.task_list import read_tasks

from .evaluation import TASKS
from .planted_model import RowModel

# {} is the right letter or label, {cue} what asks for it at the end of the prompt.
FORMS = ["{}", "\n{}", "  {}", "{}.", " {}\n", "\n\n  {}.\n\n", "{cue}\n{}"]
WRITTEN = ("litilo_gen", "labels", "phenomena", "minimal_pairs")


def right_of(row: dict) -> str:
    return row["label"] if "label" in row else (row.get("letters") or row["scoring"]["label_words"])[row["gold"]]


def cue_of(row: dict) -> str:
    return row["scoring"]["answer_cue"] if "answer_cue" in row["scoring"] else row["scoring"]["answer_tag"]


@functools.cache
def written_tasks() -> list[str]:
    """All tasks whose answer is a letter or label that the model writes; lite ones are these on some of the rows."""
    listed = read_tasks()
    lite = set(listed.tags["sea_setting_lite"])
    return [name for name, task in listed.tasks.items() if _is_written(task.metadata) and name not in lite]


def _is_written(metadata) -> bool:
    if metadata["variant"] == "chat":
        return data_sets()[metadata["dataset"]].kind in ("mcq", "classification")
    return metadata["variant"] in WRITTEN


def one_of_each() -> list[str]:
    """One of them for each data set, and for each language."""
    found = {}
    for name in reversed(written_tasks()):
        told = read_tasks().tasks[name].metadata
        if "-" not in told["language"]:
            found |= dict.fromkeys((told["dataset"], told["language"]), name)
    return list(dict.fromkeys(found.values()))


def misread(tasks: Mapping[str, Task]) -> dict[str, list[float]]:
    """Tasks in which the right label does not always count, each answer in the next form, or another text anywhere.

    Of each, the headline score and the share of answers that are read as none, with right answers and with others.
    """
    forms, found = itertools.cycle(FORMS), {name: [] for name in tasks}
    for write in (lambda row: next(forms).format(right_of(row), cue=cue_of(row)), lambda row: "\n?"):
        results = lm_eval.evaluate(RowModel(write), {"tasks": dict(tasks)}, limit=2, bootstrap_iters=0)["results"]
        for name, scores in found.items():
            headline = read_tasks().tasks[name].metadata["headline_metric"]
            scores += [results[name][f"{headline},none"], results[name]["null_rate,none"]]
    return {name: scores for name, scores in found.items() if scores != [1.0, 0.0, 0.0, 1.0]}


def test_the_right_label_counts_in_any_form_and_another_text_nowhere(folder, monkeypatch):
    names = one_of_each()
    assert len(names) > 30
    monkeypatch.chdir(folder)
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})
    assert misread(manager.load(names)["tasks"]) == {}
