"""Runs jobs in the queue of a SLURM cluster, through submitit: as arrays, which continue without the sweep."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import submitit
from submitit.slurm.slurm import SlurmInfoWatcher

from lm_eval_sea.results.written_folder import write_whole
from lm_eval_sea.run.request import in_one_line
from lm_eval_sea.sweep.completeness import read_mark
from lm_eval_sea.sweep.job_process import Outcome, run_job
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import SLURM_FOLDER, Plan, PlanError, Resources
from lm_eval_sea.sweep.sweep import Ended

_REQUEUES = 10  # of a job whose time was up; one that makes no progress must end, too
_LARGEST_ARRAY = 1000  # SLURM's own limit, MaxArraySize, is 1001 by default
_PATIENCE = 5.0  # seconds between two looks at the jobs
_MARGIN = 10  # minutes beyond the plan's limit for a job, which the job itself keeps
_UNTIL_SLURM_ENDS_IT = 300  # seconds between the signal that SLURM sends and the end of the process
_ASKED_AGAIN = 60  # seconds between two questions to the queue
_IN_QUEUE, _ENDED = "PENDING", "ENDED"  # as submitit takes states: any but a few means the end


class _Queue(SlurmInfoWatcher):
    """Tells submitit which jobs the queue has, in whatever state.

    Its own way, `sacct`, works only on clusters with a database of jobs, takes a suspended job for one that has ended, and
    waits for ever for one that was preempted and not queued again.
    """

    def _make_command(self) -> list[str] | None:
        if not self._registered - self._finished:
            return None
        states = "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING"
        return ["squeue", "--noheader", "--array", "--format=%i", f"--user={os.getuid()}", states]

    def read_info(self, string: bytes | str) -> dict[str, dict[str, str]]:
        there = set((string if isinstance(string, str) else string.decode()).split())
        return {job: {"State": _IN_QUEUE if job in there else _ENDED} for job in self._registered}


class SlurmEngine:
    """The queue of the cluster that this machine belongs to. Its files lie in the folder `slurm` of the sweep's output."""

    def __init__(self, plan: Plan) -> None:
        """Asks for what `resources`, `minutes` and `slurm` of a plan say."""
        self._folder = plan.output.resolve() / SLURM_FOLDER
        self._record = self._folder / "jobs.json"  # folder and digest of a job → its number in the queue
        self._partition = plan.slurm.get("partition")
        asked = _parameters(plan)
        try:
            self._executor = submitit.AutoExecutor(self._folder, cluster="slurm", slurm_max_num_timeout=_REQUEUES)
            self._executor.update_parameters(**asked)
            submitit.SlurmJob.watcher = _Queue(delay_s=_ASKED_AGAIN)
        except RuntimeError as error:  # submitit looks for srun
            raise PlanError("--engine slurm: there is no srun here; start the sweep where you would call sbatch") from error
        except (ValueError, NameError, TypeError, AssertionError) as error:
            raise PlanError(f"slurm: {in_one_line(error)}") from error

    def machines(self) -> list[Resources]:
        """What the nodes of the partition have, one entry for each kind of node."""
        command = ["sinfo", "--noheader", "--format=%c|%m|%G", *([f"--partition={self._partition}"] if self._partition else [])]
        try:
            said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
        except (OSError, subprocess.SubprocessError) as error:
            raise PlanError(f"--engine slurm: sinfo does not say what the nodes have ({error})") from error
        return [_node(line) for line in said.splitlines() if line.count("|") == 2]

    def run(self, plan: Plan, jobs: Iterable[Job]) -> Ended:
        """Runs jobs; see `Engine.run`. It waits for jobs that an earlier sweep left in the queue, and does not submit them again.

        An interrupt cancels all jobs that it waits for. If this process is killed, SLURM keeps the jobs.
        """
        waiting = self.submit(list(jobs), plan)
        try:
            while waiting:
                time.sleep(_PATIENCE)
                for job, submitted in list(waiting.items()):
                    if submitted.done():
                        yield job, _outcome(waiting.pop(job))
        except BaseException:
            self._cancel(waiting)
            raise

    def submit(self, jobs: Sequence[Job], plan: Plan) -> dict[Job, submitit.Job[Outcome]]:
        """Submits jobs; returns them with their handles in the queue, and records these for a later sweep.

        What an earlier plan left in the queue for the folder of a job is cancelled: it would replace this one's results.
        """
        known = _read(self._record)
        found: dict[Job, submitit.Job[Outcome]] = {}
        asked = {str(job.folder): job.digest for job in jobs}
        for key, queued in list(known.items()):
            folder, _, digest = key.rpartition(" ")
            if asked.get(folder, digest) != digest:
                submitit.SlurmJob[Outcome](self._folder, queued).cancel(check=False)
                del known[key]
        earlier = {job: submitit.SlurmJob[Outcome](self._folder, known[key]) for job in jobs if (key := _key(job)) in known}
        for job, there in earlier.items():
            state = there.get_info("standard").get("State")
            if state is None:
                raise PlanError("--engine slurm: squeue does not say whether jobs of an earlier sweep are still there; try later")
            # one that has ended since the sweep looked for complete jobs is complete now
            if state == _IN_QUEUE or read_mark(job.folder, job.digest):
                found[job] = there
        new = [job for job in jobs if job not in found]
        for first in range(0, len(new), _LARGEST_ARRAY):
            part = new[first : first + _LARGEST_ARRAY]
            try:
                found |= dict(zip(part, self._executor.map_array(_Attempt(), [job.task(plan) for job in part]), strict=True))
            except submitit.core.utils.FailedJobError as error:  # its last line is sbatch's message
                raise PlanError(f"slurm: sbatch refused the jobs: {_last_line(str(error))}") from error
            except KeyboardInterrupt:
                self._cancel(found)
                raise
            known |= {_key(job): found[job].job_id for job in part}
            write_whole(self._record, json.dumps(known, indent=1))
        return found

    def _cancel(self, jobs: Mapping[Job, submitit.Job[Outcome]]) -> None:
        """Cancels jobs, and forgets them: they may stay in the queue for a while, but the same command needs new ones."""
        if not jobs:
            return
        subprocess.run(["scancel", *(each.job_id for each in jobs.values())], check=False)
        left = _read(self._record).items() - {(_key(job), each.job_id) for job, each in jobs.items()}
        write_whole(self._record, json.dumps(dict(left), indent=1))


