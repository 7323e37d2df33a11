"""Stands in for SLURM's commands on this machine: one queue, whose jobs are processes.

`sbatch` with arrays, `srun`, `squeue`, `scancel`, `scontrol requeue` and `sinfo` do what SLURM's documentation says, as far as
submitit uses them. A job whose processes are all killed is one whose node failed: it is put back into the queue.
"""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

COMMANDS = ("sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo")


def install(folder):
    """Writes the commands; returns the environment in which they are found."""
    (folder / "queue").mkdir(parents=True)
    for name in COMMANDS:
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).resolve()} {name} "$@"\n')
        path.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "STAND_IN_SLURM": str(folder / "queue")}


def queue():
    return Path(os.environ["STAND_IN_SLURM"])


def states():
    """Name of each job of an array → state and the process of its script."""
    return {path.stem: json.loads(path.read_text()) for path in queue().glob("*.json")}


def _set(name, **state):
    beside = queue() / f"{name}.{os.getpid()}"  # the controller and scancel may write at the same time
    beside.write_text(json.dumps(state))
    beside.rename(queue() / f"{name}.json")


def tree(pid):
    with contextlib.suppress(psutil.NoSuchProcess):
        return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)] if pid else []
    return []


def _is(process, command):
    with contextlib.suppress(psutil.NoSuchProcess):
        return command in process.cmdline()
    return False


def _signal(name, number):
    for process in tree(states()[name]["pid"]):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def sbatch(script):
    number = str(100 + len(list(queue().glob("*.sh"))))
    text = Path(script).read_text()
    (queue() / f"{number}.sh").write_text(text)
    (queue() / f"{number}.env").write_text("\n".join(os.environ))
    array = re.search(r"^#SBATCH --array=0-(\d+)%(\d+)$", text, re.MULTILINE)
    names = [f"{number}_{place}" for place in range(int(array[1]) + 1)] if array else [number]
    for name in names:
        _set(name, state="PENDING", pid=None)
    command = [sys.executable, __file__, "controller", number, array[2] if array else "1", *names]
    with open(os.devnull, "r+") as nothing:
        subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    print(f"Submitted batch job {number}")


def controller(number, most, *names):
    """Runs the jobs of an array until all have ended."""
    running = {}
    while running or any(states()[name]["state"] == "PENDING" for name in names):
        for name in names:
            if states()[name]["state"] == "PENDING" and len(running) < int(most) and not (queue() / "held").exists():
                array, _, place = name.partition("_")
                own = {"SLURM_JOB_ID": number, "SLURM_NTASKS": "1", "SLURM_JOB_NUM_NODES": "1", "SLURM_NODEID": "0"}
                own |= {"SLURM_PROCID": "0", "SLURM_LOCALID": "0"}
                own |= {"SLURM_ARRAY_JOB_ID": array, "SLURM_ARRAY_TASK_ID": place} if place else {}
                environment = os.environ | own
                if os.environ.get("SBATCH_EXPORT") == "NONE":
                    environment = _of_the_node() | own | {"SLURM_EXPORT_ENV": "NONE"}
                running[name] = subprocess.Popen(["bash", queue() / f"{number}.sh"], env=environment, start_new_session=True)
                _set(name, state="RUNNING", pid=running[name].pid)
        for name, process in list(running.items()):
            ended = process.poll() is not None  # checked first, because a job may ask for its requeue and then end
            wanted = next((kind for kind in ("cancel", "preempt", "requeue") if (queue() / f"{name}.{kind}").exists()), None)
            if wanted:
                (queue() / f"{name}.{wanted}").unlink()
            if wanted and not ended:
                _log_cancelled(name)
                processes = tree(process.pid)
                psutil.wait_procs([each for each in processes if _is(each, "scontrol")])  # the job sees its request succeed
                _signal(name, signal.SIGTERM)
                psutil.wait_procs(processes, timeout=3)
                _signal(name, signal.SIGKILL)
                process.wait()
            if wanted or ended:
                del running[name]
                again = wanted == "requeue" or (not wanted and process.returncode == -signal.SIGKILL)
                ended = {"cancel": "CANCELLED", "preempt": "PREEMPTED"}.get(wanted)
                ended = ended or ("COMPLETED" if process.returncode == 0 else "FAILED")
                _set(name, state="PENDING" if again else ended, pid=None)
        time.sleep(0.1)


def _log_cancelled(name):
    """Writes what SLURM logs when it ends a job; only the first line is informative."""
    said = f"slurmstepd-vm: error: *** STEP {name}.0 ON vm CANCELLED AT 2026-11-30T06:12:00 ***"
    [log] = re.findall(r"^#SBATCH --error=(.*)$", (queue() / f"{name.split('_')[0]}.sh").read_text(), re.MULTILINE)
    with open(shlex.split(log)[0].replace("%A_%a", name).replace("%j", name), "a") as file:
        print(said, "submitit WARNING - Bypassing signal SIGTERM", "srun: error: vm: task 0: Killed", sep="\n", file=file)


def _of_the_node():
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "STAND_IN_SLURM") if name in os.environ}


def srun(*arguments):
    options = dict(zip(arguments, arguments[1:], strict=False))
    command = [each for each in arguments[arguments.index("--error") + 2 :] if each != "--export=ALL"]
    hands_on = "--export=ALL" in arguments or os.environ.get("SLURM_EXPORT_ENV") != "NONE"
    slurms = {name: value for name, value in os.environ.items() if name.startswith("SLURM_")}
    array, place = (os.environ.get(f"SLURM_ARRAY_{part}_ID") for part in ("JOB", "TASK"))
    name = f"{array}_{place}" if array else os.environ["SLURM_JOB_ID"]

    def log(option):
        return options[option].replace("%A_%a", name).replace("%j", name).replace("%t", "0")

    with open(log("--output"), "a") as out, open(log("--error"), "a") as err:
        environment = os.environ if hands_on else _of_the_node() | slurms
        sys.exit(subprocess.run(command, stdout=out, stderr=err, env=environment).returncode)


def squeue(*options):
    """Ended jobs are still listed for some minutes."""
    assert {"--states=all", "--array", "--format=%i %T %r"} <= {*options}
    for name, job in states().items():
        waits = (queue() / "held").read_text() if (queue() / "held").exists() else "JobArrayTaskLimit"
        print(name, job["state"], waits if job["state"] == "PENDING" else "None")


def scancel(*names):
    """A job that has ended or is unknown is no error."""
    if "--signal" in names:  # sent to the processes below srun, but not to the script
        processes = tree(states()[names[0]]["pid"])
        with contextlib.suppress(psutil.NoSuchProcess):  # the job ends by itself
            for process in [each for one in processes if _is(one, "srun") for each in one.children(recursive=True)]:
                process.send_signal(getattr(signal, "SIG" + names[-1].removeprefix("SIG")))
        return
    for each, job in states().items():
        if each in names or each.split("_")[0] in names:
            (queue() / f"{each}.cancel").touch()
            if job["state"] == "PENDING":
                _set(each, state="CANCELLED", pid=None)


def scontrol(verb, name):
    assert verb == "requeue"
    (queue() / f"{name}.requeue").touch()


def sinfo(*options):
    if "--partition=gone" in options:
        return  # an unknown partition is no error
    print("64+|515000|gpu:a100:8(S:0-1)\n4|16000|(null)")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
