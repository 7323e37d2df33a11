"""A sweep from its plan to its report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tqdm import tqdm

from lm_eval_sea.results.power import limit_to_see
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.run import answer_cache
from lm_eval_sea.run.workload import planned
from lm_eval_sea.sweep.completeness import LOG, read_mark
from lm_eval_sea.sweep.job_process import Outcome
from lm_eval_sea.sweep.jobs import Job, cut, parts_of
from lm_eval_sea.sweep.plan import Plan, PlanError, Resources
from lm_eval_sea.sweep.preflight import (
    check_disk,
    check_flags,
    check_machines,
    check_models,
    check_writable,
    facts_of,
    load_wanted,
    sampling_of,
)


class Engine(Protocol):
    """What runs jobs on machines."""

    def machines(self) -> list[Resources]:
        """The machines there are."""

    def run(self, plan: Plan, jobs: Iterable[Job], started: Callable[[Job], None], ended: Callable[[Job, Outcome], None]) -> None:
        """Runs jobs; see `LocalEngine.run`."""


@dataclass(frozen=True)
class Prepared:
    """A plan that has been checked."""

    plan: Plan
    jobs: Sequence[Job]
    tasks: Mapping[str, Any]  # lm-eval's, by name

    def split(self) -> tuple[list[Job], list[Job]]:
        """The jobs that are complete, and the others."""
        complete = [job for job in self.jobs if read_mark(job.folder, job.digest)]
        done = {job.folder for job in complete}
        return complete, [job for job in self.jobs if job.folder not in done]


def prepare(plan: Plan, split: str) -> Prepared:
    """Loads the data, once, checks all that can be checked without a model, and cuts the plan into jobs.

    Raises:
        PlanError: for what would fail.
    """
    check_models(plan.models)
    leaves, tasks = load_wanted(plan)
    if plan.detect is not None:
        plan = replace(plan, limit=limit_to_see(plan.detect, [planned(task, len(task.eval_docs)) for task in tasks.values()]))
    jobs = cut(
        plan,
        parts_of(plan.tasks, leaves, split),
        identities={model.name: answer_cache.key_of(model.backend, model.model_args, ()) for model in plan.models},
        tasks=facts_of(tasks),
        sampling=sampling_of(plan),
    )
    folders = [job.folder for job in jobs]
    if twice := sorted({str(folder) for folder in folders if folders.count(folder) > 1} if len(set(folders)) < len(jobs) else ()):
        raise PlanError([f"two jobs with the same output: {folder}" for folder in twice])
    check_flags(jobs, tasks)
    return Prepared(plan, jobs, tasks)


def check_room(prepared: Prepared, engine: Engine) -> None:
    """Compares what the jobs that are not complete need with the machines and the disk.

    Raises:
        PlanError: if no machine, or not the disk, can take them.
    """
    check_machines(prepared.plan, engine.machines())
    check_disk(prepared.plan, prepared.split()[1], prepared.tasks)


def carry_out(prepared: Prepared, engine: Engine, failed: dict[Job, Outcome]) -> None:
    """Runs the jobs that are not complete, with a progress bar; `failed` gets those that fail.

    Raises:
        PlanError: if no machine, or not the disk, can take them.
        KeyboardInterrupt: if the user stopped it; what is running was stopped, too.
    """
    check_room(prepared, engine)
    check_writable(prepared.plan)
    complete, open_jobs = prepared.split()
    with tqdm(total=len(prepared.jobs), initial=len(complete), desc="jobs", unit="job", dynamic_ncols=True) as bar:
        running: set[Job] = set()
        tokens = 0

        def show() -> None:
            shown: dict[str, int | str] = {"running": len(running), "failed": len(failed)}
            if tokens:  # of the jobs that are done
                shown["tokens/s"] = f"{tokens / bar.format_dict['elapsed']:,.0f}"
            bar.set_postfix(shown)

        def started(job: Job) -> None:
            running.add(job)
            show()

        def ended(job: Job, outcome: Outcome) -> None:
            nonlocal tokens
            running.discard(job)
            mark = read_mark(job.folder, job.digest)
            if outcome.status or mark is None:
                failed[job] = outcome
                bar.write(f"failed: {job.folder}: {one_line(outcome.last_line)} (log: {job.folder / LOG})")
            else:
                tokens += mark.get("tokens") or 0
            bar.update()
            show()

        show()
        if open_jobs:
            engine.run(prepared.plan, open_jobs, started, ended)


def state(prepared: Prepared, failed: Collection[Job]) -> str:
    """How many jobs are complete, failed, have begun, with their names, and never have."""
    complete, open_jobs = prepared.split()
    left = [job for job in open_jobs if job not in failed]
    begun = [str(job.folder) for job in left if (job.folder / LOG).exists()]
    numbers = {
        "complete": len(complete),
        "failed": len(failed),
        "stopped": f"{len(begun)}  {some_names(begun)}",
        "not begun": len(left) - len(begun),
    }
    return "\n".join(f"{name:<9} {number}".rstrip() for name, number in numbers.items())


def table_of_failures(failed: Mapping[Job, Outcome]) -> str:
    """The jobs that failed, each with its last line and the command that shows the fault."""
    lines = [
        f"failed: {job.folder}\n  {one_line(outcome.last_line)}\n  shown by: {job.command}" for job, outcome in failed.items()
    ]
    return "\n".join(lines)
