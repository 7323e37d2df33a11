"""Runs tasks of the pack in this process, as a user's `simple_evaluate` call would."""

import json
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.task_index import add_task
from lm_eval_sea.make.on_demand import tasks_on_demand
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER as TASKS
from lm_eval_sea.tasks._shared.facts import read_yaml
from tests.conftest import modules_of_tasks

CHAT_TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}"
    "{% if not (loop.last and message['role'] == 'assistant') %}</{{ message['role'] }}>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def prompt_words(data_set: str, language: str) -> dict:
    """A prompt file of the pack."""
    return read_yaml(TASKS / data_set / "prompts" / f"{language}.yml")


def chat_words(language: str) -> dict:
    """How chat models are told to answer."""
    return read_yaml(TASKS / "chat_answers" / f"{language}.yml")


def _folders(names: list[str]) -> list[str]:
    """The folders of the data sets that the tasks are from, because indexing all takes most of a second; for other names, all."""
    folders = {TASKS / name.removeprefix("sea_").split("_")[0] for name in names}
    return sorted(map(str, folders)) if all(any(folder.glob("data_set.yml")) for folder in folders) else [str(TASKS)]


def draw_few_resamples(patch: pytest.MonkeyPatch) -> None:
    """For runs without lm-eval's resamples: those for the pack's own standard errors take more time than all else."""
    for module in modules_of_tasks("classification_metrics"):
        patch.setattr(module, "DRAWS", 2)


def evaluate(folder: Path, tasks: str | list[str], model: Any, *, metadata: dict | None = None, **options: Any) -> dict:
    """Results of tasks, groups or tags on the data of a folder laid out like the hub.

    `metadata` is what `--metadata` would hold; by default a planted model goes without a tokenizer. `options` are further
    arguments of `lm_eval.simple_evaluate`, such as `model_args` of the model "hf".
    """
    names, options = [tasks] if isinstance(tasks, str) else tasks, {"bootstrap_iters": 0, **options}
    arguments = options.get("model_args") or {}
    known = {**arguments, **(metadata or {})} or {"tokenizer": "none"}
    manager = TaskManager(include_path=_folders(names), include_defaults=False, metadata=known)
    for configuration in tasks_on_demand(names).values():
        add_task(manager, configuration)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        if not options["bootstrap_iters"]:
            draw_few_resamples(patch)
        return lm_eval.simple_evaluate(model=model, tasks=names, task_manager=manager, **options)


def on_cpu(model: Path, **more: Any) -> dict:
    """`model_args` of lm-eval's `hf` for exact numbers."""
    return {"pretrained": str(model), "dtype": "float32", "device": "cpu", **more}


def scores(results: dict, task: str) -> dict[str, float]:
    """Metric → value, without standard errors."""
    found = {key.removesuffix(",none"): value for key, value in results["results"][task].items() if key.endswith(",none")}
    return {name: value for name, value in found.items() if "_stderr" not in name}


def all_scores(results: dict) -> dict[tuple[str, str], float]:
    """(task, metric) → value, standard errors too."""
    found = results["results"].items()
    return {(task, name): value for task, of in found for name, value in of.items() if name.endswith(",none")}


def read_json_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_json_lines(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
