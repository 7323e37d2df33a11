"""Plans with the same output: each keeps its results, and its report has only its own numbers."""

import csv
import re
from pathlib import Path

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.commands.sweep import report_of
from lm_eval_sea.results.read import read
from lm_eval_sea.sweep import sweep
from lm_eval_sea.sweep.completeness import read_mark, remove_incomplete, set_aside, write_mark
from lm_eval_sea.sweep.job_process import Outcome
from lm_eval_sea.sweep.plan import Resources, read_plan
from lm_eval_sea.sweep.sweep import LocalEngine, Prepared, notes
from tests.results.lm_eval_output import NEW, row, toy, write_results, write_run, write_samples
from tests.sweep.plans import write_plan
from tests.sweep.test_jobs import FACTS, jobs_of

SAMPLING = {"a": {"do_sample": True}}
TASK = "sea_x"
MODEL = {"models": [{"name": "a", "model_args": {"pretrained": "a"}}]}
VARIED = [{"num_fewshot": [0, 1]}, {"seeds": [1, 2], "sampling": SAMPLING}, {"num_fewshot": 1, "seeds": 1, "sampling": SAMPLING}]


def jobs_of_plan(tmp_path, **changes):
    return [job for job in jobs_of(tmp_path, "task", **MODEL, **changes) if job.part.name == TASK]


def complete(job, score):
    """Writes what a run of the job leaves: a score and its samples."""
    configs = {TASK: {"metadata": {"provenance": {"data_sha256": TASK * 2}}}}
    write_results(job.folder / "m", NEW, {TASK: {"acc,none": score}}, configs=configs, versions={TASK: "1"})
    write_samples(job.folder / "m", TASK, NEW, [row(doc_id=number, acc=score) for number in range(2)])
    write_mark(job.folder, job.digest, job.asked)


def begin(job, output):
    """Does what a process does before it starts a job."""
    job.folder.mkdir(parents=True, exist_ok=True)
    set_aside(job.folder, output)
    remove_incomplete(job.folder)


@pytest.mark.parametrize("varied", VARIED, ids=str)
def test_another_setting_keeps_complete_results(varied, tmp_path):
    before = jobs_of_plan(tmp_path, **varied)
    for job in before:
        complete(job, 1.0)
    [plain] = jobs_of_plan(tmp_path)
    begin(plain, tmp_path / "out")
    assert all(read_mark(job.folder, job.digest) for job in before)
    complete(plain, 0.5)
    for job in before:
        (job.folder / "job.json").unlink()  # begins anew
        begin(job, tmp_path / "out")
    assert read_mark(plain.folder, plain.digest)


def prepared(jobs, tmp_path):
    """Jobs as those of a plan with one model."""
    return Prepared(read_plan(write_plan(tmp_path / "plan.yaml", **MODEL)), jobs, {})


def reported(jobs, tmp_path, table="runs"):
    """The messages of a sweep's report, and the only line of one of its tables."""
    said = report_of(prepared(jobs, tmp_path))
    assert said[-1].endswith("1 model, 1 task")
    with (tmp_path / "out" / "report" / "tables" / f"{table}.csv").open(encoding="utf-8") as file:
        [line] = csv.DictReader(file)
    return said, line


def test_other_results_in_the_folder_of_a_job_are_not_reported(tmp_path):
    """A user may have tried a command there: its results are newer and have more rows."""
    [job] = jobs_of_plan(tmp_path)
    complete(job, 0.5)
    later = "2027-01-01T00-00-00"
    write_results(job.folder / "m", later, {TASK: {"acc,none": 1.0}}, **{"n-samples": {TASK: {"original": 10, "effective": 9}}})
    _, run = reported([job], tmp_path)
    assert later not in run["results"]


@pytest.mark.parametrize("varied", VARIED[:2], ids=["exemplars", "seeds"])
def test_the_report_has_only_results_of_its_plan(varied, tmp_path):
    for job in jobs_of_plan(tmp_path, **varied):
        complete(job, 1.0)
    [plain] = jobs_of_plan(tmp_path)
    complete(plain, 0.5)
    _, run = reported([plain], tmp_path)
    assert run["model"] == "a" and Path(run["results"]).is_relative_to(plain.folder)


def test_the_report_averages_over_seeds(tmp_path):
    """As in the report on `run --seeds`, there is one model with the mean."""
    jobs = jobs_of_plan(tmp_path, seeds=[1, 2], sampling=SAMPLING)
    for job, answers in zip(jobs, ([1.0, 1.0], [0.0, 1.0]), strict=True):
        config = {"model": "hf", "torch_seed": job.asked["settings"]["seed"]}
        write_run(job.folder / "m", {"toy_th": toy(answers)}, NEW, config=config)
        write_mark(job.folder, job.digest, {"tasks": {}})
    said, score = reported(jobs, tmp_path, "scores")
    assert any(line.startswith("note: a: toy_th: the mean over the seeds 1, 2") for line in said)
    assert (score["model"], float(score["score"])) == ("a", 75)


