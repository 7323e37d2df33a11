"""The right letter or label counts however an answer begins and ends, in every task that has it written: whole runs."""

import itertools

import lm_eval
import pytest
from lm_eval.models.utils import postprocess_generated_text
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.task_list import read_tasks

from .evaluation import TASKS
from .planted_model import PlantedModel
from .prompt_texts import complete_samples

# {} is the right letter or label, {cue} what asks for it at the end of the prompt.
FORMS = ["{}", "\n{}", "  {}", "{}.", " {}\n", "\n\n  {}.\n\n", "{cue}\n{}"]
WRITTEN = ("litilo_gen", "chat", "labels", "phenomena", "minimal_pairs")


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
        label = doc["letters"][doc["gold"]] if "letters" in doc else doc["label"]
        scoring = doc["scoring"]
        text = self._write(label, scoring["answer_cue"] if "answer_cue" in scoring else scoring["answer_tag"])
        return postprocess_generated_text(text, request.args[1]["until"], None)


def written_tasks() -> list[str]:
    """All tasks whose answer is a letter or label that the model writes; lite ones are these on some of the rows."""
    listed = read_tasks()
    lite = set(listed.tags["sea_setting_lite"])
    return [name for name, task in listed.tasks.items() if task.metadata["variant"] in WRITTEN and name not in lite]


def one_of_each() -> list[str]:
    """One of them for each data set and language."""
    tasks = read_tasks().tasks
    keys = {name: (tasks[name].metadata["dataset"], tasks[name].metadata["language"]) for name in written_tasks()}
    return list({key: name for name, key in reversed(keys.items()) if "-" not in key[1]}.values())


@pytest.mark.parametrize("names", [one_of_each, pytest.param(written_tasks, marks=pytest.mark.slow)])
def test_the_right_label_counts_in_any_form_and_another_text_nowhere(names, tmp_path):
    """Of one task for each data set and language in every form; of all tasks in one form after the other."""
    names, tasks = names(), read_tasks().tasks
    assert len(names) > 30
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(complete_samples(tmp_path))
        loaded = manager.load(names)
    in_turn = itertools.cycle(FORMS)
    writers = [lambda label, cue, form=form: form.format(label, cue=cue) for form in FORMS]
    if len(names) > 200:
        writers = [lambda label, cue: next(in_turn).format(label, cue=cue)]
    for write, expected in [*((writer, (1.0, 0.0)) for writer in writers), (lambda label, cue: "\n?", (0.0, 1.0))]:
        results = lm_eval.evaluate(LetterModel(write), loaded, limit=2, bootstrap_iters=0)["results"]
        assert results.keys() >= loaded["tasks"].keys()
        found = {
            name: (results[name][f"{tasks[name].metadata['headline_metric']},none"], results[name]["null_rate,none"])
            for name in loaded["tasks"]
        }
        assert {name: score for name, score in found.items() if score != expected} == {}
