"""Interruptions in every phase of a run and of other commands: one line says how to continue and what is kept.

`tests/run/test_resume.py` interrupts runs while the model answers.
"""

import multiprocessing
import os
import signal
import subprocess
import sys

import pytest
import transformers
from lm_eval.loggers import EvaluationTracker

import lm_eval_sea.catalogue.check
import lm_eval_sea.results.read
from lm_eval_sea.commands.cli import main
from lm_eval_sea.run import run as run_module
from lm_eval_sea.run.interruption import terminated_as_interrupted
from tests.conftest import ROOT
from tests.sweep.plans import write_plan

from ..processes import Fork, run_of
from ..run.conftest import written

TASK = "sea_xcopa_vi_to_ppl"


def arguments(tiny_model, output):
    return run_of(f"{tiny_model},dtype=float32", TASK, "--limit", 2, "--output_path", output, "--log_samples")


@pytest.fixture
def interrupted(monkeypatch, capsys):
    """Runs a command that gets a signal when it calls a function; returns its last line."""

    def interrupted(command, owner, name, number=signal.SIGINT):
        original = getattr(owner, name)

        def begin(*positional, **named):
            os.kill(os.getpid(), number)
            return original(*positional, **named)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, begin)
            assert main(list(map(str, command))) == 130
        said = capsys.readouterr().err
        assert "Traceback" not in said
        return said.strip().split("\n")[-1]

    return interrupted


SAID = [
    ([], "nothing is kept (with --output_path a run continues where it stopped)"),
    (["--output_path", "out"], "there was no answer yet; the same command starts from the beginning"),
    (["--output_path", "out", "--no-resume"], "nothing is kept (without --no-resume a run continues where it stopped)"),
]


@pytest.mark.parametrize(("flags", "said"), SAID, ids=["no output", "output", "no resume"])
def test_while_data_is_loaded(flags, said, mirror, interrupted):
    command = ["run", "--model", "dummy", "--tasks", TASK, *flags]
    number = signal.SIGTERM if flags else signal.SIGINT
    assert interrupted(command, run_module, "load_tasks", number) == f"lm-eval-sea: interrupted; {said}"


@pytest.mark.slow
def test_while_the_model_is_loaded_or_results_are_saved(tmp_path, tiny_model, mirror, interrupted):
    command = arguments(tiny_model, tmp_path / "results")
    said = interrupted(command, transformers.AutoModelForCausalLM, "from_pretrained")
    assert said.startswith("lm-eval-sea: interrupted; there was no answer yet; ")
    said = interrupted(command, EvaluationTracker, "save_results_aggregated", signal.SIGTERM)
    assert said.startswith("lm-eval-sea: interrupted; the same command continues where this one stopped, with the ")


def test_in_another_command(tmp_path, mirror, interrupted):
    assert interrupted(["show", tmp_path], lm_eval_sea.results.read, "read") == "lm-eval-sea: interrupted"
    check = ["data", "check", "--tasks", TASK]
    assert interrupted(check, lm_eval_sea.catalogue.check, "check_data") == "lm-eval-sea: interrupted"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_termination_while_libraries_are_imported(command, tmp_path):
    """The process sends itself the signal when it imports a slow library."""
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('lm_eval', 'lm_eval_sea.sweep.preflight'): os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from lm_eval_sea.commands.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    sweep = ["sweep", str(write_plan(tmp_path / "plan.yaml")), "--engine", "local"]
    given = ["run", "--model", "dummy", "--tasks", TASK] if command == "run" else sweep
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT)}
    process = subprocess.run([sys.executable, "-c", code, *given], env=environment, capture_output=True, text=True, timeout=300)
    assert process.returncode == 130, process.stderr
    assert process.stderr.strip().split("\n")[-1].startswith("lm-eval-sea: interrupted; the same command ")
    assert "Traceback" not in process.stderr


def test_a_forked_process_that_waits_can_be_terminated():
    """lm-eval's bootstrap ends its pool in this way."""
    fork = multiprocessing.get_context("fork")
    lock = fork.Lock()
    with terminated_as_interrupted(), lock:
        process = fork.Process(target=lock.acquire)
        process.start()
        process.terminate()
        process.join(60)
    assert process.exitcode == -signal.SIGTERM


@pytest.mark.slow
def test_a_kill_while_requests_are_kept(tmp_path, tiny_model, mirror, monkeypatch):
    """`--cache_requests` leaves half a file, and the next run is still right."""
    from lm_eval.api import task
    from lm_eval.caching import cache

    def half(file_name, obj):
        os.makedirs(cache.PATH, exist_ok=True)
        with open(cache._cache_file_path(file_name), "wb") as file:
            data = cache.dill.dumps(obj)
            file.write(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(cache, "PATH", str(tmp_path / "requests"))
    command = [*arguments(tiny_model, tmp_path / "a"), "--cache_requests", "true"]
    assert Fork(*command, before=lambda: setattr(task, "save_to_cache", half)).wait(600) == -signal.SIGKILL
    assert list((tmp_path / "requests").iterdir()), "nothing was left to be read"
    assert main(command) == 0
    assert main(arguments(tiny_model, tmp_path / "b")) == 0
    assert written(tmp_path / "a")["results"] == written(tmp_path / "b")["results"]
