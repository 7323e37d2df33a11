#!/usr/bin/env python3
"""Measures what the patch for lm-eval's xcopa changes: the rows that a model answers rightly before and after, per language.

The `xcopa` folder of a checkout of lm-eval is copied twice, the patch is applied to one copy, and the model answers all test rows
of both, zero-shot. Rows that become right and rows that become wrong are compared with a two-sided sign test.

Start it in a folder laid out like the hub, or with a network.

Example:
    python …/scripts/measure_xcopa_patch.py CHECKOUT_OF_LM_EVAL gemma-3-270m --languages th ta id vi zh
"""

from __future__ import annotations

import argparse
import logging
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import scipy.stats
import torch

PATCH = Path(__file__).resolve().parents[1] / "upstream_patches" / "xcopa" / "xcopa.patch"
TASKS = Path("lm_eval") / "tasks" / "xcopa"


def right_rows(tasks: Path, names: list[str], model, limit: int | None) -> dict[str, dict[int, bool]]:
    """Which rows of each task are answered rightly: task → number of the row → whether it is right."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(tasks), include_defaults=False)
    results = lm_eval.simple_evaluate(model, tasks=names, task_manager=manager, limit=limit, bootstrap_iters=0)
    return {name: {row["doc_id"]: row["acc"] == 1 for row in rows} for name, rows in results["samples"].items()}


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a checkout of lm-eval without the patch")
    parser.add_argument("model", help="name or folder of a Hugging Face model")
    parser.add_argument("--languages", nargs="+", default=["th", "ta", "id", "vi", "zh"], help="(default: those of the region)")
    parser.add_argument("--limit", type=int, help="rows per language (default: all)")
    parser.add_argument("--batch-size", type=int, default=16, help="(default: %(default)s)")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    from lm_eval_sea.models import SharedPrefixLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = SharedPrefixLM(options.model, device=device, dtype="float32", batch_size=options.batch_size)
    names = [f"xcopa_{language}" for language in options.languages]
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for state in ("before", "after"):
            root = Path(folder) / state
            shutil.copytree(options.checkout / TASKS, root / TASKS)
            if state == "after":
                # outside a repository git applies to the working folder
                subprocess.run(["git", "init", "--quiet", str(root)], check=True)
                subprocess.run(["git", "-C", str(root), "apply", str(PATCH)], check=True)
            found.append(right_rows(root / TASKS, names, model, options.limit))
    print(
        "| language | rows | right before | right after | become right | become wrong | p |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for language, name in zip(options.languages, names, strict=True):
        before, after = (state[name] for state in found)
        if before.keys() != after.keys():
            sys.exit(f"{name}: other rows were answered before and after")
        gained = sum(after[row] and not before[row] for row in before)
        lost = sum(before[row] and not after[row] for row in before)
        p = scipy.stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
        counts = f"{len(before)} | {sum(before.values())} | {sum(after.values())} | {gained} | {lost}"
        print(f"| {language} | {counts} | {p:.2g} |")


if __name__ == "__main__":
    main()
