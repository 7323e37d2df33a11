"""The prompts of the pack as texts: one of each kind, for people to read, and digests of all.

`python -m tests.tasks.prompt_texts` writes both anew; read what changed before you commit it. With names of data sets it prints
all prompts of those, and writes nothing.
"""

import hashlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import datasets
import pytest
import yaml
from lm_eval.api.task import Task
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.data_sets import DataSet, Language, data_sets
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.facts import facts

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "prompts"
KINDS, DIGESTS = FOLDER / "kinds.txt", FOLDER / "digests.yml"
SAMPLES = ROOT / "lm_eval_sea" / "samples"
PARALLEL = [name for name, data_set in data_sets().items() if data_set.parallel]


def render_task(task, exemplars: int) -> str:
    """The first row of a task: context, then what is scored or generated."""
    task.set_config("num_fewshot", exemplars)
    doc = next(iter(task.test_docs()))
    context = task.fewshot_context(doc, exemplars)
    requests = task.construct_requests(doc, context, metadata=(task.task_name, 0, 1))
    lines = [f"########## {task.task_name}", context]
    for request in requests if isinstance(requests, list) else [requests]:
        before, ending = request.arguments
        if before == context:
            lines.append(f"########## {ending!r}")
        else:  # calibration asks for the same answers behind other questions
            question = before[len(os.path.commonprefix([before, context])) :]
            lines.append(f"########## without content, behind …{question!r}: {ending!r}")
    return "\n".join(lines) + "\n\n"


def complete_samples(folder: Path) -> Path:
    """The samples, with the rows of one language for those without a sample, and for the translations that a user makes."""
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    for name in PARALLEL:
        parallel = data_sets()[name].parallel
        english = folder / parallel["source"] / parallel["path"].format(code="eng_Latn")
        for data in data_sets()[name].languages.values():
            path = folder / parallel["translated"] / parallel["path"].format(code=data.code)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(english, path)
    for data_set in data_sets().values():
        stand_in = _with_rows(data_set, folder)
        for data in data_set.languages.values() if stand_in else []:
            for split, path in _files_of(data).items():
                if not (folder / path).exists():
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(folder / _files_of(stand_in)[split], folder / path)
    return folder


def _with_rows(data_set: DataSet, folder: Path) -> Language | None:
    """The language whose sample stands for others: English, or of a checkout the first that has one."""
    english = data_set.languages.get("en")
    if english and (english.files or english.checkout):
        return english
    of_checkout = [data for data in data_set.languages.values() if data.checkout]
    return next((data for data in of_checkout if all((folder / path).exists() for path in _files_of(data).values())), None)


def _files_of(data: Language) -> dict[str, Path]:
    """The files of a language by split, below the folder of samples; those of a checkout where there is one."""
    place = data.checkout or {"folder": data.source, "files": data.files}
    return {split: Path(place["folder"]) / path for split, path in place["files"].items()}


def load_tasks(names: Iterable[str], folder: Path) -> list[Task]:
    """The tasks of these names on the rows of a folder."""
    names = sorted(names)
    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        loaded = manager.load(names)["tasks"]
    return [loaded[name] for name in names]


def small_chat_template(messages: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
    """What a chat model's template does, without the marks of a particular model."""
    turns = "".join(f"<{message['role']}>{message['content']}</{message['role']}>" for message in messages)
    return turns + "<assistant>" if add_generation_prompt else turns.removesuffix("</assistant>")


def render_sea_helm(task) -> str:
    """A task on its first row, as a base model sees it and as a chat model does, and what is generated up to, or scored.

    The base form has two exemplars, or as many as there are, the chat form none.
    """
    doc, texts = next(iter(task.test_docs())), []
    for form in ("base", "chat"):
        chat = {"apply_chat_template": True, "chat_template": small_chat_template} if form == "chat" else {}
        column = facts(task.config.metadata).get("exemplars_by")
        exemplars = [row for row in task.fewshot_docs() if column is None or row[column] == doc[column]]
        shots = 0 if chat or task.config.num_fewshot == 0 else min(2, len(exemplars))
        context = task.fewshot_context(doc, shots, gen_prefix=task.doc_to_prefix(doc), **chat)
        requests = task.construct_requests(doc, context, metadata=(task.task_name, 0, 1), **chat)
        requests = requests if isinstance(requests, list) else [requests]
        ends = [request.arguments[1] for request in requests if request.arguments[0] == context]
        lines = [repr(end["until"] if isinstance(end, dict) else end) for end in ends]
        texts.append("\n".join([f"########## {task.task_name}, {form}", context, *dict.fromkeys(lines)]) + "\n\n")
    return "".join(texts)


def names_of_data_sets() -> dict[str, list[str]]:
    """Data set → its tasks; but for second turns, which need a run, and lite tasks."""
    found: dict[str, list[str]] = {}
    for name, task in sorted(read_tasks().tasks.items()):
        if task.metadata.get("setting") != "lite" and not name.endswith("_turn_2"):
            found.setdefault(task.metadata["dataset"], []).append(name)
    return found


def names_of_kinds() -> list[str]:
    """A task of each kind, in Thai where there is one: what has the same variant and setting, on rows of the same kind."""
    kinds: dict[tuple, str] = {}
    for name in (name for names in names_of_data_sets().values() for name in names):
        told = read_tasks().tasks[name].metadata
        of = "sea_helm" if told["dataset"] == "sea_helm" else data_sets()[told["dataset"]].kind
        kind = of, told["variant"], told.get("setting")
        if kind not in kinds or (told["language"] == "th" and read_tasks().tasks[kinds[kind]].metadata["language"] != "th"):
            kinds[kind] = name
    return list(kinds.values())


def texts_of(tasks: Iterable[Task], *, exemplars: int = 9) -> dict[str, str]:
    """Task → its text, with as many exemplars as it has by default but no more than `exemplars`."""
    return {
        task.task_name: render_sea_helm(task)
        if task.task_name.startswith("sea_helm_")
        else render_task(task, min(exemplars, task.config.num_fewshot or 0))
        for task in tasks
    }


def digests_of(texts: dict[str, str]) -> dict[str, str]:
    """Language → a digest of all texts of its tasks."""
    whole: dict[str, str] = {}
    for task, text in sorted(texts.items()):
        language = read_tasks().tasks[task].metadata["language"]
        whole[language] = whole.get(language, "") + text
    return {language: hashlib.sha256(text.encode()).hexdigest()[:16] for language, text in sorted(whole.items())}


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as made:
        rows = complete_samples(Path(made))
        for data_set in sys.argv[1:]:
            sys.stdout.writelines(texts_of(load_tasks(names_of_data_sets()[data_set], rows)).values())
        if not sys.argv[1:]:
            kinds = texts_of(load_tasks(names_of_kinds(), rows), exemplars=1).values()
            KINDS.write_text("".join(kinds), encoding="utf-8", newline="\n")
            digests = {name: digests_of(texts_of(load_tasks(names, rows))) for name, names in names_of_data_sets().items()}
            DIGESTS.write_text(yaml.safe_dump(digests), encoding="utf-8")
