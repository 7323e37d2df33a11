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
from .prompt_texts import complete_samples

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
def loaded(names: tuple[str, ...], mirror: Path) -> dict:
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(mirror)
        return manager.load(list(names))


def wrong_scores(names, mirror, write, expected) -> dict[str, tuple[float, float]]:
    """Task → headline score and share of answers that are read as none, where they are not as expected."""
    results = lm_eval.evaluate(LetterModel(write), loaded(tuple(names), mirror), limit=2, bootstrap_iters=0)["results"]
    headlines = {name: read_tasks().tasks[name].metadata["headline_metric"] for name in names}
    found = {name: (results[name][f"{headlines[name]},none"], results[name]["null_rate,none"]) for name in names}
    return {name: scores for name, scores in found.items() if scores != expected}


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    return complete_samples(tmp_path_factory.mktemp("hub"))


@pytest.mark.parametrize("form", FORMS)
def test_the_right_label_counts_in_any_form(form, mirror):
    assert len(one_of_each()) > 30
    assert wrong_scores(one_of_each(), mirror, lambda label, cue: form.format(label, cue=cue), (1.0, 0.0)) == {}


def test_another_text_counts_nowhere(mirror, everything):
    names = written_tasks() if everything else one_of_each()
    assert wrong_scores(names, mirror, lambda label, cue: "\n?", (0.0, 1.0)) == {}


@pytest.mark.slow
def test_the_right_label_counts_in_every_task(mirror):
    """Each answer has the next form."""
    forms = itertools.cycle(FORMS)
    assert wrong_scores(written_tasks(), mirror, lambda label, cue: next(forms).format(label, cue=cue), (1.0, 0.0)) == {}
