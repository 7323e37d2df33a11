#!/usr/bin/env python3
"""Measures what comes before the first answer: CPU seconds, modules and task files until the first forward pass of a tiny model.

The cases take turns, each in a process of its own on the samples of the pack, and the median counts. "imports" is what no run
can do without: torch, transformers and lm-eval with its backend `hf`. The last two cases are the same run of plain `lm_eval`:
with the pack named by --include_path, and with an empty folder and the path of the task's file.

Examples:
    python scripts/bench_start.py
    python scripts/bench_start.py --times 5 --case "run sea_xnli_th"
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from written import table

PACK = Path(__file__).resolve().parents[1] / "lm_eval_sea"
IMPORTS = ("torch", "transformers", "lm_eval.evaluator", "lm_eval.models.huggingface")
RUN = "run --model hf --model_args pretrained={model} --device cpu --limit 2 --tasks"
CASES = {
    "imports": "",
    "ls": "lm-eval-sea ls",
    "ls sea_th": "lm-eval-sea ls sea_th",
    **{
        f"run {task}": f"lm-eval-sea {RUN} {task}"
        for task in ("sea_xnli_th", "sea_flores_en_th", "sea_xnli_th_p2", "sea_variant_to_ppl", "sea_sailcompass")
    },
    "lm_eval, the pack": f"lm_eval {RUN} sea_xnli_th --include_path {PACK}/tasks",
    "lm_eval, an empty folder": f"lm_eval {RUN} {PACK}/tasks/xnli/th.yaml --include_path {{empty}}",
}


def measure(case: str, folder: Path) -> dict[str, Any]:
    """What a case takes: `seconds` of CPU, names of `modules`, and how often each of the `files` was opened.

    The folder has a `model` and the folder `empty`.
    """
    command = CASES[case].format(model=folder / "model", empty=folder / "empty").split()
    offline = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PACK.parent)}
    child = [sys.executable, __file__, "--child", str(folder / "found.json"), "--", *command]
    done = subprocess.run(child, cwd=PACK / "samples", env=os.environ | offline, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{case}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads((folder / "found.json").read_text())
    return found


def _run(command: list[str], found: Path) -> None:
    """Runs a command in this process until the first forward pass, and writes what it took."""
    files: Counter[str] = Counter()

    def stop(*_: Any) -> None:
        seconds = sum(os.times()[:4])  # of user and system, here and in children
        found.write_text(json.dumps({"seconds": seconds, "modules": sorted(sys.modules), "files": dict(files)}))
        os._exit(0)

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            files[os.path.abspath(arguments[0])] += 1

    sys.addaudithook(note)
    if command[:2] != ["lm-eval-sea", "ls"]:
        import torch

        torch.nn.modules.module.register_module_forward_pre_hook(stop)
    sys.argv = command
    if not command:
        for name in IMPORTS:
            __import__(name)
    elif command[0] == "lm_eval":
        from lm_eval.__main__ import cli_evaluate

        cli_evaluate()
    else:
        from lm_eval_sea.commands.cli import main

        if status := main(command[1:]):
            sys.exit(status)
    stop()


def task_files(found: dict[str, Any]) -> tuple[int, int]:
    """How often task files and templates were opened: the pack's, and lm-eval's own."""
    files = {path: times for path, times in found["files"].items() if path.endswith("yaml")}
    of_lm_eval = sum(times for path, times in files.items() if "/lm_eval/tasks/" in path)
    return sum(times for path, times in files.items() if path.startswith(f"{PACK}/tasks/")), of_lm_eval


def main() -> None:
    """Prints the machine and a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3, metavar="N", help="processes of each case (default: 3)")
    parser.add_argument("--case", action="append", choices=CASES, help="only this one, and the imports")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        _run(arguments.command, arguments.child)
    found: dict[str, list[dict[str, Any]]] = {case: [] for case in ("imports", *(arguments.case or CASES))}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty").mkdir()
        subprocess.run([sys.executable, PACK.parent / "scripts" / "make_tiny_model.py", folder / "model"], check=True)
        for _ in range(arguments.times):
            for case, runs in found.items():
                runs.append(measure(case, folder))
    seconds = {case: statistics.median(each["seconds"] for each in runs) for case, runs in found.items()}
    cells = []
    for case, runs in found.items():
        counts = (len(runs[0]["modules"]), *task_files(runs[0]))
        times = (f"{seconds[case]:.1f}", f"{seconds[case] - seconds['imports']:+.1f}")
        cells.append([f"`{case}`", *times, *(f"{count:,}" for count in counts)])
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    head = ["case", "CPU s", "above the imports", "modules", "task files opened: the pack's", "lm-eval's"]
    print(table(head, cells, texts=1), end="")


if __name__ == "__main__":
    main()
