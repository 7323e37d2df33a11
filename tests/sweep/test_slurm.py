"""A sweep in the queue of a SLURM cluster: its requests to SLURM, and jobs, nodes and drivers that are killed.

SLURM's commands are stand-ins (`stand_in_slurm.py`); what they start is real.
"""

import concurrent.futures
import contextlib
import os
import pickle
import random
import re
import signal
import sys
import threading
import time

import psutil
import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.sweep.job_process import Outcome
from lm_eval_sea.sweep.plan import PlanError, Resources, read_plan
from tests.sweep import plans, stand_in_slurm
from tests.sweep.test_two_plans import MODEL, jobs_of_plan

submitit = pytest.importorskip("submitit", reason="needs submitit: pip install 'lm-eval-sea[slurm]'")
engine_slurm = pytest.importorskip("lm_eval_sea.sweep.engine_slurm")
# two models, three tasks: 6 jobs
PLAN = {
    "tasks": ["sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl", "sea_xcopa_id_to_ppl"],
    "slurm": {"time": 60, "array_parallelism": 2, "partition": "gpu"},
}


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Installs the commands; jobs wait as long as the file `held` exists. At the end, the processes of the queue are killed."""
    for name, value in stand_in_slurm.install(tmp_path / "slurm").items():
        monkeypatch.setenv(name, value)
    (tmp_path / "slurm" / "queue" / "held").write_text("Priority")
    yield tmp_path / "slurm" / "queue"
    for process in psutil.process_iter(["cmdline"]):
        if str(stand_in_slurm.__file__) in (process.info["cmdline"] or ()) and "controller" in process.info["cmdline"]:
            for each in [*process.children(recursive=True), process]:
                each.kill()


@pytest.mark.slow
def test_killed_jobs_nodes_and_drivers_change_nothing(models, tmp_path, samples, slurm, sweep_here):
    """An interrupted sweep cancels its jobs; the same command continues it."""
    (slurm / "held").unlink()
    output = tmp_path / "out"
    undisturbed = plans.run_here(models, tmp_path / "undisturbed", samples, **PLAN)
    chance = random.Random(0)

    def at_work():
        """Names of SLURM's jobs → their processes and, last, that of the job within, where it has begun."""
        trees = {name: stand_in_slurm.tree(job["pid"]) for name, job in stand_in_slurm.states().items() if job["pid"]}
        found = {}
        for name, tree in trees.items():
            for process in tree:
                with contextlib.suppress(psutil.NoSuchProcess):
                    if "lm_eval_sea.sweep.job_process" in process.cmdline():
                        found[name] = [*tree, process]
        return found

    def after(jobs, process):
        """A job of SLURM's that runs some jobs later: its name and its processes."""
        found = plans.wait_for_jobs(output, jobs, process, at_work)
        assert process.poll() is None, plans.finish(process)
        return chance.choice(sorted(found.items()))

    def kill(processes):
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    driver = plans.start_sweep(models, output, samples, "--engine", "slurm", **PLAN)
    plans.wait_for(lambda: plans.complete(output), driver)
    driver.send_signal(signal.SIGINT)
    status, out, _ = plans.finish(driver)
    assert status == 130
    assert out.strip().endswith("--split suite --engine slurm"), "the command that goes on"
    plans.wait_for(lambda: not {job["state"] for job in stand_in_slurm.states().values()} & {"PENDING", "RUNNING"})

    driver = plans.start_sweep(models, output, samples, "--engine", "slurm", **PLAN)
    _, processes = after(1, driver)
    kill(processes[-1:])  # as if it ran out of memory
    _, processes = after(2, driver)
    kill(processes)  # the node fails
    name, _ = after(3, driver)
    stand_in_slurm.scancel(name, "--signal", "USR2")  # as if it were preempted, or its time were nearly up
    after(3, driver)
    driver.send_signal(signal.SIGKILL)
    driver.communicate(timeout=60)
    status, out = sweep_here(models / "out.yaml", "--engine", "slurm")
    assert status == 0, out
    assert len(list(slurm.glob("*.sh"))) == 2, "the last driver took over the jobs in the queue"
    plans.assert_it_ended_as_if_undisturbed(output, undisturbed, jobs=6)


