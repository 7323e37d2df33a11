"""Every prompt of the pack as a text that people can read: one file a data set beside this module, or one a language.

`python -m tests.tasks.prompt_texts` writes the files anew, with names of data sets those of them; read what changed before you
commit it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.data_sets import Language, data_sets
from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.facts import facts

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "prompts"
SAMPLES = ROOT / "lm_eval_sea" / "samples"
PARALLEL = [name for name, data_set in data_sets().items() if data_set.parallel]
BY_LANGUAGE = ("belebele", "sib200")


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
    """The samples, with the English rows in place of the languages without a sample and of the translations that a user makes."""
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    for name in PARALLEL:
        parallel, languages = data_sets()[name].parallel, data_sets()[name].languages
        paths = [parallel["path"].format(code=data.code) for data in languages.values()]
        english = folder / parallel["source"] / parallel["path"].format(code="eng_Latn")
        for path in paths:
            for source in (parallel["source"], parallel["translated"]):
                (folder / source / path).parent.mkdir(parents=True, exist_ok=True)
                if not (folder / source / path).exists():
                    shutil.copy(english, folder / source / path)
    for data_set in data_sets().values():
        english = data_set.languages.get("en")
        for data in data_set.languages.values() if english and (english.files or english.checkout) else []:
            for split, path in _files_of(data).items():
                if not (folder / path).exists():
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(folder / _files_of(english)[split], folder / path)
    return folder


def _files_of(data: Language) -> dict[str, Path]:
    """The files of a language by split, below the folder of samples; those of a checkout where there is one."""
    place = data.checkout or {"folder": data.source, "files": data.files}
    return {split: Path(place["folder"]) / path for split, path in place["files"].items()}


def load_tasks(beginning: str, folder: Path = SAMPLES) -> list:
    """The tasks whose names begin so, on the rows of a folder; but for second turns, which need a run, and lite tasks."""
    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False)
    left_out = set(read_tasks().tags["sea_setting_lite"])
    names = [task for task in manager.all_subtasks if task.startswith(beginning) and not task.endswith("_turn_2")]
    names = [task for task in names if task not in left_out]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        tasks = manager.load(names)["tasks"]
    return [tasks[task] for task in names]


def render_data_set(name: str) -> str:
    """All tasks of a data set on the bundled samples, with their default exemplars."""
    with tempfile.TemporaryDirectory() as folder:
        return "".join(
            render_task(task, task.config.num_fewshot) for task in load_tasks(f"sea_{name}_", complete_samples(Path(folder)))
        )


def render_languages(name: str) -> dict[str, str]:
    """All tasks of a data set by language, with one exemplar if they have any; pairs stand with the other language."""
    texts = dict.fromkeys(data_sets()[name].languages, "")
    with tempfile.TemporaryDirectory() as folder:
        for task in load_tasks(f"sea_{name}_", complete_samples(Path(folder))):
            language = task.config.metadata["language"].replace("en-", "").replace("-en", "")
            texts[language] += render_task(task, min(1, task.config.num_fewshot))
    return texts


def small_chat_template(messages: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
    """What a chat model's template does, without the marks of a particular model."""
    turns = "".join(f"<{message['role']}>{message['content']}</{message['role']}>" for message in messages)
    return turns + "<assistant>" if add_generation_prompt else turns.removesuffix("</assistant>")


def render_sea_helm(language: str) -> str:
    """Every task of a language on the first sample: as a base model sees it, and as a chat model does.

    The base form has two exemplars, or as many as there are, the chat form none; then what is generated up to, or scored.
    """
    texts = []
    for task in load_tasks(f"sea_helm_{language}_"):
        doc = next(iter(task.test_docs()))
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


def prompt_files(name: str) -> dict[Path, str]:
    """Where the prompts of a data set, or of SEA-HELM, are stored, and what should stand there."""
    if name == "sea_helm":
        return {FOLDER / name / f"{language}.txt": render_sea_helm(language) for language in sea_helm().languages}
    if name in BY_LANGUAGE:
        return {FOLDER / name / f"{language}.txt": text for language, text in render_languages(name).items()}
    return {FOLDER / f"{name}.txt": render_data_set(name)}


if __name__ == "__main__":
    for data_set in sys.argv[1:] or (*data_sets(), "sea_helm"):
        for path, text in prompt_files(data_set).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