def _key(job: Job) -> str:
    return f"{job.folder} {job.digest}"


class _Attempt:
    """What a node runs: the process of one job. submitit puts it back into the queue when its time is nearly up."""

    def __call__(self, task: Mapping[str, Any]) -> Outcome:
        outcome = run_job(task)
        if outcome.status in (130, -signal.SIGTERM, -signal.SIGUSR1, -signal.SIGUSR2):
            # SLURM takes the node back or cancels the job, and ends this process, too. A result would mean that the job is done.
            time.sleep(_UNTIL_SLURM_ENDS_IT)
        return outcome

    def checkpoint(self, task: Mapping[str, Any]) -> submitit.helpers.DelayedSubmission:
        """The same job again: it continues with the answers that are on disk."""
        return submitit.helpers.DelayedSubmission(self, task)


def _parameters(plan: Plan) -> dict[str, Any]:
    """What each job asks SLURM for, under submitit's names."""
    needed, own = plan.resources, dict(plan.slurm)
    minutes = own.pop("time", None) or (plan.minutes and plan.minutes + _MARGIN)
    if not minutes:
        raise PlanError("slurm: time: expected the minutes that a job gets at a time; a job that needs more is queued again")
    if not float(needed.gpus).is_integer():
        raise PlanError(f"resources: gpus: SLURM gives whole GPUs, not {needed.gpus:g}")
    asked = {"cpus_per_task": int(needed.cpus), "gpus_per_node": int(needed.gpus), "mem_gb": needed.memory_gb}
    return {
        "name": "lm-eval-sea",
        "timeout_min": int(minutes),
        **{name: value for name, value in asked.items() if value},
        **{f"slurm_{name}": value for name, value in own.items()},
    }


def _node(line: str) -> Resources:
    """A line of sinfo, such as `64|515000|gpu:a100:8(S:0-1)`: CPUs, MB of memory, devices."""
    cpus, memory, devices = line.split("|")
    gpus = sum(int(number) for number in re.findall(r"gpu(?::[^:,(]+)?:(\d+)", devices))
    return Resources(gpus, int(re.sub(r"\D", "", cpus) or 0), int(re.sub(r"\D", "", memory) or 0) / 1000)


def _outcome(submitted: submitit.Job[Outcome]) -> Outcome:
    try:
        return submitted.result()
    except submitit.core.utils.FailedJobError as error:  # the traceback and, after dashes, the names of logs
        said = _last_line(str(error).rpartition("\n----")[0])
    except submitit.core.utils.UncompletedJobError as error:
        said = _last_line(str(error))
    return Outcome(1, f"SLURM's job {submitted.job_id} ended without a result: {said}", 0)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip(" -")]
    return lines[-1] if lines else "nothing was said"


def _read(record: Path) -> dict[str, str]:
    try:
        return dict(json.loads(record.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}
