"""Faults in the middle of a run, and what becomes of the results."""

import fcntl
import json
import logging
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import termios

import pytest
from lm_eval.models.huggingface import HFLM
from safetensors.torch import load_file, save_file

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run.answer_cache import FOLDER

from ..conftest import ROOT
from ..processes import Fork
from .test_servers import completion, reply, serving

GOOD, BAD, WRITTEN = "sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl", "sea_tydiqa_id"


def run_into(folder, tiny_model):
    """A run of three tasks with a tiny model."""
    return [
        "run", "--model", "hf", "--model_args", f"pretrained={tiny_model},dtype=float32", "--device", "cpu", "--tasks",
        f"{GOOD},{BAD},{WRITTEN}", "--limit", "3", "--gen_kwargs", "max_gen_toks=4", "--output_path", str(folder),
        "--log_samples", "--batch_size", "4",
    ]  # fmt: skip


@pytest.fixture
def command(tiny_model, mirror, tmp_path, monkeypatch):
    """The run on rows that a test may change."""
    monkeypatch.setattr(logging, "raiseExceptions", False)
    return run_into(tmp_path / "results", tiny_model)


@pytest.fixture(scope="module")
def undisturbed(tiny_model, samples, tmp_path_factory):
    """The scores of a run without faults, by task."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        patch.setattr(logging, "raiseExceptions", False)
        assert main(run_into(folder, tiny_model)) == 0
    return scores(folder)


def scores(folder):
    [path] = folder.rglob("results_*.json")
    return json.loads(path.read_text(encoding="utf-8"))["results"]


def failed_line(capsys):
    err = capsys.readouterr().err
    assert "Traceback" not in err
    return err.rpartition("lm-eval-sea: ")[2].strip()


def _of_row(mirror, task, number):
    """A text that only one row has."""
    [path] = (mirror / "sail" / "Sailcompass_data" / "data" / "xcopa").glob(f"{task.split('_')[2]}_test.jsonl")
    return json.loads(path.read_text(encoding="utf-8").splitlines()[number])["premise"]


def _answer_with(number):
    def plant(monkeypatch, text):
        plain = HFLM._loglikelihood_tokens

        def answer(self, requests, **options):
            given = zip(requests, plain(self, requests, **options), strict=True)
            return [(number, False) if text in "".join(map(str, one[0])) else got for one, got in given]

        monkeypatch.setattr(HFLM, "_loglikelihood_tokens", answer)

    return plant


def _too_long(monkeypatch, text):
    plain = HFLM._loglikelihood_tokens

    def answer(self, requests, **options):
        assert not any(text in "".join(map(str, one[0])) for one in requests), "the option is longer than the window"
        return plain(self, requests, **options)

    monkeypatch.setattr(HFLM, "_loglikelihood_tokens", answer)


FAULTS = {
    "a row that is NaN": (_answer_with(float("nan")), "row 1 (id {id}): the log-likelihood is not a number"),
    "an impossible prompt": (
        _answer_with(float("-inf")),
        "row 1: the model's log-likelihood of the prompt is not a number (-inf)",
    ),
    "an option longer than the window": (_too_long, "row 1 (id {id}): AssertionError: the option is longer than the window"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_that_cannot_be_scored_costs_its_task(fault, command, undisturbed, mirror, tmp_path, monkeypatch, capsys):
    """The others are scored and saved, and the status tells."""
    plant, line = FAULTS[fault]
    plant(monkeypatch, _of_row(mirror, BAD, 1))
    assert main(command) == 1
    said = failed_line(capsys)
    assert said.startswith(f"{BAD} failed, and is not scored: ")
    assert line.partition(" (id")[0].partition(":")[0] in said and line.rpartition(": ")[2] in said, said
    assert "\n" not in said
    found = scores(tmp_path / "results")
    assert set(found) == {GOOD, WRITTEN}
    assert {name: found[name] for name in found} == {name: undisturbed[name] for name in found}


@pytest.mark.slow
def test_a_lone_surrogate_in_an_answer(command, undisturbed, tmp_path, monkeypatch, capsys):
    plain = HFLM.generate_until

    def generate(self, requests, **options):
        return [*plain(self, requests, **options)[:-1], "a\ud800"]

    monkeypatch.setattr(HFLM, "generate_until", generate)
    assert main(command) == 1
    assert failed_line(capsys).startswith(f"{WRITTEN} failed, and is not scored: row 2")
    found = scores(tmp_path / "results")
    assert found == {name: undisturbed[name] for name in (GOOD, BAD)}


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["hf", "hf-shared-prefix"])
def test_answers_from_logits_that_are_no_numbers(backend, tiny_model, mirror, tmp_path, monkeypatch, capsys):
    """Of which the largest still names a token."""
    monkeypatch.setattr(logging, "raiseExceptions", False)
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    weights = load_file(folder / "model.safetensors")
    weights["model.norm.weight"][0] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    command = run_into(tmp_path / "results", folder)
    command[2] = backend
    assert main(command) == 1
    assert f"{WRITTEN} failed, and is not scored: row 0 (id " in (said := failed_line(capsys))
    assert "the model's logits are not numbers; another dtype" in said


@pytest.mark.slow
def test_a_window_without_room_is_said_once_of_each_task(command, capsys):
    command[4] += ",max_length=5"
    assert main(command) == 1
    lines = failed_line(capsys).split("\n")
    assert [line.split()[0] for line in lines] == [GOOD, BAD]
    assert all("choose a model with a longer context" in line for line in lines)


@pytest.mark.slow
def test_all_tasks_fail(command, tmp_path, monkeypatch, capsys):
    _answer_with(float("nan"))(monkeypatch, "")
    monkeypatch.setattr(HFLM, "generate_until", lambda self, requests, **options: ["\ud800"] * len(requests))
    assert main(command) == 1
    assert failed_line(capsys).count(" failed, and is not scored: ") == 3
    assert not list((tmp_path / "results").rglob("results_*.json"))


# what stands around a run


def start(command, **options):
    """A run in a process of its own, in a shell's line."""
    return subprocess.Popen(
        command, cwd=options.pop("cwd"), env=dict(os.environ) | {"PYTHONPATH": str(ROOT)}, text=True, **options
    )  # fmt: skip


