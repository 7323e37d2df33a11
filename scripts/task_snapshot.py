#!/usr/bin/env python3
"""Stores what every task asks a model and how it scores the answers, and compares two such stores.

A change to the code that is meant to change no number is checked with it: save before, save after, compare. Per task it keeps
the configuration, every request of the first rows (without exemplars, with the usual number or two, and under a chat template),
and the metrics that result from planted answers: a log-likelihood is a hash of prompt and option, a written answer is the right
one in one of several dresses, or a wrong one, chosen by a hash of the prompt.

Examples:
    python scripts/task_snapshot.py save before.json.gz --data HUB_MIRROR --data lm_eval_sea/samples
    python scripts/task_snapshot.py compare before.json.gz after.json.gz
"""

from __future__ import annotations

import argparse
import copy
import fnmatch
import gzip
import hashlib
import json
import logging
import multiprocessing
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from lm_eval import evaluator
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
from make_tiny_model import make_model

from lm_eval_sea.make.on_demand import listed, tasks_on_demand

TASKS = Path(__file__).resolve().parents[1] / "lm_eval_sea" / "tasks"
DRESSES = ("{t}", "\n{t}", "{tag} {t}", "**{tag} {t}**", "{t}.", "{t}\n\nMore.", "{tag}{t} x", "x {t}", "", "Bangkok 2024")


def _hash(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps(parts, ensure_ascii=False, default=str).encode()).digest()[:6], "big")


class PlantedModel(LM):
    """Answers by hashes, and keeps every request in `seen`; `task` is the one that is asked."""

    tokenizer_name, max_length = "planted", 8192
    task: Any

    def chat_template(self, chat_template: bool | str = False) -> str:
        """A name for the results."""
        return "planted"

    def apply_chat_template(self, chat_history: Any, add_generation_prompt: bool = True) -> str:
        """The messages with their roles."""
        text = "".join(f"<|{message['role']}|>\n{message['content']}\n" for message in chat_history)
        return text + "<|assistant|>\n" if add_generation_prompt else text.rstrip("\n")

    def loglikelihood(self, requests: Any, **_: Any) -> Any:
        """Nats from 0 to -60, lower for longer options."""
        self.seen = [[request.request_type, request.doc_id, request.idx, *request.args] for request in requests]
        numbers = [_hash(*request.args) for request in requests]
        lengths = [len(request.args[-1]) for request in requests]
        return [(-(number % 60000 + length) / 1000, number % 7 == 0) for number, length in zip(numbers, lengths, strict=True)]

    def loglikelihood_rolling(self, requests: Any, **_: Any) -> Any:
        """The same of whole texts."""
        return [nats for nats, _ in self.loglikelihood(requests)]

    def generate_until(self, requests: Any, **_: Any) -> Any:
        """Right and wrong answers."""
        self.seen = [[request.request_type, request.doc_id, request.idx, *request.args] for request in requests]
        metadata = self.task.config.metadata
        tag = metadata.get("answer_tag") or metadata.get("answer_cue") or ""
        targets = [self.task.doc_to_target(request.doc) for request in requests]
        return [
            DRESSES[_hash(request.args[0]) % len(DRESSES)].format(t=target[0] if isinstance(target, list) else target, tag=tag)
            for request, target in zip(requests, targets, strict=True)
        ]


def plain(value: Any) -> Any:
    """A configuration without objects: functions and classes become their names."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return (
        value if isinstance(value, (str, int, float, bool, type(None))) else getattr(value, "__qualname__", type(value).__name__)
    )


def snapshot(name: str, made: Any, manager: TaskManager, rows: int) -> dict[str, Any]:
    """What one task asks and scores, by setting; `made` is the configuration of a task that is no file."""
    found: dict[str, Any] = {}
    for setting in ("zero", "usual", "chat"):
        task = manager.load([copy.deepcopy(made) or name])["tasks"][name]
        found.setdefault("config", plain(task.dump_config()))
        task.set_config("num_fewshot", 0 if setting == "zero" or "usual, error" in found else task.config.num_fewshot or 2)
        model, chat = PlantedModel(), setting == "chat"
        model.task, options = task, {"apply_chat_template": chat, "fewshot_as_multiturn": chat}
        try:
            results = evaluator.evaluate(model, {name: task}, limit=rows, bootstrap_iters=0, log_samples=False, **options)
        except ValueError as error:  # such as two exemplars where there are none
            found[f"{setting}, error"] = str(error)
        else:
            found[f"{setting}, requests"], found[f"{setting}, metrics"] = model.seen, plain(results["results"][name])
    return found


def _worker(job: tuple[list[str], list[str], int, str]) -> dict[str, Any]:
    names, folders, rows, tokenizer = job
    logging.disable(logging.WARNING)
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "TQDM_DISABLE": "1"}
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"pretrained": tokenizer})
    made = tasks_on_demand(names)
    found: dict[str, Any] = {}
    for name in names:
        for folder in folders:
            os.chdir(folder)
            try:
                found[name] = snapshot(name, made.get(name), manager, rows)
                break
            except Exception as error:  # whatever a task raises is part of its snapshot
                found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
    return found


def save(path: Path, folders: list[str], rows: int, pattern: str) -> None:
    """Writes the snapshot of all tasks that have rows in one of the folders."""
    names = sorted({*TaskManager(include_path=str(TASKS), include_defaults=False).all_subtasks, *listed()})
    names, folders = fnmatch.filter(names, pattern), [str(Path(folder).resolve()) for folder in folders]
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as tiny, multiprocessing.get_context("spawn").Pool(maxtasksperchild=8) as pool:
        make_model(Path(tiny), bos=False, max_length=8192, hidden=16, layers=1, seed=0)
        for part in pool.imap_unordered(_worker, [(names[i : i + 20], folders, rows, tiny) for i in range(0, len(names), 20)]):
            found |= part
            print(f"{len(found)} of {len(names)} tasks", end="\r", flush=True, file=sys.stderr)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(found, file, ensure_ascii=False, sort_keys=True)
    errors = [f"{name}: {task['error']}" for name, task in found.items() if "error" in task]
    print(f"\n{len(found)} tasks, {len(errors)} without rows or with an error", *errors, sep="\n")


def compare(old_path: Path, new_path: Path) -> int:
    """Prints which tasks differ in what; returns how many ask or score differently."""
    old, new = (json.loads(gzip.decompress(path.read_bytes())) for path in (old_path, new_path))
    differing: dict[str, list[str]] = defaultdict(list)
    for name in sorted({*old, *new}):
        before, after = old.get(name, {"missing": 1}), new.get(name, {"missing": 1})
        for part in {*before, *after}:
            if before.get(part) != after.get(part):
                differing[part].append(name)
    for part, names in sorted(differing.items()):
        print(f"{part}: {len(names)} tasks: {' '.join(names)}")
    changed = {name for part, names in differing.items() if part != "config" for name in names}
    print(f"{len(old)} and {len(new)} tasks; {len(changed)} ask or score differently")
    return len(changed)


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser("save", help="write a store")
    saving.add_argument("store", type=Path)
    saving.add_argument("--data", action="append", required=True, help="laid out like the hub; the first that serves is used")
    saving.add_argument("--rows", type=int, default=20, help="rows per task (default: 20)")
    saving.add_argument("--tasks", default="*", help="a glob of task names (default: all)")
    comparing = commands.add_parser("compare", help="print what differs; exit status 1 if anything scored does")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "compare":
        return int(compare(arguments.old, arguments.new) > 0)
    save(arguments.store, arguments.data, arguments.rows, arguments.tasks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
