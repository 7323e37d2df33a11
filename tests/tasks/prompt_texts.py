"""Every prompt of the pack as a text that people can read: one file a data set, of SEA-HELM one a language, beside this module.

`python -m tests.tasks.prompt_texts` writes the files anew; read what changed before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from lm_eval.tasks import TaskManager

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "prompts"
CATALOGUE = yaml.safe_load((ROOT / "lm_eval_sea" / "catalogue.yaml").read_text(encoding="utf-8"))
SEA_HELM = yaml.safe_load((ROOT / "lm_eval_sea" / "sea_helm.yaml").read_text(encoding="utf-8"))


def render_task(task) -> str:
    """The first row of a task with its default exemplars: context, then what is scored or generated."""
    task.set_config("num_fewshot", task.config.num_fewshot)
    doc = next(iter(task.test_docs()))
    context = task.fewshot_context(doc, task.config.num_fewshot)
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


def render_data_set(name: str) -> str:
    """All tasks of a data set on the bundled samples."""
    return "".join(map(render_task, load_tasks(f"sea_{name}_")))


def load_tasks(beginning: str) -> list:
    """The tasks whose names begin so, on the bundled samples."""
    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False)
    names = [task for task in manager.all_subtasks if task.startswith(beginning)]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT / "lm_eval_sea" / "samples")
        tasks = manager.load(names)["tasks"]
        return [tasks[task] for task in names]


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
            shots = 0 if chat else min(2, len(task.fewshot_docs()))
            context = task.fewshot_context(doc, shots, gen_prefix=task.doc_to_prefix(doc), **chat)
            requests = task.construct_requests(doc, context, metadata=(task.task_name, 0, 1), **chat)
            requests = requests if isinstance(requests, list) else [requests]
            ends = [request.arguments[1] for request in requests if request.arguments[0] == context]
            lines = [repr(end["until"] if isinstance(end, dict) else end) for end in ends]
            texts.append("\n".join([f"########## {task.task_name}, {form}", context, *dict.fromkeys(lines)]) + "\n\n")
    return "".join(texts)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for data_set in CATALOGUE["data_sets"]:
        (FOLDER / f"{data_set}.txt").write_text(render_data_set(data_set), encoding="utf-8", newline="\n")
    for language in SEA_HELM["languages"]:
        (FOLDER / f"sea_helm_{language}.txt").write_text(render_sea_helm(language), encoding="utf-8", newline="\n")