def test_jobs_that_run_more_than_once_are_reported(tmp_path):
    assert notes(prepared(jobs_of_plan(tmp_path), tmp_path), LocalEngine()) == []
    [several] = notes(prepared(jobs_of(tmp_path, **MODEL), tmp_path), LocalEngine())
    assert "tasks in several entries of the plan" in several and several.endswith(": sea_y")
    [job] = jobs_of_plan(tmp_path)
    complete(job, 0.5)
    for what, changes in {
        "limit": {"limit": 5},
        "model or packages": {"identities": {"a": "9"}},
        "tasks": {"facts": FACTS | {"sea_x": {"version": "2", "rows": "r"}}},
        "batch_size, device": {"run": {"batch_size": 8}},
    }.items():
        [other] = jobs_of_plan(tmp_path, **changes)
        [note] = notes(prepared([other], tmp_path), LocalEngine())
        assert note.startswith(f"note: complete jobs that run again (other {what}") and note.endswith(str(job.folder))
    [results] = job.folder.rglob("results_*.json")
    results.write_text(results.read_text().replace("0.5", "0.9"))
    [note] = notes(prepared([job], tmp_path), LocalEngine())
    assert note.startswith("note: complete jobs that run again (its files were changed)")


SAME = {"models": [{"name": name, "model_args": {"pretrained": "org/model"}} for name in "ab"]}


@pytest.mark.parametrize(
    ("plan", "shown"),
    [
        (SAME, ["org/model (a)", "org/model (b)"]),
        (MODEL | {"num_fewshot": [0, 1]}, ["org/model (a, 0 exemplars)", "org/model (a, 1 exemplars)"]),
        (MODEL | {"num_fewshot": [0]}, ["org/model"]),
    ],
)
def test_what_a_plan_tells_apart_is_not_one_model_with_the_newest_scores(plan, shown, tmp_path, capsys):
    jobs = [job for job in jobs_of(tmp_path, "task", **plan) if job.part.name == TASK]
    for job, score in zip(jobs, (1.0, 0.5), strict=False):
        complete(job, score)
    (jobs[0].folder / "job.json").rename(jobs[0].folder / "lock")  # another task of this job failed
    assert main(["show", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert re.findall(r"^(.*), 20\d\d-", said, re.MULTILINE) == shown and "left out" not in said
    assert {run.model for run in read(tmp_path / "out", names={tmp_path: "one"}).runs} == {"one"}, "what the user says counts"


class Cluster:
    def machines(self):
        return [Resources(cpus=8), Resources(gpus=4, cpus=8)]


ASKED = {"resources": {"gpus": 0.5}}, {"slurm": {"gpus-per-task": 1}}, {"run": {"device": "cpu"}}, {"backend": "chat-api"}


@pytest.mark.parametrize(("changes", "engine"), [({}, LocalEngine()), *((changes, Cluster()) for changes in ASKED)])
def test_jobs_that_ask_for_no_gpus_of_a_cluster_are_reported(tmp_path, changes, engine):
    plain, plan = (read_plan(write_plan(tmp_path / "plan.yaml", **{"run": None} | each)) for each in ({}, changes))
    said = "note: resources: the jobs ask for no GPUs, so they get none of the machines' or share them; give gpus: 1"
    assert notes(Prepared(plain, [], {}), Cluster()) == [said] and notes(Prepared(plan, [], {}), engine) == []


@pytest.mark.parametrize(("gpus", "is_idle"), [(0, True), (1, True), (4, False)])
def test_gpus_that_one_job_at_a_time_leaves_idle_are_reported(gpus, is_idle, tmp_path):
    """A workstation without Ray."""

    class Workstation(LocalEngine):
        def machines(self):
            return [Resources(gpus=4)]

    plan = read_plan(write_plan(tmp_path / "plan.yaml", run=None, resources={"gpus": gpus}))
    said = "note: one job runs at a time, and this machine has 4 GPUs; with Ray several run at once"
    assert notes(Prepared(plan, [], {}), Workstation()) == [said] * is_idle


def test_a_job_completed_by_another_sweep_has_not_failed(tmp_path, monkeypatch):
    """The other sweep held its lock."""
    jobs = jobs_of(tmp_path, "task", **MODEL)
    monkeypatch.setattr(sweep, "check_room", lambda *_: None)  # tasks without rows need none

    class Engine:
        def run(self, plan, open_jobs):
            for job in open_jobs:
                yield job, Outcome(1, "another process works on it")
            complete(jobs[0], 0.5)

    failed = {}
    sweep.carry_out(prepared(jobs, tmp_path), Engine(), failed)
    assert list(failed) == list(jobs[1:])
