"""Runs jobs in the queue of a SLURM cluster, through submitit: as arrays, which continue without the sweep."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import submitit
from tqdm import tqdm

from lm_eval_sea.catalogue.whole_files import read_json, write_whole
from lm_eval_sea.results.read import LOCK
from lm_eval_sea.results.types import mapping_of
from lm_eval_sea.results.written_folder import appending, lock
from lm_eval_sea.run.interruption import interrupted_afterwards
from lm_eval_sea.run.request import in_one_line
from lm_eval_sea.sweep.completeness import read_mark
from lm_eval_sea.sweep.job_process import Outcome, run_job
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import SLURM_FOLDER, Plan, PlanError, Resources
from lm_eval_sea.sweep.sweep import Ended

_REQUEUES = 10  # of a job whose time was up; one that makes no progress must end, too
_LARGEST_ARRAY = 1000  # SLURM's own limit, MaxArraySize, is 1001 by default
_PATIENCE = 5.0  # seconds between two looks at the jobs
_MARGIN = 10  # minutes beyond the plan's limit for a job, which the job itself enforces
_UNTIL_SLURM_ENDS_IT = 300  # seconds between the signal that SLURM sends and the end of the process
_LEAST = 5  # minutes: SLURM's warning may come two and a half before a job's end, and the job needs some to begin
_ASKED_AGAIN = 60  # seconds between two questions to the queue
_LATE_FILES = 15  # seconds until a shared disk shows what an ended job has written
# States of jobs that are over; squeue lists these for some minutes. Jobs in other states will go on, perhaps after a while.
_OVER = {
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED"),
    "TIMEOUT",
}
_USUAL = {"None", "Priority", "Resources", "JobArrayTaskLimit", "BeginTime"}  # ordinary reasons to wait


class SlurmEngine:
    """The queue of the cluster that this machine belongs to. Its files lie in the folder `slurm` of the sweep's output."""

    def __init__(self, plan: Plan) -> None:
        """Asks for what `resources`, `minutes` and `slurm` of a plan say."""
        self._folder = plan.output.resolve() / SLURM_FOLDER
        self._record = self._folder / "jobs.json"  # folder and digest of a job → its number in the queue
        self._partition = plan.slurm.get("partition")
        if {"%", "\\"} & set(str(self._folder)):
            raise PlanError(f"output {plan.output}: SLURM reads % and \\ in its name as something else; name another folder")
        asked = _parameters(plan)
        for name in _in_the_way(plan):
            os.environ.pop(name, None)
        try:
            # where SBATCH_EXPORT is NONE, srun would pass on nothing that the script sets
            asked["slurm_srun_args"] = ["--export=ALL", *asked.get("slurm_srun_args", ())]
            # some clusters requeue only jobs that ask for it
            asked["slurm_additional_parameters"] = {"requeue": True, **asked.get("slurm_additional_parameters", {})}
            self._executor = submitit.AutoExecutor(self._folder, cluster="slurm", slurm_max_num_timeout=_REQUEUES)
            self._executor.update_parameters(**asked)
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
            said = in_one_line(RuntimeError(getattr(error, "stderr", "") or error))
            raise PlanError(f"--engine slurm: sinfo does not say what the nodes have ({said})") from error
        nodes = [_node(line) for line in said.splitlines() if line.count("|") == 2]
        if self._partition and not nodes:
            raise PlanError(f"slurm: partition: sinfo knows no nodes of {self._partition}")
        return nodes

    def run(self, plan: Plan, jobs: Iterable[Job]) -> Ended:
        """Runs jobs; see `Engine.run`. It waits for jobs that an earlier sweep left in the queue, and does not submit them again.

        An interrupt cancels all jobs that it waits for. If this process is killed, SLURM keeps the jobs.
        """
        waiting = self.submit(list(jobs), plan)
        queue: _Queue | None = None
        asked, noted = -math.inf, set[str]()
        try:
            while waiting:
                time.sleep(_PATIENCE)
                if time.monotonic() - asked >= _ASKED_AGAIN:
                    queue, asked = _ask_queue(), time.monotonic()
                    for reason, note in _notes(queue, waiting).items():
                        if reason not in noted:
                            noted.add(reason)
                            tqdm.write(f"note: {note}", file=sys.stderr)
                with contextlib.suppress(OSError):  # makes a shared disk list what is there now
                    self._folder.chmod(self._folder.stat().st_mode)
                ended = [job for job, each in waiting.items() if each.paths.result_pickle.exists()]
                gone = [job for job, each in waiting.items() if job not in ended and queue is not None and _is_over(queue, each)]
                if gone:
                    time.sleep(_LATE_FILES)
                for job in (*ended, *gone):
                    yield job, _outcome(waiting.pop(job), queue or {})
        except BaseException:
            with self._alone():
                self._cancel(waiting)
            raise

    def submit(self, jobs: Sequence[Job], plan: Plan) -> dict[Job, submitit.Job[Outcome]]:
        """Submits jobs; returns them with their handles in the queue, and records these for other sweeps, which wait meanwhile.

        What an earlier plan left in the queue for the folder of a job is cancelled: it would replace this one's results.
        """
        with self._alone():
            return self._submit(jobs, plan)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Inside, no other sweep changes what is in the queue for this folder."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with appending(self._folder / LOCK) as file:
            try:
                lock(file)
            except BlockingIOError:
                tqdm.write("note: another sweep is submitting jobs for this folder; this one waits for it", file=sys.stderr)
                lock(file, patience=math.inf)
            yield

    def _submit(self, jobs: Sequence[Job], plan: Plan) -> dict[Job, submitit.Job[Outcome]]:
        known = mapping_of(read_json(self._record))
        queue = _ask_queue() if known else {}
        if queue is None:
            raise PlanError("--engine slurm: squeue does not say whether jobs of an earlier sweep are still there; try later")
        handles: dict[str, submitit.Job[Outcome]] = {
            key: submitit.SlurmJob(self._folder, number) for key, number in known.items()
        }
        there = {key: each for key, each in handles.items() if not _is_over(queue, each)}
        keys = {_key(job): job for job in jobs}
        folders = {str(job.folder) for job in jobs}
        if old := [known.pop(key) for key in there if key not in keys and key.rpartition(" ")[0] in folders]:
            subprocess.run(["scancel", *old], check=False)
        # one that has ended since the sweep looked for complete jobs is complete now
        kept = {key: job for key, job in keys.items() if key in there or key in known and read_mark(job.folder, job.digest)}
        found = {job: handles[key] for key, job in kept.items()}
        new = [job for job in jobs if job not in found]
        for first in range(0, len(new), _LARGEST_ARRAY):
            part = new[first : first + _LARGEST_ARRAY]
            try:
                with interrupted_afterwards():
                    found |= dict(zip(part, self._executor.map_array(_Attempt(), [job.task(plan) for job in part]), strict=True))
                    known |= {_key(job): found[job].job_id for job in part}
                    write_whole(self._record, json.dumps(known, indent=1))
            except submitit.core.utils.FailedJobError as error:  # its last line is sbatch's message
                fault = f"slurm: sbatch refused {len(part)} jobs: {_last_line(str(error))}"
                fault += "; --split model makes fewer jobs" if "submit limit" in fault else ""
                others = f"; {len(found)} others stay in the queue, and the same command waits for them" if found else ""
                raise PlanError(fault + others) from error
            except KeyboardInterrupt:
                self._cancel(found)
                raise
        return found

    def _cancel(self, jobs: Mapping[Job, submitit.Job[Outcome]]) -> None:
        """Cancels jobs, and forgets them: they may stay in the queue for a while, but the same command needs new ones."""
        if not jobs:
            return
        with interrupted_afterwards():
            if subprocess.run(["scancel", *(each.job_id for each in jobs.values())], check=False).returncode:
                failed = f"note: scancel failed: {len(jobs)} jobs stay in SLURM's queue, and the same command waits for them"
                tqdm.write(failed, file=sys.stderr)
                return
            left = mapping_of(read_json(self._record)).items() - {(_key(job), each.job_id) for job, each in jobs.items()}
            write_whole(self._record, json.dumps(dict(left), indent=1))


