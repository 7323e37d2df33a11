"""Runs jobs on a Ray cluster, which schedules them, and repeats those whose worker or node dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from typing import Any

import ray

from lm_eval_sea.sweep.job_process import Outcome, run_job
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import Plan, PlanError, Resources
from lm_eval_sea.sweep.sweep import Ended
from lm_eval_sea.tasks._shared.hub_files import first_line

_RETRIES = 10  # of a job whose worker or node died; a job that kills its machine each time must end, too
_WAIT_FOR_END = 45  # seconds that interrupted jobs get


class RayEngine:
    """A Ray cluster: a running one, or one on this machine that ends with the sweep."""

    def __init__(self, address: str | None) -> None:
        """Joins the cluster at an address, or with "auto" the one that is running; None starts one here when it is needed."""
        if address is not None:
            _begin(address)

    def machines(self) -> list[Resources]:
        """The nodes that are alive."""
        if not ray.is_initialized():
            _begin(None)
        alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        return [Resources(each.get("GPU", 0), each.get("CPU", 0), each.get("memory", 0) / 1e9) for each in alive]

    def run(self, plan: Plan, jobs: Iterable[Job]) -> Ended:
        """Runs jobs; see `Engine.run`. Each is a Ray task, which begins when a node has what it needs."""
        needed = plan.resources
        remote = ray.remote(
            num_cpus=needed.cpus or 1,
            num_gpus=needed.gpus,
            memory=int(needed.memory_gb * 1e9) or None,
            max_retries=_RETRIES,
            max_calls=1,  # a worker ends with its job, and with it what the job left behind
        )(run_job)  # a task that Ray repeats finds the results of an attempt that was complete
        waiting = {remote.remote(job.task(plan)): job for job in jobs}
        try:
            while waiting:
                done, _ = ray.wait(list(waiting))
                for reference in done:
                    yield waiting.pop(reference), _outcome(reference)
        except BaseException:
            for reference in waiting:
                ray.cancel(reference, force=False)
            ray.wait(list(waiting), num_returns=len(waiting), timeout=_WAIT_FOR_END)
            raise


def _begin(address: str | None) -> None:
    interrupted = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address or "local", log_to_driver=False, include_dashboard=False if address is None else None)
    except Exception as error:  # Ray raises plain ones, too
        where = f"--address {address}: no Ray cluster answers there" if address else "Ray cannot be started here"
        if address not in (None, "auto") and "RAY_AUTH_MODE" not in os.environ:
            where += "; if it has a token, set RAY_AUTH_MODE=token"  # Ray itself says so only in its log
        raise PlanError(f"{where} ({first_line(error)})") from error
    signal.signal(signal.SIGTERM, interrupted)  # in place of Ray's handler, which aborts the process


def _outcome(reference: Any) -> Outcome:
    try:
        outcome: Outcome = ray.get(reference)
        return outcome
    except ray.exceptions.RayError as error:
        return Outcome(1, f"Ray gave up the job: {first_line(error)}")