def python(command):
    return [sys.executable, "-m", "lm_eval_sea", *command]


@pytest.mark.slow
def test_a_reader_who_has_enough(command, undisturbed, mirror, tmp_path):
    """`2>&1 | head -1`"""
    line = " ".join(map(shlex.quote, python(command))) + " 2>&1 | head -1; exit ${PIPESTATUS[0]}"
    process = start(["bash", "-c", line], cwd=mirror, stdout=subprocess.PIPE)
    said, _ = process.communicate(timeout=200)
    assert process.returncode == 0, said
    assert scores(tmp_path / "results") == undisturbed


@pytest.mark.slow
def test_a_terminal_that_is_closed(command, undisturbed, mirror, tmp_path):
    """A pseudo-terminal whose other end goes away, which sends SIGHUP."""
    ours, theirs = os.openpty()
    process = start(
        python(command), cwd=mirror, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    os.read(ours, 100)
    os.close(ours)
    assert process.wait(200) == 0
    assert scores(tmp_path / "results") == undisturbed


@pytest.mark.slow
def test_the_same_command_twice(command, mirror, tmp_path, capsys, monkeypatch):
    """The second is refused in a line, and the first ends well."""
    said = []
    plain = HFLM.generate_until

    def generate(self, requests, **options):
        second = Fork(*command, cwd=mirror)
        _, err = second.communicate(200)
        said.append((second.returncode, err.rpartition("lm-eval-sea: ")[2].strip()))
        return plain(self, requests, **options)

    monkeypatch.setattr(HFLM, "generate_until", generate)
    assert main(command) == 0
    [(status, line)] = said
    assert status == 2
    assert line.startswith("the same run is at work, and keeps its answers in ") and "\n" not in line
    assert len(scores(tmp_path / "results")) == 3
    assert not (tmp_path / "results" / FOLDER).exists()


def _locked(folder):
    [path] = folder.glob("answers_*.db")
    connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def _deleted(folder):
    shutil.rmtree(folder)


def _overwritten(folder):
    [path] = folder.glob("answers_*.db")
    path.write_bytes(b"no database " * 1000)


def _full(folder):
    """SQLite's own word for it."""
    from sqlitedict import SqliteDict

    def no_room(self, key, value):
        raise sqlite3.OperationalError("database or disk is full")

    SqliteDict.__setitem__ = no_room


@pytest.mark.slow
@pytest.mark.parametrize("fault", [_locked, _deleted, _overwritten, _full], ids=lambda fault: fault.__name__.strip("_"))
def test_a_cache_that_fails_in_the_middle(fault, command, undisturbed, tmp_path, monkeypatch, caplog):
    """It is said, and the scores are those of an undisturbed run."""
    from sqlitedict import SqliteDict

    plain, keep = HFLM.generate_until, []
    monkeypatch.setattr(SqliteDict, "__setitem__", SqliteDict.__setitem__)  # put back afterwards

    def generate(self, requests, **options):
        keep.append(fault(tmp_path / "results" / FOLDER))
        return plain(self, requests, **options)

    monkeypatch.setattr(HFLM, "generate_until", generate)
    assert main(command) == 0
    assert scores(tmp_path / "results") == undisturbed
    assert sum("the run goes on without" in message for message in caplog.messages) == 1


@pytest.mark.slow
def test_a_server_that_dies_in_the_middle(mirror, tmp_path):
    """What it answered is kept, and the same command asks for the rest."""
    alive = [3]

    def answer(handler):
        if not alive[0]:
            handler.send_response(503)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        alive[0] -= 1
        reply(completion(f"answer {alive[0]}"))(handler)

    with serving(answer) as (address, asked):
        model = f"model=toy,base_url={address}/v1/chat/completions,max_retries=1"
        command = [
            "run", "--model", "local-chat-completions", "--model_args", model, "--tasks", "sea_belebele_en_chat", "--limit", "4",
            "--apply_chat_template", "--output_path", str(tmp_path / "results"),
        ]  # fmt: skip
        first = Fork(*command, cwd=mirror)
        _, err = first.communicate(200)
        assert first.returncode == 1
        assert "Traceback" not in err
        last = err.strip().splitlines()[-1]
        assert last.startswith("lm-eval-sea: the server gives no answers: HTTPError: 503")
        assert "the same command goes on where this one stopped, with the 3 answers" in last
        before, alive[0] = len(asked), 9
        second = Fork(*command, cwd=mirror)
        _, err = second.communicate(200)
        assert second.returncode == 0, err[-2000:]
        assert len(asked) - before == 1
