#!/usr/bin/env python3
"""Stores what every task asks a model and how it scores the answers, and compares two such stores.

A change to the code that is meant to change no number is checked with it: save before, save after, compare. Per task it keeps
the configuration, every request of the first rows (with no exemplars, with the usual number, and under a chat template), and the
metrics that result from planted answers. The planted model needs no weights: a log-likelihood is a hash of prompt and option, a
written answer is the right one in one of several dresses, or a wrong one, chosen by a hash of the prompt.

Examples:
    python scripts/task_snapshot.py save before.json.gz --data HUB_MIRROR --data lm_eval_sea/samples
    python scripts/task_snapshot.py compare before.json.gz after.json.gz
    python scripts/task_snapshot.py save tiny.json.gz --data lm_eval_sea/samples --model tiny_model --rows 3
"""

from __future__ import annotations

import argparse
import copy
import gzip
import hashlib
import json
import logging
import multiprocessing
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

CHAT_TEMPLATE = (
    "{% for m in messages %}<|{{m.role}}|>\n{{m.content}}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
SETTINGS = ("zero", "usual", "chat")
DRESSES = ("{t}", "\n{t}", "{tag} {t}", "**{tag} {t}**", "{t}.", "{t}\n\nMore.", "{tag}{t} x", "x {t}", "", "Bangkok 2024")


def _hash(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps(parts, ensure_ascii=False, default=str).encode()).digest()[:6], "big")


def make_planted_model(tasks: dict[str, Any]) -> Any:
    """A model of lm-eval that answers by hashes and keeps every request in `seen`.

    Args:
        tasks: name → task, filled before the model is asked.
    """
    from lm_eval.api.model import LM

    class PlantedModel(LM):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[list[Any]] = []

        tokenizer_name = "planted"
        max_length = 8192

        def chat_template(self, chat_template: bool | str = False) -> str:
            return CHAT_TEMPLATE

        def apply_chat_template(self, chat_history: Any, add_generation_prompt: bool = True) -> str:
            text = "".join(f"<|{message['role']}|>\n{message['content']}\n" for message in chat_history)
            return text + "<|assistant|>\n" if add_generation_prompt else text.rstrip("\n")

        def _note(self, request: Any) -> None:
            self.seen.append([request.request_type, request.doc_id, request.idx, *request.args])

        def loglikelihood(self, requests: Any, **_: Any) -> Any:
            answers = []
            for request in requests:
                self._note(request)
                number = _hash(*request.args)
                answers.append((-(number % 60000) / 1000 - 0.001 * len(request.args[1]), number % 7 == 0))
            return answers

        def loglikelihood_rolling(self, requests: Any, **_: Any) -> Any:
            raise AssertionError("no task asks for this")

        def generate_until(self, requests: Any, **_: Any) -> Any:
            answers = []
            for request in requests:
                self._note(request)
                task = tasks[request.task_name]
                target = task.doc_to_target(request.doc)
                target = target[0] if isinstance(target, list) else target
                metadata = task.config.metadata
                tag = metadata.get("answer_tag") or metadata.get("answer_cue") or ""
                answers.append(DRESSES[_hash(request.args[0]) % len(DRESSES)].format(t=target, tag=tag))
            return answers

    return PlantedModel()


