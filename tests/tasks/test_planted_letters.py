"""The right letter or label counts however an answer begins and ends, in tasks that have it written: whole runs.

`test_prompts.py` asks it of all tasks.
"""

import functools
import itertools
from collections.abc import Mapping

import lm_eval
from lm_eval.api.task import Task
from lm_eval.models.utils import postprocess_generated_text
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.task_list import read_tasks

from .evaluation import TASKS
from .planted_model import PlantedModel

# {} is the right letter or label, {cue} what asks for it at the end of the prompt.
FORMS = ["{}", "\n{}", "  {}", "{}.", " {}\n", "\n\n  {}.\n\n", "{cue}\n{}"]
WRITTEN = ("litilo_gen", "labels", "phenomena", "minimal_pairs")


class LetterModel(PlantedModel):
    """Knows each row's right letter or label, writes something of it, and is cut at the stop strings as lm-eval cuts."""

    def __init__(self, write):
        """`write` gets the label and the cue."""
        super().__init__()
        self._write = write

    def generate_until(self, requests):
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        self.requests.append(request.args)
        doc = request.doc
        scoring = doc["scoring"]
        label = doc["label"] if "label" in doc else (doc.get("letters") or scoring["label_words"])[doc["gold"]]
        text = self._write(label, scoring["answer_cue"] if "answer_cue" in scoring else scoring["answer_tag"])
        return postprocess_generated_text(text, request.args[1]["until"], None)


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
    for write in (lambda label, cue: next(forms).format(label, cue=cue), lambda label, cue: "\n?"):
        results = lm_eval.evaluate(LetterModel(write), {"tasks": dict(tasks)}, limit=2, bootstrap_iters=0)["results"]
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
