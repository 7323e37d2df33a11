#!/usr/bin/env python3
"""Estimates what a run of the whole suite asks of a model: rows, requests, text in and out, by task.

Prompts of some rows of each set are built and the sums scaled to all rows. Text in is what lm-eval sends, where every option
comes with the whole prompt; text out is the length of the references.

Examples:
    python scripts/bench_suite.py --data MIRROR --tokenizer MODEL     on a folder laid out like the hub, in the tokens of a model
    python scripts/bench_suite.py --data MIRROR --tokenizer MODEL --suite sea_helm_id --num_fewshot 5    for a base model
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from lm_eval_sea.catalogue import read_data_sets, read_sea_helm
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.sweep.size import measure
from lm_eval_sea.tasks._shared.facts import facts

PACK = Path(__file__).resolve().parents[1] / "lm_eval_sea"


def parts_of(suite: str) -> dict[str, str]:
    """The groups that a suite is made of: name → title. Of SEA-HELM those of its pillars that the language has."""
    titles = read_data_sets()["tasks"] if suite == "sea_sailcompass" else read_sea_helm()["pillars"]
    groups = {f"{suite}_{name}": title for name, title in titles.items()}
    known = read_tasks().groups
    return {name: title for name, title in groups.items() if name in known}


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=PACK / "samples", help="folder laid out like the hub (default: the samples)")
    parser.add_argument("--tokenizer", required=True, help="model or its folder")
    parser.add_argument("--suite", default="sea_sailcompass", help="or sea_helm_<language> (default: sea_sailcompass)")
    parser.add_argument("--num_fewshot", type=int, help="exemplars, where a task does not rule them out (default: the task's)")
    parser.add_argument("--rows", type=int, default=50, help="rows of each set to look at (default: 50)")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    from lm_eval.tasks import TaskManager
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(arguments.tokenizer)
    metadata = {"tokenizer": os.path.abspath(arguments.tokenizer) if os.path.isdir(arguments.tokenizer) else arguments.tokenizer}
    os.chdir(arguments.data)
    manager = TaskManager(include_path=str(PACK / "tasks"), include_defaults=False, metadata=metadata)
    total = Counter()
    print(
        "| task | rows | requests | million characters in | out | million tokens in | out |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for name, title in parts_of(arguments.suite).items():
        with contextlib.redirect_stderr(io.StringIO()):
            tasks = list(manager.load(name)["tasks"].values())
        for task in tasks:
            if arguments.num_fewshot is not None and task.config.num_fewshot != 0:  # lm-eval takes a 0 in the YAML for final
                task.set_config("num_fewshot", arguments.num_fewshot)
        found = sum(
            (measure(task, arguments.rows, _counter(tokenizer), facts(task.config.metadata)["rows"]) for task in tasks), Counter()
        )
        total += found
        _print_line(title, found)
    _print_line("the whole suite", total)


def _counter(tokenizer) -> Callable[[str], int]:
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))


def _print_line(title: str, found: Counter) -> None:
    cells = [title, f"{found['rows']:,}", f"{round(found['requests'], -2):,.0f}"]
    for unit in ("characters", "tokens"):
        out = found[f"{unit}_out"]
        cells += [f"{found[f'{unit}_in'] / 1e6:.1f}", f"{out / 1e6:.2f}" if out else "–"]
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
