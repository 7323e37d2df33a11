"""The command `lm-eval-sea sweep`."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import sys
from typing import TYPE_CHECKING

from lm_eval_sea.catalogue import Refusal
from lm_eval_sea.commands.command import Command, argument, fail, place
from lm_eval_sea.install_hint import install_extra
from lm_eval_sea.results.visible_text import counted
from lm_eval_sea.run.interruption import terminated_as_interrupted

if TYPE_CHECKING:
    from lm_eval_sea.sweep.job_process import Outcome
    from lm_eval_sea.sweep.jobs import Job
    from lm_eval_sea.sweep.plan import Plan
    from lm_eval_sea.sweep.sweep import Engine, Prepared

_ROWS_IN_REPORT = 20


def _sweep(arguments: argparse.Namespace) -> int:
    try:
        with terminated_as_interrupted():
            return _run(arguments)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return fail("interrupted; the same command continues where this one stopped", 130)


def _run(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.sweep.plan import PlanError, read_plan

    if not hasattr(os, "killpg"):  # which ends a job with all its processes
        raise PlanError("sweep does not run on Windows itself; start it in WSL, or each model with `lm-eval-sea run`")
    plan = read_plan(arguments.plan)
    if arguments.download_only:
        return _download(plan, arguments.split)
    engine = _engine(arguments, plan)  # before data is loaded: a wrong address ends the sweep
    from lm_eval_sea.sweep.sweep import carry_out, check_room, notes, prepare

    prepared = prepare(plan, arguments.split)
    for note in notes(prepared, engine):
        print(note)
    if arguments.dry_run:
        from lm_eval_sea.sweep.estimate import describe

        print(describe(prepared, engine.machines()))
        check_room(prepared, engine)  # last: the plan may be for other machines
        return 0
    failed: dict[Job, Outcome] = {}
    try:
        carry_out(prepared, engine, failed)
    except KeyboardInterrupt:
        _print_failures(failed, prepared, arguments)
        complete, _ = prepared.split()
        print(f"{len(complete)} of {len(prepared.jobs)} jobs are complete; to continue: {_again(arguments)}")
        raise
    print("\n".join(report_of(prepared)))
    _print_failures(failed, prepared, arguments)
    return 1 if failed else 0


def report_of(prepared: Prepared) -> list[str]:
    """Writes the report on all complete jobs; returns lines that say where, or why there is none."""
    from lm_eval_sea.results.read import read
    from lm_eval_sea.results.types import ResultsError
    from lm_eval_sea.sweep.completeness import results_of

    complete, _ = prepared.split()
    if not complete:
        return ["no report: no job is complete"]
    try:
        from lm_eval_sea.report.write import write_report
    except ModuleNotFoundError as error:
        return [f"no report: it needs {error.name}: {install_extra('report')}"]
    names = {path.resolve(): job.label for job in complete for path in results_of(job.folder, job.digest)}
    try:
        written = write_report(read(*names, names=names), prepared.plan.output / "report", shown_rows=_ROWS_IN_REPORT)
    except (ResultsError, OSError) as error:
        return [f"no report: {error}"]
    return [*(f"note: {note}" for note in written.notes), f"{written.page}: {written.many}"]


def _print_failures(failed: dict[Job, Outcome], prepared: Prepared, arguments: argparse.Namespace) -> None:
    from lm_eval_sea.sweep.sweep import table_of_failures

    if failed:
        print(table_of_failures(failed))
        again = _again(arguments)
        print(f"{len(failed)} of {len(prepared.jobs)} jobs failed; {again} runs them again (commands above are for debugging)")


def _again(arguments: argparse.Namespace) -> str:
    """The command that continues these jobs. Another `--split` would make other jobs."""
    named = [(f"--{name}", getattr(arguments, name)) for name in ("split", "engine", "address")]
    flags = [part for flag, value in named if value for part in (flag, value)]
    plan = str(arguments.plan)
    return shlex.join(["lm-eval-sea", "sweep", f"./{plan}" if plan.startswith("-") else plan, *flags])


def _engine(arguments: argparse.Namespace, plan: Plan) -> Engine:
    from lm_eval_sea.sweep.plan import PlanError

    if arguments.engine in ("local", "slurm") and arguments.address:
        raise PlanError(f"--address is that of a Ray cluster; leave out --engine {arguments.engine}")
    if arguments.engine == "slurm":
        if importlib.util.find_spec("submitit") is None:
            raise PlanError(f"--engine slurm needs the package submitit: {install_extra('slurm')}")
        from lm_eval_sea.sweep.engine_slurm import SlurmEngine

        return SlurmEngine(plan)
    has_ray = importlib.util.find_spec("ray") is not None
    if (arguments.engine == "ray" or arguments.address) and not has_ray:
        raise PlanError(f"--engine ray and --address need the package ray: {install_extra('ray')}")
    if arguments.engine == "local" or not has_ray:
        from lm_eval_sea.sweep.sweep import LocalEngine

        return LocalEngine()
    from lm_eval_sea.sweep.engine_ray import RayEngine

    return RayEngine(arguments.address)


def _download(plan: Plan, split: str) -> int:
    """Prepares the sweep; this downloads what a machine without a network needs to the hub's caches."""
    from lm_eval_sea.sweep.sweep import prepare

    try:
        tasks = prepare(plan, split).tasks
    except Refusal as error:
        return fail(error, 1)
    rows = sum(len(task.eval_docs) for task in tasks.values())
    of_tasks, of_models = counted(len(tasks), "task"), counted(len(plan.models), "model")
    print(f"downloaded: the rows of {of_tasks} ({rows:,}) and the tokenizers of {of_models}, no weights")
    return 0


SWEEP = Command(
    name="sweep",
    summary="Evaluate many models on many tasks, and continue after an interruption",
    about="""
Each job is `lm-eval-sea run` in its own process. Jobs with a complete result of the same versions, rows and settings are
skipped, so the same command continues an interrupted sweep. docs/sweep.md describes the plan.""",
    examples="""
lm-eval-sea sweep plan.yaml --dry-run
lm-eval-sea sweep plan.yaml --download-only                   on a machine with a network
lm-eval-sea sweep plan.yaml --engine local                    one job after the other
lm-eval-sea sweep plan.yaml --engine slurm                    in the queue of a SLURM cluster
lm-eval-sea sweep plan.yaml --address auto --split task       on a Ray cluster that is running""",
    exits="0, 1 if jobs failed or data is not available, 2 for a plan that cannot be carried out, 130 if interrupted",
    arguments=[
        argument("plan", type=place, metavar="PLAN", help="file of the plan, YAML"),
        argument(
            "--split",
            choices=("task", "suite", "model"),
            default="suite",
            help="what one job runs; it loads its model once (default: %(default)s)",
        ),
        argument("--engine", choices=("local", "ray", "slurm"), help="default: ray where it is installed, else local"),
        argument("--address", metavar="ADDRESS", help="address of a running Ray cluster, or auto (default: start one here)"),
        argument("--dry-run", action="store_true", help="check and print what would be run, without running it"),
        argument("--download-only", action="store_true", help="fetch data and tokenizers, and stop"),
    ],
    run=_sweep,
)