_Queue = Mapping[str, tuple[str, str]]  # number of a job → its state, and why it waits


def _ask_queue() -> _Queue | None:
    """All of this user's jobs that squeue has; None if it does not answer. `sacct` would need a database of jobs."""
    command = ["squeue", "--noheader", "--array", "--states=all", "--format=%i %T %r", f"--user={os.getuid()}"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    lines = [line.split(maxsplit=2) for line in said.splitlines()]
    return {number: (state, "".join(reason)) for number, state, *reason in filter(None, lines)}


def _is_over(queue: _Queue, submitted: submitit.Job[Outcome]) -> bool:
    return queue.get(submitted.job_id, ("COMPLETED", ""))[0] in _OVER


def _notes(queue: _Queue | None, waiting: Mapping[Job, submitit.Job[Outcome]]) -> dict[str, str]:
    """What a user should know of the queue: reason → note."""
    if queue is None:
        return {"": "squeue does not answer; the sweep goes on asking it once a minute"}
    pending = [(number, queue[number]) for each in waiting.values() if (number := each.job_id) in queue]
    found = {reason: number for number, (state, reason) in pending if state == "PENDING" and reason not in _USUAL}
    return {why: f"jobs wait in SLURM's queue: {why}; for details: scontrol show job {number}" for why, number in found.items()}


def _in_the_way(plan: Plan) -> list[str]:
    """Environment variables that would override the plan in sbatch, and those of a job that the sweep itself runs in."""
    ours = ("TIMELIMIT", "SIGNAL", "NO_REQUEUE", "MEM_PER_NODE", "MEM_PER_CPU", "GPUS_PER_NODE", "OUTPUT", "ERROR")
    found = [f"SBATCH_{name.upper()}" for name in (*ours, *plan.slurm)]
    if "SLURM_JOB_ID" in os.environ:
        found += [name for name in os.environ if name.startswith("SLURM_") and name != "SLURM_CONF"]
    return found


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
    if isinstance(setup := own.get("setup"), str):  # submitit takes a list
        own["setup"] = [setup]
    minutes = own.pop("time", None) or (plan.minutes and plan.minutes + _MARGIN)
    if not minutes or minutes < _LEAST:
        raise PlanError(f"slurm: time: expected the minutes of a job, at least {_LEAST}; one that needs more is queued again")
    if not float(needed.gpus).is_integer():
        raise PlanError(f"resources: gpus: SLURM gives whole GPUs, not {needed.gpus:g}")
    asked = {"cpus_per_task": int(needed.cpus), "gpus_per_node": int(needed.gpus), "mem_gb": needed.memory_gb}
    return {
        "name": "lm-eval-sea",
        "timeout_min": math.ceil(minutes),
        **{name: value for name, value in asked.items() if value},
        **{f"slurm_{name}": value for name, value in own.items()},
    }


def _node(line: str) -> Resources:
    """A line of sinfo, such as `64|515000|gpu:a100:8(S:0-1)`: CPUs, MB of memory, devices."""
    cpus, memory, devices = line.split("|")
    gpus = sum(int(number) for number in re.findall(r"gpu(?::[^:,(]+)?:(\d+)", devices))
    return Resources(gpus, int(re.sub(r"\D", "", cpus) or 0), int(re.sub(r"\D", "", memory) or 0) / 1000)


def _outcome(submitted: submitit.Job[Outcome], queue: _Queue) -> Outcome:
    state = queue.get(submitted.job_id, ("", ""))[0]
    try:
        if submitted.paths.result_pickle.exists():
            return submitted.result()
        said = _last_words(submitted.paths)
    except submitit.core.utils.FailedJobError as error:  # the traceback and, after dashes, the names of logs
        state, said = "", _last_line(str(error).rpartition("\n----")[0])
    state = f" ({state})" if state else ""
    return Outcome(1, f"SLURM's job {submitted.job_id} ended without a result{state}: {said}")


def _last_words(paths: submitit.core.utils.JobPaths) -> str:
    """The last line of a job's log. Lines of srun and submitit count only without others: they follow from SLURM's own."""
    try:
        lines = paths.stderr.read_text(errors="replace").splitlines()
    except OSError:
        return f"there is no {paths.stderr}"
    own = [line for line in lines if not line.startswith(("srun: ", "submitit "))]
    return _last_line("\n".join(own or lines))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip(" -")]
    return lines[-1] if lines else "nothing was said"
