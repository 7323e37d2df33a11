"""Half-written results, and results of another request, do not count."""

import contextlib
import subprocess
import sys
import time

import psutil
import pytest

from lm_eval_sea.results.read import REPLACED
from lm_eval_sea.run.answer_cache import files_of_model
from lm_eval_sea.sweep.completeness import (
    LOG,
    MARK,
    IncompleteError,
    check_model,
    check_versions,
    installed,
    read_mark,
    remove_incomplete,
    set_aside,
    write_mark,
)
from lm_eval_sea.sweep.job_process import _run as run_job_here
from lm_eval_sea.sweep.job_process import run_job
from tests.model_folder import model_folder
from tests.results.lm_eval_output import NEW, OLD, row, write_results, write_samples
from tests.robustness.conftest import contents

TOY = {"version": "1.0", "rows": "abc"}
ASKED = {"tasks": {"toy": TOY}}
CONFIGS = {"toy": {"metadata": {"provenance": {"data_sha256": "abc"}}}}


@pytest.fixture
def folder(tmp_path):
    """A job's folder with what a run has written."""
    path = tmp_path / "out" / "model" / "toy"
    write_results(path / "m", NEW, {"toy": {"acc,none": 0.5}}, configs=CONFIGS)
    write_samples(path / "m", "toy", NEW, [row(doc_id=number) for number in range(2)])
    (path / LOG).write_text("log\n")
    return path


def marked(folder):
    write_mark(folder, "d", ASKED)
    return folder


def test_a_marked_folder_is_complete_only_for_its_request(folder):
    assert read_mark(folder, "d") is None, "all files are there, but not the mark"
    marked(folder)
    assert read_mark(folder, "d")["asked"] == ASKED
    assert read_mark(folder, "e") is None
    for path in folder.rglob("*_*.json*"):
        whole = path.read_bytes()
        path.write_bytes(whole[:-1])
        assert read_mark(folder, "d") is None
        path.unlink()
        assert read_mark(folder, "d") is None
        path.write_bytes(whole)
    [results] = folder.rglob("results_*.json")
    whole = results.read_text()
    results.write_text(whole.replace("0.5", "0.9"))  # of the same size
    assert read_mark(folder, "d") is None
    results.write_text(whole)
    mark = (folder / MARK).read_bytes()
    for length in range(len(mark) - 2):  # a full disk may cut the mark anywhere
        (folder / MARK).write_bytes(mark[:length])
        assert read_mark(folder, "d") is None


def other_results(folder):
    write_results(folder / "m", OLD, {"toy": {"acc,none": 0.5}}, configs=CONFIGS)


def lines_left(text):
    """Keeps only this part of the samples' two rows."""

    def leave(folder):
        [path] = folder.rglob("samples_*")
        path.write_text(text(path.read_text().splitlines(keepends=True)))

    return leave


def as_it_is(folder):
    """Changes nothing."""


# fault → the change, the requested tasks, and the message
OTHERS = {
    "another version": (as_it_is, {"toy": TOY | {"version": "1.1"}}, "toy: its version on this machine is 1.0, but was 1.1"),
    "other rows": (as_it_is, {"toy": TOY | {"rows": "x"}}, "toy: its rows on this machine is abc, but was x"),
    "one of two tasks": (as_it_is, {"toy": TOY, "more": TOY}, "the results have no score of more"),
    "no samples": (lambda folder: next(folder.rglob("samples_*")).unlink(), {"toy": TOY}, "no samples of toy"),
    "no results": (lambda folder: next(folder.rglob("results_*")).unlink(), {"toy": TOY}, "expected 1"),
    "two results": (other_results, {"toy": TOY}, "left 2 results"),
    "one row": (lines_left(lambda lines: lines[0]), {"toy": TOY}, "the samples of toy have 1 of 2 rows"),
    "half a row": (lines_left(lambda lines: lines[0] + lines[1][:-3]), {"toy": TOY}, "the samples of toy have 1 of 2 rows"),
}


