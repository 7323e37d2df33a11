#!/usr/bin/env python3
"""Measures what `lm-eval-sea sweep` adds to its jobs, on the bundled samples and a tiny model.

Without --jobs it measures how long 100 models × 50 suites take from the plan to the first job. With it, the same jobs are run
as bare commands and as a sweep, one after the other, and with Ray, if it is installed, two at a time on one core each. The
sweep is started once more when all is complete: what that takes is for checks and report, whatever the jobs take. A busy
machine makes wall time worthless: the CPU time of all processes stands beside it, but not of Ray's.

Examples:
    python scripts/bench_sweep.py
    python scripts/bench_sweep.py --jobs 4 --rows 500 --data MIRROR       choose the rows so that a job takes a minute
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml
from make_tiny_model import SAMPLES, make_model

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import read_plan
from lm_eval_sea.sweep.sweep import prepare
from lm_eval_sea.tasks._shared.sources import Source

MODELS, SUITES = 100, 50
TASKS = [f"sea_xcopa_{language}_{variant}" for language in ("id", "th", "vi") for variant in ("to_ppl", "tito_ppl")]


def write_plan(folder: Path, name: str, models: list[Path], tasks: list[str], **more: Any) -> Path:
    """A plan whose results go to a folder of the same name."""
    entries = [{"model_args": {"pretrained": str(model)}} for model in models]
    content = {"output": str(folder / name), "backend": "hf", "models": entries, "tasks": tasks, "run": {"device": "cpu"}, **more}
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def measured(name: str, work: Any) -> Any:
    """Calls `work` and prints the seconds that it took, and the CPU time of it and of processes that ended."""

    def cpu() -> float:
        return sum(
            each.ru_utime + each.ru_stime for each in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )

    begin, before = time.monotonic(), cpu()
    result = work()
    print(f"{name}: {time.monotonic() - begin:.1f} s, {cpu() - before:.1f} s of CPU time", flush=True)
    return result


def _is_here(source: Source) -> bool:
    """Whether a task's rows are in a folder below the current one."""
    return bool(source.files) and all(Path(source.repository, path).is_file() for _, path in source.files)


def bench_start(folder: Path, model: Path) -> None:
    """From the plan to the first job."""
    models = []
    for number in range(MODELS):
        models.append(folder / f"step{number}")
        shutil.copytree(model, models[-1])
    tasks = read_tasks()
    here = [name for name, leaves in tasks.groups.items() if all(_is_here(tasks.tasks[leaf].source) for leaf in leaves)]
    if len(here) < SUITES:
        sys.exit(f"only {len(here)} of {SUITES} suites have all their rows here; name another folder with --data")
    plan = read_plan(write_plan(folder, "large", models, here[:SUITES]))
    prepared = measured(f"{MODELS} models × {len(here[:SUITES])} suites, checked", lambda: prepare(plan, "suite"))
    measured(f"{len(prepared.jobs)} jobs, looked for", prepared.split)


def bench_jobs(folder: Path, model: Path, jobs: int, rows: int) -> None:
    """Bare commands, the same as a sweep, and two at a time."""
    models = []
    for number in range(jobs):
        models.append(folder / f"model{number}")
        shutil.copytree(model, models[-1])
    for name, engine in (("local", ["--engine", "local"]), ("ray", ["--engine", "ray"])):
        plan = write_plan(folder, name, models, TASKS, limit=rows, resources={"cpus": 1})
        if name == "local":
            commands = prepare(read_plan(plan), "model").jobs
            measured("bare commands", lambda commands=commands: [_run(job) for job in commands])
            shutil.rmtree(folder / name)
        elif importlib.util.find_spec("ray") is None:
            print("two at a time: not measured, ray is not installed")
            continue
        command = [sys.executable, "-m", "lm_eval_sea", "sweep", str(plan), "--split", "model", *engine]
        for state in ("", ", all complete"):
            measured(f"sweep, {name}{state}", lambda command=command: subprocess.run(command, check=True))


def _run(job: Job) -> None:
    command = [sys.executable, "-m", "lm_eval_sea", *shlex.split(job.command)[1:]]
    subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SAMPLES, help="folder laid out like the hub (default: the samples)")
    parser.add_argument("--jobs", type=int, default=0, help="run this many jobs, each way (default: none)")
    parser.add_argument("--rows", type=int, default=500, help="rows of each of a job's six tasks (default: %(default)s)")
    arguments = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    os.chdir(arguments.data)
    with tempfile.TemporaryDirectory(prefix="bench_sweep_") as name:
        folder = Path(name)
        make_model(folder / "tiny", bos=False, max_length=4096, hidden=16, layers=1, seed=0)
        if arguments.jobs:
            bench_jobs(folder, folder / "tiny", arguments.jobs, arguments.rows)
        else:
            bench_start(folder, folder / "tiny")


if __name__ == "__main__":
    main()
