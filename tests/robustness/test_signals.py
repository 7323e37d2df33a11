"""Interruptions in every phase of a run, and several processes."""

import json
import logging
import os
import pickle
import signal

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run import answer_cache
from lm_eval_sea.run.request import RunError

from ..processes import Fork
from .test_flags import database

TASK = "sea_xcopa_vi_to_ppl"


@pytest.fixture(autouse=True)
def heard(monkeypatch):
    """SIGINT interrupts, also where the tests run in the background, whose processes ignore it.

    Handlers of the log that earlier tests made write to streams that are closed by now.
    """
    monkeypatch.setattr(logging, "raiseExceptions", False)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def arguments(tiny_model, output):
    model = ["--model", "hf", "--model_args", f"pretrained={tiny_model},dtype=float32", "--device", "cpu"]
    return ["run", *model, "--tasks", TASK, "--limit", "2", "--output_path", str(output), "--log_samples"]


def _model(monkeypatch, send):
    import transformers

    load = transformers.AutoModelForCausalLM.from_pretrained
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", lambda *a, **k: (send(), load(*a, **k))[1])


def _before(owner, name, monkeypatch, send):
    """Has a function send the signal when it begins."""
    original = getattr(owner, name)

    def interrupted(*positional, **named):
        send()
        return original(*positional, **named)

    monkeypatch.setattr(owner, name, interrupted)


def _answers(monkeypatch, send):
    from lm_eval.models.huggingface import HFLM

    _before(HFLM, "_loglikelihood_tokens", monkeypatch, send)


def _saving(monkeypatch, send):
    from lm_eval.loggers import EvaluationTracker

    _before(EvaluationTracker, "save_results_aggregated", monkeypatch, send)


PHASES = {"model": (_model, signal.SIGINT), "answers": (_answers, signal.SIGTERM), "saving": (_saving, signal.SIGTERM)}


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
def test_a_signal_in_every_phase(phase, tmp_path, tiny_model, mirror, monkeypatch, capsys):
    """One line, status 130, and the same command then gives the results of an undisturbed run."""
    place, which = PHASES[phase]
    output = tmp_path / "results"
    with monkeypatch.context() as patch:
        place(patch, lambda: os.kill(os.getpid(), which))
        assert main(arguments(tiny_model, output)) == 130
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert said.strip().split("\n")[-1].startswith("lm-eval-sea: interrupted; ")
    if phase == "saving":
        for folder in (output, tmp_path / "undisturbed"):
            assert main(arguments(tiny_model, folder)) == 0
        one, other = (
            json.loads(next(folder.rglob("results_*.json")).read_text()) for folder in (output, tmp_path / "undisturbed")
        )
        assert one["results"] == other["results"]


@pytest.mark.parametrize("command", ["show", "data check"])
def test_a_signal_in_another_command(command, tmp_path, mirror, monkeypatch, capsys):
    import lm_eval_sea.catalogue.check
    import lm_eval_sea.results.read

    owner, name = {"show": (lm_eval_sea.results.read, "read"), "data check": (lm_eval_sea.catalogue.check, "check_data")}[command]
    _before(owner, name, monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
    rest = [str(tmp_path)] if command == "show" else ["--tasks", TASK]
    assert main([*command.split(), *rest]) == 130
    assert capsys.readouterr().err.strip().split("\n")[-1] == "lm-eval-sea: interrupted"


@pytest.mark.slow
def test_a_kill_while_requests_are_kept(tmp_path, tiny_model, mirror, monkeypatch):
    """Half a file is left by `--cache_requests`, and the next run is that of an undisturbed one."""
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
    one, other = (json.loads(next((tmp_path / name).rglob("results_*.json")).read_text()) for name in ("a", "b"))
    assert one["results"] == other["results"]


def test_answers_of_two_ranks(tmp_path):
    for rank in (0, 1):
        database(tmp_path / f"answers_rank{rank}.db")
    assert answer_cache.check_databases(str(tmp_path / "answers")) == 1000
    path = tmp_path / "answers_rank1.db"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(RunError, match="answers_rank1.db cannot be read"):
        answer_cache.check_databases(str(tmp_path / "answers"))


def test_a_pickle_is_not_run_by_our_reader(tmp_path):
    """Answers that hold a program are counted without running it."""

    class Program:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "run"),)

    import sqlite3

    connection = sqlite3.connect(tmp_path / "answers_rank0.db")
    connection.execute('CREATE TABLE "unnamed" (key TEXT PRIMARY KEY, value BLOB)')
    connection.execute('INSERT INTO "unnamed" VALUES (?, ?)', ("k", pickle.dumps(Program())))
    connection.commit()
    connection.close()
    assert answer_cache.check_databases(str(tmp_path / "answers")) == 1
    assert not (tmp_path / "run").exists()
