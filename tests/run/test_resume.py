"""Runs that go on after an interruption."""

import logging
import re
import signal
import time
from pathlib import Path

import psutil
import pytest
import torch

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run.answer_cache import FOLDER
from tests.processes import Fork, run_of
from tests.run.conftest import answers_kept, written


def command(tiny_model, output, *arguments, backend="hf", task="sea_tydiqa_id"):
    more = ["--batch_size", 1, "--output_path", output, "--log_samples", *arguments]
    return run_of(tiny_model, task, *more, backend=backend)


def start(command, *, pause):
    """The command, with a pause (s) before each forward pass, so that the run is not over before it is killed."""

    def wait(module, _):
        if isinstance(module, torch.nn.Embedding):
            time.sleep(pause)

    return Fork(*command, before=lambda: torch.nn.modules.module.register_module_forward_pre_hook(wait))


@pytest.fixture
def go_on(in_samples, caplog):
    """Runs a command again in this process; returns its log."""
    caplog.set_level(logging.INFO)

    def go_on(command):
        assert main(command) == 0
        return "\n".join(caplog.messages)

    return go_on


@pytest.fixture(scope="module")
def undisturbed(tiny_model, samples, tmp_path_factory):
    """The results of an uninterrupted run."""
    output = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        assert main(command(tiny_model, output, "--no-resume")) == 0
    return written(output)["results"]


def kill(process, number, *, output, answers=1, limit=1500):
    """Sends a signal when so many answers are on disk; returns the final number of answers, and the output."""
    deadline = time.monotonic() + limit
    while process.poll() is None and answers_kept(output) < answers and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(number)
    _, err = process.communicate(timeout=100)
    kept = answers_kept(output, "rw")
    assert kept >= answers, f"the run ended before it was interrupted: {err[-2000:]}"
    return kept, err


def test_a_complete_run_on_nfs_leaves_no_folder_of_answers(tmp_path, tiny_model, in_samples, monkeypatch):
    """NFS renames a file that is removed while it is open, until it is closed."""
    remove, remove_folder = Path.unlink, Path.rmdir

    def is_open(path):
        return str(path) in [each.path for each in psutil.Process().open_files()]

    def unlink(path, **options):
        if is_open(path):
            path.rename(path.with_name(f".nfs_{path.name}"))
        else:
            remove(path, **options)

    def rmdir(folder):
        for path in folder.glob(".nfs_*"):
            unlink(path)
        remove_folder(folder)

    monkeypatch.setattr(Path, "unlink", unlink)
    monkeypatch.setattr(Path, "rmdir", rmdir)
    assert main(command(tiny_model, tmp_path, "--limit", "1")) == 0
    assert not (tmp_path / FOLDER).exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on(number, tmp_path, tiny_model, undisturbed, go_on):
    """Answers are not asked for again, and the results equal those of an uninterrupted run."""
    output = tmp_path / "results"
    given = command(tiny_model, output)
    process = start(given, pause=0.03)
    kept, err = kill(process, number, output=output, limit=200)
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert err.strip().split("\n")[-1].startswith("lm-eval-sea: interrupted; the same command continues ")
    assert int(re.search(r"Cached requests: (\d+)", go_on(given))[1]) >= kept
    assert not (output / FOLDER).exists(), "kept until the results are written, and no longer"
    assert written(output)["results"] == undisturbed


@pytest.mark.slow
def test_a_killed_run_keeps_its_sampled_answers(tmp_path, tiny_model, go_on):
    output = tmp_path / "results"
    given = command(tiny_model, output, "--gen_kwargs", "do_sample=True,temperature=1.0")
    kept, _ = kill(start(given, pause=0.03), signal.SIGKILL, output=output)
    said = re.search(r"(\d+) of (\d+) sampled answers come from the interrupted run", go_on(given))
    found, total = map(int, said.groups())
    assert kept == found < total


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["hf", "hf-shared-prefix"])
def test_a_killed_ranking_loses_one_batch_at_most(backend, tmp_path, tiny_model, go_on):
    """All answers that the progress bar had counted are on disk, except for one batch, here the options of one passage."""
    output = tmp_path / "results"
    given = command(tiny_model, output, backend=backend, task="sea_m3exam_to_ppl,sea_belebele_to_ppl")
    kept, err = kill(start(given, pause=0.2), signal.SIGKILL, output=output, answers=3)
    counted = [int(done) for done in re.findall(r"Running loglikelihood requests:[^|]*\|[^|]*\| (\d+)/", err)]
    assert kept >= counted[-1] - 4
    cached, remaining = map(int, re.search(r"Cached requests: (\d+), Requests remaining: (\d+)", go_on(given)).groups())
    assert cached == kept
    assert remaining > 0