def engine_for(tmp_path, **changes):
    """An engine for a plan of one model, and the plan."""
    changes = {"slurm": {"time": 60, "array_parallelism": 1}, **MODEL, **changes}
    plan = read_plan(plans.write_plan(tmp_path / "plan.yaml", **changes))
    return engine_slurm.SlurmEngine(plan), plan


def test_options_of_sbatch(tmp_path, slurm, monkeypatch):
    """Variables of SLURM do not override the plan, except a reservation. The sweep itself may run in a job."""
    hidden = {"SBATCH_TIMELIMIT", "SBATCH_PARTITION", "SLURM_JOB_ID", "SLURM_MEM_PER_CPU"}
    kept = {"SBATCH_RESERVATION", "SLURM_CONF"}
    for name in hidden | kept:
        monkeypatch.setenv(name, "7")
    own = {"partition": "gpu", "array-parallelism": 3, "account": "lab", "additional_parameters": {"licenses": "a:1"}}
    own["setup"] = "module load cuda"
    engine, plan = engine_for(tmp_path, slurm=own, resources={"gpus": 2, "cpus": 8, "memory_gb": 60}, minutes=89.5)
    assert engine.machines() == [Resources(8, 64, 515), Resources(0, 4, 16)]
    jobs = jobs_of_plan(tmp_path, num_fewshot=[0, 1, 2, 3])
    engine.submit(jobs, plan)
    [script] = slurm.glob("*.sh")
    options = set(re.findall(r"^#SBATCH --(\S+)$", script.read_text(), re.MULTILINE))
    assert {
        "array=0-3%3", "time=100", "gpus-per-node=2", "cpus-per-task=8", "mem=60GB", "partition=gpu", "account=lab",
        "signal=USR2@90", "requeue", "licenses=a:1",
    } <= options  # fmt: skip
    assert "module load cuda" in script.read_text().splitlines()
    seen = set((slurm / "100.env").read_text().split())
    assert kept <= seen and not hidden & seen


def test_a_partition_without_nodes_and_a_controller_that_is_down(tmp_path, slurm):
    engine, _ = engine_for(tmp_path, slurm={"time": 60, "partition": "gone"})
    with pytest.raises(PlanError, match="^slurm: partition: sinfo knows no nodes of gone$"):
        engine.machines()
    (slurm.parent / "sinfo").write_text("#!/bin/sh\necho slurm_load_partitions: Unable to contact slurm controller >&2; exit 1")
    with pytest.raises(PlanError, match=r"\(slurm_load_partitions: Unable to contact slurm controller\)$"):
        engine.machines()


def test_jobs_of_an_earlier_plan_are_cancelled(tmp_path, slurm):
    """They would start later and replace the results of the current plan."""

    def submitted(**changes):
        engine, plan = engine_for(tmp_path)
        return [job.job_id for job in engine.submit(jobs_of_plan(tmp_path, **changes), plan).values()]

    first = submitted(num_fewshot=[0, 1, 2])
    assert submitted(num_fewshot=[2])[0] == first[2], "the same job, which the queue has already"
    [new] = submitted(num_fewshot=[2], limit=3)
    plans.wait_for(lambda: stand_in_slurm.states()[first[2]]["state"] != "PENDING")
    cancelled = [name for name, job in stand_in_slurm.states().items() if job["state"] == "CANCELLED"]
    assert cancelled == [first[2]] and new not in first, "no job of another folder, nor the one that is asked for now"


def test_two_sweeps_that_begin_together_submit_each_job_once(tmp_path, slurm):
    engines = [engine_for(tmp_path) for _ in range(2)]
    jobs = [jobs_of_plan(tmp_path, num_fewshot=[0, 1]) for _ in engines]  # each sweep reads the plan
    with concurrent.futures.ThreadPoolExecutor() as pool:
        submitted = list(pool.map(lambda engine, own: engine[0].submit(own, engine[1]), engines, jobs))
    assert [[each.job_id for each in found.values()] for found in submitted] == [["100_0", "100_1"]] * 2
    assert len(list(slurm.glob("*.sh"))) == 1


