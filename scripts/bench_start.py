#!/usr/bin/env python3
"""Measures what comes before the first answer: CPU seconds, modules and task files until the first forward pass of a tiny model.

The cases take turns, each in its own process on the samples of the pack, and the median counts. "imports" is what every run
needs: torch, transformers and lm-eval with its backend `hf`. The last two cases are the same run of plain `lm_eval`: with the
pack named by --include_path, and with an empty folder and the path of the task's file.

Examples:
    python scripts/bench_start.py
    python scripts/bench_start.py --times 5 --case "run sea_xnli_th"
    python scripts/bench_start.py --profile "run sea_xnli_th"
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
        f"run {task}": f"lm-eval-sea {RUN} {task} --skip_missing"  # the samples lack rows of some languages
        for task in ("sea_xnli_th", "sea_flores_en_th", "sea_xnli_th_p2", "sea_variant_to_ppl", "sea_sailcompass")
    },
    "lm_eval, the pack": f"lm_eval {RUN} sea_xnli_th --include_path {PACK}/tasks",
    "lm_eval, an empty folder": f"lm_eval {RUN} {PACK}/tasks/xnli/th.yaml --include_path {{empty}}",
}


def measure(case: str, folder: Path, profile: Path | None = None) -> dict[str, Any]:
    """What a case takes: `seconds` of CPU, names of `modules`, and how often each of the `files` was opened.

    `folder` is that of `prepare`; `profile` a file to write a profile to.
    """
    command = CASES[case].format(model=folder / "model", empty=folder / "empty").split()
    offline = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PACK.parent)}
    child = [sys.executable, __file__, "--child", str(folder / "found.json"), "--profile", str(profile or ""), "--", *command]
    done = subprocess.run(child, cwd=PACK / "samples", env=os.environ | offline, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{case}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads((folder / "found.json").read_text())
    return found


def _run(command: list[str], found: Path, profile: str) -> None:
    """Runs a command in this process until the first forward pass, and writes what it took."""
    files: Counter[str] = Counter()
    profiler = None
    if profile:
        import cProfile

        profiler = cProfile.Profile()
        profiler.enable()

    def stop(*_: Any) -> None:
        of_self = os.times()
        if profiler:
            profiler.disable()
            profiler.dump_stats(profile)
        seconds = of_self.user + of_self.system + of_self.children_user + of_self.children_system
        found.write_text(json.dumps({"seconds": seconds, "modules": sorted(sys.modules), "files": dict(files)}))
        os._exit(0)

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            files[os.path.abspath(arguments[0])] += 1

    sys.addaudithook(note)
    if command[:2] != ["lm-eval-sea", "ls"]:
        import torch

        torch.nn.modules.module.register_module_forward_pre_hook(stop)
    for name in IMPORTS if not command else ():
        __import__(name)
    if command:
        carry_out(command)
    stop()


def carry_out(command: list[str]) -> None:
    """Runs a command of lm_eval or lm-eval-sea in this process; a failure of the latter ends it."""
    sys.argv = command
    if command[0] == "lm_eval":
        from lm_eval.__main__ import cli_evaluate

        cli_evaluate()
    else:
        from lm_eval_sea.commands.cli import main

        if status := main(command[1:]):
            sys.exit(status)


def prepare(folder: Path) -> None:
    """Makes the tiny model and the empty folder."""
    (folder / "empty").mkdir()
    subprocess.run([sys.executable, PACK.parent / "scripts" / "make_tiny_model.py", folder / "model"], check=True)


def task_files(found: dict[str, Any]) -> tuple[int, int]:
    """How often task files and templates were opened: the pack's, and lm-eval's own."""
    files = {path: times for path, times in found["files"].items() if path.endswith("yaml")}
    of_lm_eval = sum(times for path, times in files.items() if "/lm_eval/tasks/" in path)
    return sum(times for path, times in files.items() if path.startswith(f"{PACK}/tasks/")), of_lm_eval


def machine() -> str:
    """What the figures were measured on."""
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _table(found: dict[str, list[dict[str, Any]]]) -> str:
    least = statistics.median(each["seconds"] for each in found["imports"]) if "imports" in found else 0.0
    cells = []
    for case, runs in found.items():
        seconds = statistics.median(each["seconds"] for each in runs)
        counts = (len(runs[0]["modules"]), *task_files(runs[0]))
        cells.append([f"`{case}`", f"{seconds:.1f}", f"{seconds - least:+.1f}", *(f"{count:,}" for count in counts)])
    head = ["case", "CPU s", "above the imports", "modules", "task files opened: the pack's", "lm-eval's"]
    return table(head, cells, texts=1)


def main() -> int:
    """Prints the machine and a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3, metavar="N", help="processes of each case (default: 3)")
    parser.add_argument("--case", action="append", choices=CASES, help="only this one, and the imports")
    parser.add_argument("--profile", default="", metavar="CASE", help="print where the time of a case goes")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        _run(arguments.command, arguments.child, arguments.profile)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        if arguments.profile:
            import pstats

            measure(arguments.profile, folder, folder / "profile")
            pstats.Stats(str(folder / "profile")).sort_stats("cumtime").print_stats(60)
            return 0
        cases = ["imports", *(arguments.case or [case for case in CASES if case != "imports"])]
        found: dict[str, list[dict[str, Any]]] = {case: [] for case in cases}
        for _ in range(arguments.times):
            for case in cases:
                found[case].append(measure(case, folder))
    print(f"{machine()}\n")
    print(_table(found), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