@pytest.mark.parametrize(("change", "asked", "message"), OTHERS.values(), ids=OTHERS)
def test_results_of_another_request_are_never_marked(change, asked, message, folder):
    change(folder)
    with pytest.raises(IncompleteError, match=message):
        write_mark(folder, "d", {"tasks": asked})
    assert not (folder / MARK).exists()


def test_leftovers_are_removed_except_log_and_answers(folder):
    (folder / "unfinished").mkdir()
    (folder / "unfinished" / "answers_rank0.db").touch()
    remove_incomplete(marked(folder))
    assert sorted(path.name for path in folder.iterdir()) == [LOG, "unfinished"]


def test_replaced_complete_results_are_kept_elsewhere(folder, tmp_path):
    """They are kept as they are now, because somebody may have changed them."""
    out = tmp_path / "out"
    set_aside(folder, out)
    assert not (out / REPLACED).exists(), "incomplete ones are not"
    [results] = marked(folder).rglob("results_*.json")
    results.write_text("mended by hand")
    set_aside(folder, out)
    [place] = (out / REPLACED).rglob("toy")
    assert contents(place) == contents(folder)
    results.write_text("mended again, when it had been complete again")
    set_aside(folder, out)
    [_, again] = sorted((out / REPLACED).rglob("toy"))
    assert contents(again) == contents(folder) != contents(place)


def test_a_digest_that_is_a_path_and_a_link_out_of_the_folder(folder, tmp_path):
    (marked(folder) / MARK).write_text('{"digest": "../../elsewhere"}')
    (tmp_path / "other").mkdir()
    (folder / "link").symlink_to(tmp_path / "other")
    set_aside(folder, tmp_path / "out")
    [place] = (tmp_path / "out" / REPLACED).rglob("toy")
    assert not (tmp_path / "elsewhere").exists() and any(place.rglob("results_*.json")) and (place / "link").is_symlink()


def lives(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE


@pytest.mark.slow
def test_a_job_ends_with_whoever_started_it(tmp_path):
    """If the starter is killed, only its end of the pipe closes."""
    code = (
        "import os, signal, subprocess, sys, threading, time\n"
        "from lm_eval_sea.sweep.job_process import _end_with\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n"
        "threading.Thread(target=_end_with, args=(os.dup(0),), daemon=True).start()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    grandchild = int(process.stdout.readline())
    process.stdin.close()
    assert process.wait(60) == -9
    deadline = time.monotonic() + 60
    while lives(grandchild) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not lives(grandchild)


def test_overwritten_weights_start_no_job_and_keep_the_results(folder, tmp_path):
    """The new weights have the same size, as those of the next checkpoint have."""
    model = model_folder(tmp_path / "latest", weights=b"step 1")
    model_args = {"pretrained": str(model)}
    task = {
        "digest": "another", "versions": installed(), "files": files_of_model(model_args), "output": str(tmp_path / "out"),
        "asked": {"settings": {"model_args": model_args}}, "arguments": [],
    }  # fmt: skip
    check_model(model_args, task["files"])
    time.sleep(0.02)  # a tick of the file system's clock
    (model / "model.safetensors").write_bytes(b"step 2")
    marked(folder)
    with pytest.raises(IncompleteError, match=f"the files of the model {model} have changed since the sweep was started"):
        run_job_here(task, folder)
    assert read_mark(folder, "d")


def test_a_job_whose_folder_cannot_be_created_has_failed(tmp_path):
    (tmp_path / "model").touch()
    outcome = run_job({"cwd": str(tmp_path), "output": ".", "folder": "model/toy/default"})
    assert (outcome.status, outcome.last_line) == (1, "the folder of the job cannot be written to (Not a directory)")


def test_a_machine_with_other_packages_starts_no_job():
    check_versions(installed())
    for name in ("lm_eval_sea", "torch", "transformers", "lm_eval"):
        with pytest.raises(IncompleteError, match=rf"{name} on this machine is \S+, but 0\.0 where the sweep began"):
            check_versions(installed() | {name: "0.0"})
