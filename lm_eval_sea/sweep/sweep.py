"""A sweep from its plan to its report."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tqdm import tqdm

from lm_eval_sea.results.read import REPLACED
from lm_eval_sea.results.types import grouped
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.run import answer_cache
from lm_eval_sea.run.output_folder import probe
from lm_eval_sea.run.workload import limit_to_detect
from lm_eval_sea.sweep import preflight
from lm_eval_sea.sweep.completeness import LOG, differing, mark_in, read_mark
from lm_eval_sea.sweep.job_process import Outcome, run_job
from lm_eval_sea.sweep.jobs import Job, cut, parts_of
from lm_eval_sea.sweep.plan import Plan, Resources

Ended = Generator[tuple[Job, Outcome], None, None]


class Engine(Protocol):
    """What runs jobs on machines."""

    def machines(self) -> list[Resources]:
        """The available machines."""

    def run(self, plan: Plan, jobs: Iterable[Job]) -> Ended:
        """Runs jobs, and yields each when it ends. Closing the generator ends the running jobs."""


class LocalEngine:
    """One job at a time, on the machine that the sweep was started on."""

    def machines(self) -> list[Resources]:
        """The local machine, with all its memory."""
        import psutil
        import torch

        return [Resources(torch.cuda.device_count(), os.cpu_count() or 1, psutil.virtual_memory().total / 1e9)]

    def run(self, plan: Plan, jobs: Iterable[Job]) -> Ended:
        """As `Engine.run`."""
        for job in jobs:
            yield job, run_job(job.task(plan))


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
    """Loads the data, once, checks all that can be checked without a model, and cuts the plan into jobs."""
    preflight.check_models(plan)
    leaves, tasks = preflight.load_wanted(plan)
    if plan.detect is not None:
        plan = replace(plan, limit=limit_to_detect(plan.detect, tasks, "detect"))
    jobs = cut(
        plan,
        parts_of(plan.tasks, leaves, split),
        identities={model.name: answer_cache.key_of(model.backend, model.model_args, ()) for model in plan.models},
        tasks=preflight.versions_of(tasks),
        sampling=preflight.sampling_of(plan),
    )
    preflight.check_flags(jobs, tasks)
    return Prepared(plan, jobs, tasks)


def check_room(prepared: Prepared, engine: Engine) -> None:
    """Compares what the jobs that are not complete need with the machines and the disk."""
    preflight.check_machines(prepared.plan, engine.machines())
    preflight.check_disk(prepared.plan, prepared.split()[1], prepared.tasks)


def carry_out(prepared: Prepared, engine: Engine, failed: dict[Job, Outcome]) -> None:
    """Runs the jobs that are not complete, with a progress bar; `failed` gets those that fail. An interrupt ends all."""
    check_room(prepared, engine)
    probe(str(prepared.plan.output), "output")
    complete, open_jobs = prepared.split()
    bar = tqdm(total=len(prepared.jobs), initial=len(complete), desc="jobs", unit="job", dynamic_ncols=True)
    with bar, contextlib.closing(engine.run(prepared.plan, open_jobs)) as ended:
        bar.set_postfix({"failed": 0})
        for job, outcome in ended:
            if not outcome.status and not read_mark(job.folder, job.digest):
                outcome = replace(outcome, status=1, last_line="its results are not there: removed, or replaced by another sweep")
            if outcome.status:
                failed[job] = outcome
                bar.write(f"failed: {job.folder}: {one_line(outcome.last_line)} (log: {job.folder / LOG})")
            bar.update()
            bar.set_postfix({"failed": len(failed)})
    for job in [job for job in failed if read_mark(job.folder, job.digest)]:  # another sweep has completed it
        del failed[job]


def _note_on_gpus(plan: Plan, engine: Engine) -> str:
    """What is wrong with the use of GPUs, if models would use them: jobs ask a cluster for none, or leave some without work."""
    wants = any(model.backend.startswith(("hf", "vllm")) and model.run.get("device") != "cpu" for model in plan.models)
    most = max((machine.gpus for machine in engine.machines()), default=0) if wants else 0
    if isinstance(engine, LocalEngine):
        is_idle = most > max(plan.resources.gpus, 1)
        return f"one job runs at a time, and this machine has {most:g} GPUs; with Ray several run at once" if is_idle else ""
    asks = plan.resources.gpus or any(key.startswith("gpus") or key == "gres" for key in plan.slurm)
    none = "resources: the jobs ask for no GPUs, so they get none of the machines' or share them; give gpus: 1"
    return none if most and not asks else ""


def notes(prepared: Prepared, engine: Engine) -> list[str]:
    """Notes on what runs more than once (tasks in several entries of the plan, jobs that were complete), and on missing GPUs."""
    parts = {job.part.name: job.part for job in prepared.jobs}.values()
    times = Counter(leaf for part in parts for leaf in part.leaves)
    found = []
    if several := [leaf for leaf, count in times.items() if count > 1]:
        found.append(
            f"tasks in several entries of the plan run once for each (with --split task or model once): {some_names(several)}"
        )
    found += filter(None, [_note_on_gpus(prepared.plan, engine)])
    why = []
    for job in prepared.split()[1]:
        if mark := mark_in(job.folder):
            is_same = mark.get("digest") == job.digest
            why.append(("its files were changed" if is_same else f"other {', '.join(differing(job.folder, job.asked))}", job))
    for reason, jobs in grouped(why).items():
        folders = some_names([str(job.folder) for job in jobs])
        found.append(f"complete jobs that run again ({reason}), with their results kept in {REPLACED}: {folders}")
    return [f"note: {line}" for line in found]


def table_of_failures(failed: Mapping[Job, Outcome]) -> str:
    """The jobs that failed, each with its last line and the command that shows the fault."""
    return "\n".join(
        f"failed: {job.folder}\n  {one_line(outcome.last_line)}\n  shown by: {job.command}" for job, outcome in failed.items()
    )
