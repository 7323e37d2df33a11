"""Every prompt of the pack as a text that people can read: one file a data set beside this module.

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
    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False)
    names = [task for task in manager.all_subtasks if task.startswith(f"sea_{name}_")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT / "lm_eval_sea" / "samples")
        tasks = manager.load(names)["tasks"]
        return "".join(render_task(tasks[task]) for task in names)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for data_set in CATALOGUE["data_sets"]:
        (FOLDER / f"{data_set}.txt").write_text(render_data_set(data_set), encoding="utf-8", newline="\n")
