"""The process of a job."""

import json
import shutil
import socket
from types import SimpleNamespace

import pytest

from lm_eval_sea.run import run as run_module
from lm_eval_sea.run.request import RunError
from lm_eval_sea.sweep import job_process
from lm_eval_sea.sweep.completeness import MARK, IncompleteError
from tests.run.conftest import TASK_ON_SERVER
from tests.sweep.plans import run_here

from ..models.toy_server import DROP, serve, text

pytestmark = pytest.mark.slow


@pytest.fixture
def run_one(tmp_path, tiny_model, samples):
    """Runs the only job of a plan in this process; returns its mark."""
    model = shutil.copytree(tiny_model, tmp_path / "a")

    def run_one():
        run_here(tmp_path, tmp_path / "out", samples, models=[{"model_args": {"pretrained": str(model)}}])
        [mark] = (tmp_path / "out").rglob(MARK)
        return json.loads(mark.read_text())

    return run_one


def test_weights_overwritten_during_a_run_give_no_result(run_one, tmp_path, monkeypatch):
    run = run_module.run

    def trained_on(arguments):
        unanswered, weights = run(arguments), tmp_path / "a" / "model.safetensors"
        weights.write_bytes(weights.read_bytes())
        return unanswered

    monkeypatch.setattr(run_module, "run", trained_on)
    with pytest.raises(IncompleteError, match="the files of the model .* have changed since the sweep was started"):
        run_one()
    assert not list((tmp_path / "out").rglob(MARK))


def test_a_job_is_complete_once_its_requests_are_answered_or_fail_again(samples, tmp_path):
    def sweep(name, toy):
        arguments = {"model": name, "base_url": toy.base_url, "thinking": "off", "num_concurrent": 1, "max_retries": 0}
        plan = {"backend": "chat-api", "models": [{"name": name, "model_args": arguments}], "run": {}, "limit": 3}
        return run_here(tmp_path, tmp_path / name, samples, tasks=[TASK_ON_SERVER], **plan)

    for name, requests_that_fail, asked in (("once", {1}, 4), ("twice", {1, 4}, 4)):
        with serve(lambda body, number, fail=requests_that_fail: DROP if number in fail else text("Answer: B")) as toy:
            with pytest.raises(RunError, match="1 request without an answer; the same sweep asks again"):
                sweep(name, toy)
            assert not list((tmp_path / name).rglob(MARK)) and len(toy.requests) == 3
            assert sweep(name, toy)
        assert len(toy.requests) == asked, "the others are kept"
        assert list((tmp_path / name).rglob(MARK))


@pytest.mark.parametrize(
    ("ending", "free", "reason"),
    [
        ("exit 3", 2**30, "ended with status 3 and an empty log"),
        ("exit 3", 0, "the disk of {folder} is full; ended with status 3 and an empty log"),
        ("echo half a li; exit 1", 0, "the disk of {folder} is full; half a li"),
        ("kill -TERM $$", 2**30, "killed by signal 15"),
        ("echo 'no rows\n  to leave them out: --skip_missing\n'; exit 2", 2**30, "no rows"),
    ],
)
def test_a_job_that_failed_with_an_empty_or_cut_log(ending, free, reason, tmp_path, monkeypatch):
    """The log may be empty because its disk is full."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nread task\n{ending}\n")
    python.chmod(0o755)
    monkeypatch.setattr(job_process.sys, "executable", str(python))
    monkeypatch.setattr(job_process.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    outcome = job_process.run_job(task_in(tmp_path))
    assert outcome.status != 0 and outcome.last_line == reason.format(folder=tmp_path / "out" / "job")


def task_in(folder):
    (folder / "out").mkdir()
    return {"cwd": str(folder), "output": "out", "folder": "out/job", "cpus": 0, "minutes": None}


def test_a_machine_without_the_output_folder_does_not_create_it(tmp_path):
    outcome = job_process.run_job(task_in(tmp_path) | {"cwd": str(tmp_path / "not here")})
    assert outcome.status == 1 and outcome.last_line.startswith(f"there is no folder {tmp_path}/not here/out on ")
    assert not (tmp_path / "not here").exists()


def test_a_machine_without_the_model_is_named(tmp_path):
    asked = {"settings": {"model_args": {"pretrained": str(tmp_path / "gone")}}}
    outcome = job_process.run_job(task_in(tmp_path) | {"digest": "x", "asked": asked, "versions": {}, "files": "other"})
    assert outcome.status and outcome.last_line.endswith(f"the same files on all machines (on {socket.gethostname()})")


def test_a_log_that_is_a_link_is_not_overwritten(tmp_path):
    task = task_in(tmp_path)
    (tmp_path / "out" / "job").mkdir()
    (tmp_path / "mine").write_text("x")
    (tmp_path / "out" / "job" / "log.txt").symlink_to(tmp_path / "mine")
    assert "cannot be written to" in job_process.run_job(task).last_line and (tmp_path / "mine").read_text() == "x"