def plain(value: Any) -> Any:
    """A configuration without objects: functions and classes become their names."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    return getattr(value, "__qualname__", type(value).__name__)


def has_chat_template(model: Any) -> bool:
    """Whether a model has a chat template; the planted one has."""
    return not hasattr(model, "tokenizer") or bool(model.tokenizer.chat_template)


def snapshot(name: str, made: Any, manager: Any, model: Any, tasks: dict[str, Any], rows: int) -> dict[str, Any]:
    """What one task asks and scores, by setting; `made` is the configuration of a task that is no file."""
    from lm_eval import evaluator

    found: dict[str, Any] = {}
    default = None
    for setting in SETTINGS if has_chat_template(model) else SETTINGS[:-1]:
        task = manager.load([copy.deepcopy(made) or name])["tasks"][name]
        tasks[name] = task
        if setting == "zero":
            default = task.config.num_fewshot
            found["config"] = plain(task.dump_config())
            task.set_config("num_fewshot", 0)
        elif not default:
            if task.OUTPUT_TYPE == "generate_until" and "instruction" in str(task.config.metadata.get("variant")):
                continue
            try:
                task.set_config("num_fewshot", 2)
            except ValueError:
                continue
            if len(getattr(task.sampler, "df", ())) < 2:  # of exemplars
                continue
        task.set_fewshot_seed(seed=1234)
        model.seen = []
        results = evaluator.evaluate(
            lm=model,
            task_dict={name: task},
            limit=rows,
            bootstrap_iters=0,
            log_samples=False,
            apply_chat_template=setting == "chat",
            fewshot_as_multiturn=setting == "chat",
        )
        found[setting] = {"requests": model.seen, "metrics": plain(results["results"][name])}
    return found


def _worker(job: tuple[list[str], list[str], str | None, int, str]) -> dict[str, Any]:
    names, folders, real_model, rows, tokenizer = job
    logging.disable(logging.WARNING)
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "TQDM_DISABLE": "1"}
    from lm_eval.tasks import TaskManager

    from lm_eval_sea.make.on_demand import tasks_on_demand

    manager = TaskManager(
        include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False, metadata={"pretrained": tokenizer}
    )
    made = tasks_on_demand(names)
    tasks: dict[str, Any] = {}
    model = make_planted_model(tasks)
    if real_model:
        from lm_eval.models.huggingface import HFLM

        model = HFLM(pretrained=real_model, device="cpu", batch_size=8)
    found = {}
    for name in names:
        for folder in folders:
            os.chdir(folder)
            try:
                found[name] = snapshot(name, made.get(name), manager, model, tasks, rows)
                break
            except Exception as error:  # whatever a task raises is part of its snapshot
                found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(".", end="", flush=True, file=sys.stderr)
    return found


def save(path: Path, folders: list[str], real_model: str | None, rows: int, only: str | None, processes: int) -> None:
    """Writes the snapshot of all tasks that have rows in one of the folders."""
    import fnmatch

    from lm_eval.tasks import TaskManager
    from make_tiny_model import make_model

    from lm_eval_sea.make.on_demand import listed

    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False)
    names = sorted(name for name in (*manager.all_subtasks, *listed()) if fnmatch.fnmatch(name, only or "*"))
    with tempfile.TemporaryDirectory() as temporary:
        tokenizer = real_model or str(Path(temporary) / "tiny")
        if not real_model:
            make_model(Path(tokenizer), bos=False, max_length=8192, hidden=16, layers=1, seed=0)
        folders = [str(Path(folder).resolve()) for folder in folders]
        chunk = 20
        jobs = [(names[i : i + chunk], folders, real_model, rows, tokenizer) for i in range(0, len(names), chunk)]
        found: dict[str, Any] = {}
        with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=8) as pool:
            for part in pool.imap_unordered(_worker, jobs):
                found |= part
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(found, file, ensure_ascii=False, sort_keys=True)
    errors = [f"{name}: {task['error']}" for name, task in found.items() if "error" in task]
    if not any("chat" in task for task in found.values()):
        print("\nthe model has no chat template: nothing was asked under one")
    print(f"\n{len(found)} tasks, {len(errors)} without rows or with an error", *errors[:1000], sep="\n")


def _differing_keys(old: Any, new: Any, at: str = "") -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted({*old, *new})
        return [line for key in keys for line in _differing_keys(old.get(key), new.get(key), f"{at}.{key}")]
    return [] if old == new else [at]


def compare(old_path: Path, new_path: Path, verbose: bool) -> int:
    """Prints what differs, grouped by kind of difference; returns the number of tasks whose requests or metrics differ."""
    old, new = (json.loads(gzip.decompress(path.read_bytes())) for path in (old_path, new_path))
    kinds: dict[str, list[str]] = {}
    changed = set()
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            kinds.setdefault("only in one store", []).append(name)
            changed.add(name)
            continue
        before, after = old[name], new[name]
        for key in ("error", *SETTINGS):
            if before.get(key) == after.get(key):
                continue
            if key == "error" or not before.get(key) or not after.get(key):
                kinds.setdefault(f"{key} on one side only", []).append(name)
                changed.add(name)
                continue
            for part in ("requests", "metrics"):
                if before[key][part] != after[key][part]:
                    detail = ", ".join(_differing_keys(before[key][part], after[key][part])) if part == "metrics" else ""
                    kinds.setdefault(f"{key}: {part} {detail}", []).append(name)
                    changed.add(name)
        for line in _differing_keys(before.get("config"), after.get("config")):
            kinds.setdefault(f"config{line}", []).append(name)
    for kind, names in sorted(kinds.items()):
        print(
            f"{kind}: {len(names)} tasks: {', '.join(names if verbose else names[:4])}{'' if verbose or len(names) < 5 else ' …'}"
        )
    scored = [name for name in old if "zero" in old[name]]
    requests = sum(len(old[name][key]["requests"]) for name in scored for key in old[name] if key in SETTINGS)
    print(f"{len(old)} and {len(new)} tasks; {len(scored)} with {requests} requests stored")
    print(f"{len(changed)} tasks ask or score differently")
    return len(changed)


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser("save", help="write a store")
    saving.add_argument("store", type=Path)
    saving.add_argument(
        "--data", action="append", required=True, help="a folder laid out like the hub; the first that serves is used"
    )
    saving.add_argument("--model", help="a folder of a real model to score with in place of the planted one")
    saving.add_argument("--rows", type=int, default=20, help="rows per task (default: 20)")
    saving.add_argument("--tasks", help="a glob of task names (default: all)")
    saving.add_argument("--processes", type=int, default=os.cpu_count())
    comparing = commands.add_parser(
        "compare", help="print what differs between two stores; exit status 1 if anything scored does"
    )
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--verbose", action="store_true", help="name every task")
    arguments = parser.parse_args()
    if arguments.command == "compare":
        return int(compare(arguments.old, arguments.new, arguments.verbose) > 0)
    save(arguments.store, arguments.data, arguments.model, arguments.rows, arguments.tasks, arguments.processes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
