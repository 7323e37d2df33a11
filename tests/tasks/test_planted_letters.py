"""The right letter or label counts however an answer begins and ends, in every task that has it written: whole runs."""

import functools
import itertools
from pathlib import Path

import lm_eval
import pytest
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
    """One of them for each data set and language."""
    tasks = read_tasks().tasks
    keys = {name: (tasks[name].metadata["dataset"], tasks[name].metadata["language"]) for name in written_tasks()}
    return list({key: name for name, key in reversed(keys.items()) if "-" not in key[1]}.values())


@functools.cache
def loaded(names: tuple[str, ...], folder: Path) -> dict:
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return manager.load(list(names))


def wrong_scores(names, folder, write, expected) -> dict[str, tuple[float, float]]:
    """Task → headline score and share of answers that are read as none, where they are not as expected."""
    results = lm_eval.evaluate(LetterModel(write), loaded(tuple(names), folder), limit=2, bootstrap_iters=0)["results"]
    headlines = {name: read_tasks().tasks[name].metadata["headline_metric"] for name in names}
    found = {name: (results[name][f"{headlines[name]},none"], results[name]["null_rate,none"]) for name in names}
    return {name: scores for name, scores in found.items() if scores != expected}


def test_the_right_label_counts_in_any_form_and_another_text_nowhere(folder):
    """Each answer has the next form."""
    names, forms = one_of_each(), itertools.cycle(FORMS)
    assert len(names) > 30
    assert wrong_scores(names, folder, lambda label, cue: next(forms).format(label, cue=cue), (1.0, 0.0)) == {}
    assert wrong_scores(names, folder, lambda label, cue: "\n?", (0.0, 1.0)) == {}


@pytest.mark.slow
def test_every_form_in_every_task(folder):
    names, forms = written_tasks(), itertools.cycle(FORMS)
    assert wrong_scores(names, folder, lambda label, cue: next(forms).format(label, cue=cue), (1.0, 0.0)) == {}
    assert wrong_scores(names, folder, lambda label, cue: "\n?", (0.0, 1.0)) == {}
