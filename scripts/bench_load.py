#!/usr/bin/env python3
"""Measures what the pack adds to the start of a run: indexing its folder, loading a group, rendering prompts.

Examples:
    python scripts/bench_load.py                     on the bundled samples
    python scripts/bench_load.py --data MIRROR       on a folder laid out like the hub
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

PACK = Path(__file__).resolve().parents[1] / "lm_eval_sea"
GROUP = "sea_belebele_to_ppl"
SECONDS = 3.0  # how long to render

# In a process of its own, for what an earlier measurement imported would count as free.
INDEX = """
import sys, time
from lm_eval.tasks import TaskManager
before = set(sys.modules)
start = time.perf_counter()
manager = TaskManager(include_path=sys.argv[1], include_defaults=False)
print(time.perf_counter() - start, len(manager.all_subtasks), len(set(sys.modules) - before))
"""


def index_folder() -> tuple[float, int, int]:
    """Seconds to index the tasks folder, the number of its tasks, and of the modules that were imported for it."""
    output = subprocess.run([sys.executable, "-c", INDEX, PACK / "tasks"], capture_output=True, text=True, check=True).stdout
    seconds, tasks, modules = output.split()
    return float(seconds), int(tasks), int(modules)


def load_and_render() -> tuple[float, float, int]:
    """Seconds to load the group, documents rendered a second (prompts and requests, in text), rows of the group."""
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(PACK / "tasks"), include_defaults=False)
    start = time.perf_counter()
    tasks = manager.load(GROUP)["tasks"].values()
    load = time.perf_counter() - start
    documents, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < SECONDS:
        for task in tasks:
            task.build_all_requests()
            documents += len(task.test_docs())
    return load, documents / elapsed, sum(len(task.test_docs()) for task in tasks)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=PACK / "samples", help="folder laid out like the hub (default: the samples)")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    seconds, tasks, modules = index_folder()
    os.chdir(arguments.data)
    with contextlib.redirect_stderr(io.StringIO()):  # lm-eval's progress bars
        load, rate, rows = load_and_render()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    print(f"index {tasks} tasks               {seconds:8.2f} s, {modules} modules imported")
    print(f"load {GROUP}      {load:8.2f} s, {rows} rows")
    print(f"render (three exemplars)      {rate:8.0f} documents a second")


if __name__ == "__main__":
    main()
