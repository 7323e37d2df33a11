"""Plans, sweeps that are killed, and checks of their results."""

import contextlib
import importlib
import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from lm_eval_sea.sweep import job_process
from lm_eval_sea.sweep.completeness import LOG, MARK
from lm_eval_sea.sweep.job_process import STARTED
from lm_eval_sea.sweep.plan import read_plan
from lm_eval_sea.sweep.sweep import prepare
from tests.processes import Fork, begin

# The environment has clock rates, and the commit of the checkout may change meanwhile.
TIMES = {"date", "start_time", "end_time", "total_evaluation_time_seconds", "pretty_env_info", "git_hash"}


def write_plan(path: Path, **changes: Any) -> Path:
    """A plan of two models and one task; `changes` replaces keys, None removes one."""
    content = {
        "output": str(path.parent / "out"),
        "backend": "hf",
        "models": [{"name": name, "model_args": {"pretrained": str(path.parent / name)}} for name in ("a", "b")],
        "tasks": ["sea_xcopa_th_to_ppl"],
        "run": {"device": "cpu", "batch_size": 4},
    }
    content = {key: value for key, value in (content | changes).items() if value is not None}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def start_sweep(
    folder: Path, output: Path, samples: Path, *arguments: object, anew: bool = False, **changes: Any
) -> Fork | subprocess.Popen:
    """A sweep in a process of its own, whose plan lies beside its models and writes to `output`.

    `anew`: in no fork, where this process has connections that a fork must not use, such as Ray's.
    """
    plan = write_plan(folder / f"{output.name}.yaml", output=str(output), **changes)
    if anew:
        return begin("lm_eval_sea", "sweep", plan, *arguments, cwd=samples)
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("lm_eval_sea.report.write")  # once here, instead of at the end of each sweep
    return Fork("sweep", plan, *arguments, cwd=samples)


def finish(process: Fork | subprocess.Popen) -> tuple[int, str, str]:
    """Waits for a sweep; returns its status and output."""
    out, err = process.communicate(timeout=3600)  # dozens of jobs
    return process.returncode, out, err


def wait_for(condition: Callable[[], Any], process: Fork | subprocess.Popen | None = None) -> Any:
    """Waits until a condition holds or the process has ended; returns the value of the condition at that time."""
    while not (found := condition()) and (process is None or process.poll() is None):
        time.sleep(0.02)
    return found


def wait_for_jobs(output: Path, jobs: int, process: Fork | subprocess.Popen, at_work: Callable[[], Any]) -> Any:
    """Waits until so many jobs are complete and then another has begun; returns the jobs at work."""
    wait_for(lambda: complete(output) >= jobs, process)
    known = begun(output)
    return wait_for(lambda: begun(output) > known and at_work(), process)


def complete(output: Path) -> int:
    """How many jobs are complete."""
    return len(list(output.rglob(MARK)))


def begun(output: Path) -> int:
    """How often a job has begun."""
    return sum(map(len, attempts(output).values()))


def attempts(output: Path) -> dict[Path, list[float]]:
    """Folder of a job → the times (s) at which runs of it began."""
    logs = {path.parent: path.read_text(errors="replace").splitlines() for path in output.rglob(LOG)}
    return {folder: [float(line.split()[2]) for line in lines if line.startswith(STARTED)] for folder, lines in logs.items()}


def outcome(output: Path) -> dict[str, Any]:
    """Results and samples of the complete jobs, without times, paths and addresses in memory."""
    found = {}
    for mark in output.rglob(MARK):
        for name in json.loads(mark.read_text())["files"]:
            path, key = mark.parent / name, str((mark.parent / name).relative_to(output)).rpartition("_20")[0]
            if path.suffix == ".json":
                text = re.sub(r" at 0x[0-9a-f]+>", ">", path.read_text(encoding="utf-8"))  # addresses of functions
                found[key] = {name: value for name, value in json.loads(text).items() if name not in TIMES}
                found[key]["config"].pop("use_cache", None)  # a path in the folder
            else:
                found[key] = path.read_bytes()
    return found


def run_here(folder: Path, output: Path, samples: Path, **changes: Any) -> dict[str, Any]:
    """Runs the jobs of a plan one after the other in this process; returns their outcome."""
    plan = read_plan(write_plan(folder / "here.yaml", output=str(output), **changes))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        for job in prepare(plan, "suite").jobs:
            job.folder.mkdir(parents=True, exist_ok=True)
            job_process._run(json.loads(json.dumps(job.task(plan))), job.folder)
    return outcome(output)


def assert_it_ended_as_if_undisturbed(output: Path, undisturbed: dict[str, Any], jobs: int) -> None:
    """Every job has the undisturbed outcome, some were interrupted, and no complete one ran again."""
    assert complete(output) == jobs
    assert outcome(output) == undisturbed
    assert begun(output) > jobs, "nothing was interrupted"
    for folder, times in attempts(output).items():
        assert max(times) < json.loads((folder / MARK).read_text())["finished"], "a complete job ran again"
