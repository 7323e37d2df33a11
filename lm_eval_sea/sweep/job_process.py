"""The process of one job: `lm-eval-sea run`, and what makes its results count.

`run_job` starts it as `python -m lm_eval_sea.sweep.job_process`, writes one line to its standard input and keeps that open.
When that closes, `run_job` is dead. The process then ends itself at once, so that the job can be run elsewhere and two processes
never write to one folder.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_sea.results.read import LOCK
from lm_eval_sea.results.secrets import masked_text
from lm_eval_sea.results.visible_text import visible
from lm_eval_sea.results.written_folder import appending, lock
from lm_eval_sea.run.interruption import terminated_as_interrupted
from lm_eval_sea.run.request import RunError
from lm_eval_sea.sweep import completeness
from lm_eval_sea.sweep.completeness import LOG, IncompleteError, read_mark

STARTED = "--- started"
_ATTEMPTS = 3  # at a job whose process is killed, perhaps for lack of memory
_PATIENCE = 0.1  # seconds between two looks at the process of a job
_WAIT_FOR_LOCK = 60  # seconds; a process whose parent was killed needs a moment to end
_WAIT_AFTER_INTERRUPT = 30  # seconds for a run to end by itself
_FULL = 2**20  # bytes; a disk with less is full
_TAIL = 8192  # bytes at the end of a log in which its last line is looked for


@dataclass(frozen=True)
class Outcome:
    """How the process of a job ended."""

    status: int  # of its exit; 0: the job is complete
    last_line: str  # of its log


def run_job(task: Mapping[str, Any]) -> Outcome:
    """Runs a job (`Job.task`) in its own process, and waits. An interrupt is passed on to the process.

    A process that was killed is started again, a few times; it continues with the answers that are on disk.
    """
    for _ in range(_ATTEMPTS):
        outcome = _attempt(task)
        if outcome.status != -signal.SIGKILL:
            break
    return outcome


def _attempt(task: Mapping[str, Any]) -> Outcome:
    folder, shared = Path(task["cwd"], task["folder"]), Path(task["cwd"], task["output"])
    if not shared.is_dir():  # made here, it would be on a disk of this machine alone
        return Outcome(1, f"there is no folder {shared} on {socket.gethostname()}; all machines need the same disk")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log = appending(folder / LOG)
    except OSError as error:  # of this job only; the others continue
        return Outcome(1, f"the folder of the job cannot be written to ({error.strerror})")
    environment = dict(os.environ)
    if task["cpus"]:
        environment["OMP_NUM_THREADS"] = str(max(1, int(task["cpus"])))
    begin = time.monotonic()
    with log:
        process = subprocess.Popen(
            [sys.executable, "-m", "lm_eval_sea.sweep.job_process"],
            stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment, cwd=task["cwd"],
            start_new_session=True,
        )  # fmt: skip
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(task, default=str).encode() + b"\n")
            process.stdin.flush()
            while (status := process.poll()) is None:  # in one long wait, Python would not notice that Ray cancels the job
                if task["minutes"] and time.monotonic() - begin > 60 * task["minutes"]:
                    _end(process)
                    return Outcome(1, f"ended after {task['minutes']:g} minutes, the plan's limit")
                time.sleep(_PATIENCE)
        except BrokenPipeError:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
        finally:
            process.stdin = None  # an open pipe would be flushed again when it is collected
    killed = f"killed by signal {-status}" if status < 0 else ""
    killed += ", perhaps for lack of memory" if status == -signal.SIGKILL else ""
    said = killed or last_line(folder) or f"ended with status {status} and an empty log"
    if status and shutil.disk_usage(folder).free < _FULL:  # the log may lack its end, too
        said = f"the disk of {folder} is full; {said}"
    return Outcome(status, said)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and its children, first with a signal that lets a run keep what it has.

    Ctrl-C would be ignored in a sweep that a shell started in the background.
    """
    for number, patience in ((signal.SIGTERM, _WAIT_AFTER_INTERRUPT), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            process.wait()
            return


def last_line(folder: Path) -> str:
    """The last line of a job's log that is neither empty nor an indented continuation of an error."""
    try:
        with (folder / LOG).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            lines = file.read().decode(errors="replace").replace("\r", "\n").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip() and not line.startswith("  ")), "")


def _end_with(pipe: int) -> None:
    """Kills this process and its children when nobody holds the other end of a pipe."""
    while os.read(pipe, 4096):
        pass
    os.killpg(0, signal.SIGKILL)


def main() -> int:
    """Runs the job that standard input names; returns the exit status."""
    pipe = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    line = io.FileIO(pipe, closefd=False).readline()
    if not line.endswith(b"\n"):  # its parent is dead already
        os._exit(1)
    task = json.loads(line)
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    folder = Path(task["folder"])
    try:
        with appending(folder / LOCK) as file:
            busy = IncompleteError(f"another process works on {folder}; is this sweep running elsewhere?")
            lock(file, busy, patience=_WAIT_FOR_LOCK)
            _run(task, folder)
    except RunError as error:
        where = f" (on {socket.gethostname()})" if isinstance(error, IncompleteError) else ""  # machines may differ in this
        # another process may be writing its progress bar to this log
        print(f"\nlm-eval-sea: {visible(masked_text(str(error)))}{where}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return 130
    return 0


def _run(task: Mapping[str, Any], folder: Path) -> None:
    if read_mark(folder, task["digest"]):
        return
    model_args = task["asked"]["settings"]["model_args"]
    completeness.check_versions(task["versions"])
    completeness.check_model(model_args, task["files"])
    completeness.set_aside(folder, Path(task["output"]))
    completeness.remove_incomplete(folder)
    if completeness.restore(folder, Path(task["output"]), task["digest"]):
        return
    print(f"{STARTED} {time.time():.3f} {masked_text(' '.join(task['arguments']))}", flush=True)
    from lm_eval_sea.run import run

    with terminated_as_interrupted():
        completeness.check_answered(folder, task["digest"], run.run(task["arguments"]))
    completeness.check_model(model_args, task["files"])  # ongoing training may have overwritten what was loaded
    completeness.write_mark(folder, task["digest"], task["asked"])


if __name__ == "__main__":
    sys.exit(main())