@pytest.fixture
def often(monkeypatch):
    """The queue is asked often."""
    monkeypatch.setattr(engine_slurm, "_ASKED_AGAIN", 0.2)
    monkeypatch.setattr(engine_slurm, "_PATIENCE", 0.2)
    monkeypatch.setattr(engine_slurm, "_LATE_FILES", 0.1)


def test_a_preempted_job_that_is_not_requeued_has_failed(tmp_path, slurm, often):
    """On clusters that cancel preempted jobs, the sweep would wait for ever."""
    (slurm / "held").unlink()
    engine, plan = engine_for(tmp_path)
    [job] = jobs_of_plan(tmp_path)
    events = engine.run(plan, [job])
    threading.Thread(target=lambda: plans.wait_for((slurm / "100.sh").exists) and (slurm / "100.preempt").touch()).start()
    [(_, outcome)] = events
    said = "SLURM's job 100 ended without a result (PREEMPTED): slurmstepd-vm: error: *** STEP 100.0 ON vm CANCELLED AT "
    assert outcome.status == 1 and outcome.last_line.startswith(said)
    assert stand_in_slurm.states()["100"]["state"] == "PREEMPTED"


def test_jobs_that_are_being_cancelled_are_submitted_again(tmp_path, slurm, often, monkeypatch):
    engine, plan = engine_for(tmp_path)
    jobs = jobs_of_plan(tmp_path, num_fewshot=[0, 1])
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "scancel").write_text(f"#!/bin/sh\necho $@ >> {tmp_path}/cancelled")  # the jobs stay in the queue
    (tmp_path / "scancel").chmod(0o755)
    monkeypatch.setattr(time, "sleep", lambda _: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        list(engine.run(plan, jobs))
    assert (tmp_path / "cancelled").read_text() == "100_0 100_1\n"
    assert [each.job_id for each in engine.submit(jobs, plan).values()] == ["101_0", "101_1"]


def test_jobs_that_could_not_be_cancelled_are_waited_for(tmp_path, slurm, often, monkeypatch, capsys):
    """SLURM's controller may be down when a sweep is interrupted."""
    engine, plan = engine_for(tmp_path)
    jobs = jobs_of_plan(tmp_path, num_fewshot=[0, 1])
    (slurm.parent / "scancel").write_text("#!/bin/sh\nexit 8")
    monkeypatch.setattr(time, "sleep", lambda _: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        list(engine.run(plan, jobs))
    assert "2 jobs stay in SLURM's queue, and the same command waits for them" in capsys.readouterr().err
    assert [each.job_id for each in engine.submit(jobs, plan).values()] == ["100_0", "100_1"]


def test_an_interrupt_during_submission_cancels_the_jobs(tmp_path, slurm):
    """A terminal sends it to sbatch, too, and SLURM may already have the jobs."""
    engine, plan = engine_for(tmp_path)
    sbatch = slurm.parent / "sbatch"
    sbatch.rename(slurm.parent / "real")
    interrupted = """
import os, signal, subprocess, sys
said = subprocess.run([sys.argv[0].replace("sbatch", "real"), *sys.argv[1:]], stdout=subprocess.PIPE).stdout
for process in (os.getppid(), os.getpid()):
    os.kill(process, signal.SIGINT)
os.write(1, said)
"""
    sbatch.write_text(f"#!{sys.executable}{interrupted}")
    sbatch.chmod(0o755)
    with pytest.raises(KeyboardInterrupt):
        list(engine.run(plan, jobs_of_plan(tmp_path, num_fewshot=[0, 1])))
    plans.wait_for(lambda: {job["state"] for job in stand_in_slurm.states().values()} == {"CANCELLED"})
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_waiting_jobs_and_an_unreachable_queue_are_reported(tmp_path, slurm, often, monkeypatch):
    """Both may be temporary. The result of a job shows without a queue that the job has ended."""
    engine, plan = engine_for(tmp_path)
    (slurm / "held").write_text("PartitionTimeLimit")
    said = []

    def write(line, file):
        said.append(line)
        (slurm.parent / "squeue").write_text("#!/bin/sh\nexit 1")
        if len(said) == 2:
            (plan.output / "slurm" / "100_0_result.pkl").write_bytes(pickle.dumps(("success", Outcome(0, "done"))))

    monkeypatch.setattr(engine_slurm.tqdm, "write", write)
    [(_, outcome)] = engine.run(plan, jobs_of_plan(tmp_path))
    assert said == [
        "note: jobs wait in SLURM's queue: PartitionTimeLimit; for details: scontrol show job 100",
        "note: squeue does not answer; the sweep goes on asking it once a minute",
    ]
    assert outcome.last_line == "done"


@pytest.mark.slow
def test_a_node_without_the_variables_of_the_sweep_runs_the_job(tmp_path, slurm, often, monkeypatch):
    monkeypatch.setenv("SBATCH_EXPORT", "NONE")
    (slurm / "held").unlink()
    engine, plan = engine_for(tmp_path)
    [(_, outcome)] = engine.run(plan, jobs_of_plan(tmp_path))
    assert "no task, group or tag 'sea_x'" in outcome.last_line


def test_an_unreachable_queue_gets_no_job_twice(tmp_path, slurm, often):
    engine, plan = engine_for(tmp_path)
    jobs = jobs_of_plan(tmp_path)
    engine.submit(jobs, plan)
    (slurm.parent / "squeue").write_text("#!/bin/sh\nexit 1")
    engine, plan = engine_for(tmp_path)
    with pytest.raises(PlanError, match="squeue does not say whether jobs of an earlier sweep are still there"):
        engine.submit(jobs, plan)
    assert len(list(slurm.glob("*.sh"))) == 1


def test_a_job_without_a_result_shows_the_last_line_of_its_traceback(tmp_path):
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nModuleNotFoundError: No module named lm_eval_sea\n'
    job = submitit.SlurmJob(tmp_path, "7")
    job.paths.result_pickle.write_bytes(pickle.dumps(("error", trace)))
    said = "SLURM's job 7 ended without a result: ModuleNotFoundError: No module named lm_eval_sea"
    assert engine_slurm._outcome(job, {}).last_line == said


@pytest.mark.parametrize(
    ("changes", "line"),
    [({"slurm": {}}, "slurm: time: expected the minutes"),
     ({"slurm": {"time": 0.5}}, "slurm: time: expected the minutes of a job, at least 5"),
     ({"slurm": {"time": 5, "additional_parameters": "licenses"}}, "slurm: 'str' object is not a mapping"),
     ({"slurm": {"time": 5}, "output": "50%j"}, "output 50%j: SLURM reads % and"),
     ({"slurm": {"time": 5}, "output": "a\\b"}, "SLURM reads % and"),
     ({"slurm": {"time": 5, "partion": "gpu"}}, "slurm: .*partion"),
     ({"slurm": {"time": 5}, "resources": {"gpus": 0.5}}, "resources: gpus: SLURM gives whole GPUs, not 0.5")],
    ids=str,
)  # fmt: skip
def test_a_plan_that_slurm_cannot_run_is_refused_in_one_line(tmp_path, slurm, capsys, changes, line):
    assert main(["sweep", str(plans.write_plan(tmp_path / "plan.yaml", **changes)), "--engine", "slurm"]) == 2
    [said] = capsys.readouterr().err.splitlines()
    assert re.search(line, said)


def test_a_machine_without_slurm_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["sweep", str(plans.write_plan(tmp_path / "plan.yaml", slurm={"time": 5})), "--engine", "slurm"]) == 2
    assert "there is no srun here; start the sweep where you would call sbatch" in capsys.readouterr().err
