"""Runs jobs one after the other on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from lm_eval_sea.sweep.job_process import Outcome, run_job
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import Plan, Resources


class LocalEngine:
    """One job at a time, on the machine that the sweep was started on."""

    def machines(self) -> list[Resources]:
        """What there is; memory is the whole of the machine's."""
        import psutil
        import torch

        return [Resources(torch.cuda.device_count(), os.cpu_count() or 1, psutil.virtual_memory().total / 1e9)]

    def run(self, plan: Plan, jobs: Iterable[Job], started: Callable[[Job], None], ended: Callable[[Job, Outcome], None]) -> None:
        """Runs jobs; calls `started` for each that begins, and `ended` with its outcome."""
        for job in jobs:
            started(job)
            ended(job, run_job(job.task(plan)))
