"""What a run that is interrupted says: how to go on, and what is kept."""

import multiprocessing
import os
import signal
import subprocess
import sys

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run import task_loading
from lm_eval_sea.run.interruption import terminated_as_interrupted
from tests.conftest import ROOT
from tests.sweep.plans import write_plan

MODEL = ["run", "--model", "dummy", "--tasks", "sea_xcopa_th_to_ppl"]
SAID = [
    ([], "interrupted; nothing is kept (with --output_path a run goes on where it stopped)"),
    (["--output_path"], "interrupted; there was no answer yet; the same command begins anew"),
    (["--no-resume", "--output_path"], "interrupted; nothing is kept (without --no-resume a run goes on where it stopped)"),
]


@pytest.fixture(autouse=True)
def heard():
    """Where tests run in the background, their process ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("flags", "said"), SAID, ids=["no output", "output", "no resume"])
def test_an_interruption_while_data_is_loaded(flags, said, tmp_path, samples, monkeypatch, capsys):
    monkeypatch.chdir(samples)
    which = signal.SIGTERM if flags else signal.SIGINT
    monkeypatch.setattr(task_loading, "load_tasks", lambda *_, **__: os.kill(os.getpid(), which))
    output = [str(tmp_path / "out")] if "--output_path" in flags else []
    assert main([*MODEL, *flags, *output]) == 130
    assert capsys.readouterr().err.strip().split("\n")[-1] == f"lm-eval-sea: {said}"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_termination_while_libraries_are_imported(command, tmp_path):
    """A process of its own, which sends itself the signal when it imports what takes long."""
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('lm_eval', 'lm_eval_sea.sweep.preflight'): os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from lm_eval_sea.commands.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    plan = str(write_plan(tmp_path / "plan.yaml"))
    arguments = MODEL if command == "run" else ["sweep", plan, "--engine", "local"]
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT)}
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, timeout=300
    )
    assert process.returncode == 130, process.stderr
    assert process.stderr.strip().split("\n")[-1].startswith("lm-eval-sea: interrupted; the same command ")
    assert "Traceback" not in process.stderr


def test_a_forked_process_ends_at_once_whatever_it_waits_for():
    """lm-eval's bootstrap ends its pool so."""
    fork = multiprocessing.get_context("fork")
    lock = fork.Lock()
    with terminated_as_interrupted(), lock:
        process = fork.Process(target=lock.acquire)
        process.start()
        process.terminate()
        process.join(60)
    assert process.exitcode == -signal.SIGTERM
