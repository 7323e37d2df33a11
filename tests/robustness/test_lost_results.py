"""Faults in the middle of a run, and what becomes of the results."""

import fcntl
import json
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
from ..loopback import completion, reply, serving
from ..processes import Fork, run_of
from ..run.conftest import written

GOOD, BAD, WRITTEN = "sea_xcopa_th_to_ppl", "sea_xcopa_vi_to_ppl", "sea_tydiqa_id"


def run_into(folder, tiny_model):
    """A run of three tasks with a tiny model."""
    more = ["--limit", 3, "--gen_kwargs", "max_gen_toks=4", "--output_path", folder, "--log_samples", "--batch_size", 4]
    return run_of(f"{tiny_model},dtype=float32", f"{GOOD},{BAD},{WRITTEN}", *more)


@pytest.fixture
def command(tiny_model, mirror, tmp_path):
    """The run, on rows that a test may change."""
    return run_into(tmp_path / "results", tiny_model)


@pytest.fixture(scope="module")
def undisturbed(tiny_model, samples, tmp_path_factory):
    """The scores of a run without faults, by task."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(samples)
        assert main(run_into(folder, tiny_model)) == 0
    return scores(folder)


def scores(folder):
    return written(folder)["results"]


def failed_line(capsys):
    err = capsys.readouterr().err
    assert "Traceback" not in err
    return err.rpartition("lm-eval-sea: ")[2].strip()


def bend(monkeypatch, name, change):
    """Changes the model's answers; `change` gets requests and answers."""
    plain = getattr(HFLM, name)

    def answer(self, requests, **options):
        return change(requests, plain(self, requests, **options))

    monkeypatch.setattr(HFLM, name, answer)


def not_a_number(requests, answers):
    return [(float("nan"), False)] * len(answers)


def too_long(requests, answers):
    raise AssertionError("the option is longer than the window")


def surrogate(requests, answers):
    return [*answers[:-1], "a\ud800"]


def of_row(mirror, change):
    """Restricts a fault to the requests of row 1 of a task, which are known by their text."""
    path = mirror / "sail/Sailcompass_data/data/xcopa/vi_test.jsonl"
    text = json.loads(path.read_text(encoding="utf-8").splitlines()[1])["premise"]

    def change_some(requests, answers):
        given = zip(requests, answers, strict=True)
        return [change([one], [got])[0] if text in "".join(map(str, one[0])) else got for one, got in given]

    return change_some


# fault → the change of the answers, the model's method, the task that fails, and parts of the message
FAULTS = {
    "a row that is NaN": (not_a_number, "_loglikelihood_tokens", BAD, ("row 1 (id ", "the log-likelihood is not a number")),
    "a row that it refuses": (too_long, "_loglikelihood_tokens", BAD, ("row 1 (id ", "AssertionError: the option is longer")),
    "half a character": (surrogate, "generate_until", WRITTEN, ("row 2",)),
}


@pytest.mark.slow
@pytest.mark.parametrize(("change", "name", "task", "parts"), FAULTS.values(), ids=FAULTS)
def test_a_row_that_cannot_be_scored_fails_only_its_task(
    change, name, task, parts, command, undisturbed, mirror, tmp_path, monkeypatch, capsys
):
    """The others are scored and saved, and the status is 1."""
    bend(monkeypatch, name, of_row(mirror, change) if task == BAD else change)
    assert main(command) == 1
    said = failed_line(capsys)
    assert said.startswith(f"{task} failed, and is not scored: row ") and "\n" not in said
    assert all(part in said for part in parts), said
    found = scores(tmp_path / "results")
    assert found == {name: undisturbed[name] for name in {GOOD, BAD, WRITTEN} - {task}}


@pytest.mark.slow
def test_prompts_are_built_once_even_if_tasks_fail(command, undisturbed, tmp_path, caplog):
    """The prompts of two tasks cannot be made, and a third cannot be scored."""
    caplog.set_level("INFO", "lm_eval")
    fails = "{{ 1 // q }}"  # at the second row
    (tmp_path / "mine").mkdir()
    (tmp_path / "rows.json").write_text(json.dumps([{"q": 1}, {"q": 0}]))
    for name, texts in {"my_a": (fails, "y"), "my_b": (fails, "y"), "my_c": ("x", fails)}.items():
        rows = {"dataset_path": "json", "dataset_kwargs": {"data_files": str(tmp_path / "rows.json")}, "test_split": "train"}
        asked = {"task": name, "output_type": "generate_until", "doc_to_text": texts[0], "doc_to_target": texts[1]}
        (tmp_path / "mine" / f"{name}.yaml").write_text(json.dumps(rows | asked))
    tasks = f"{GOOD},my_a,my_c,{BAD},my_b,{WRITTEN}"
    given = [tasks if part == f"{GOOD},{BAD},{WRITTEN}" else part for part in command]
    assert main([*given, "--include_path", str(tmp_path / "mine")]) == 1
    built = [caplog.text.count(f"Building contexts for {name} ") for name in tasks.split(",")]
    assert built == [1] * 6
    assert scores(tmp_path / "results") == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["hf", "hf-shared-prefix"])
def test_logits_that_are_nan(backend, tiny_model, mirror, tmp_path, capsys):
    """Generation would still find a largest one. All tasks fail, and nothing is saved."""
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    weights = load_file(folder / "model.safetensors")
    weights["model.norm.weight"][0] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    command = run_into(tmp_path / "results", folder)
    command[2] = backend
    assert main(command) == 1
    said = failed_line(capsys)
    assert said.count(" failed, and is not scored: ") == 3 and f"{WRITTEN} failed, and is not scored: row 0 (id " in said
    assert "the model's logits are not numbers; another dtype" in said
    assert not list((tmp_path / "results").rglob("results_*.json"))


@pytest.mark.slow
def test_a_window_that_is_too_small_is_reported_once_per_task(command, capsys):
    command[4] += ",max_length=5"
    assert main(command) == 1
    lines = failed_line(capsys).split("\n")
    assert [line.split()[0] for line in lines] == [GOOD, BAD]
    assert all("choose a model with a longer context" in line for line in lines)


# the surroundings of a run


def start(command, **options):
    """A command in a process of its own."""
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True, **options)


def python(command):
    return [sys.executable, "-m", "lm_eval_sea", *command]


@pytest.mark.slow
def test_a_closed_pipe(command, undisturbed, mirror, tmp_path):
    """`2>&1 | head -1`"""
    line = " ".join(map(shlex.quote, python(command))) + " 2>&1 | head -1; exit ${PIPESTATUS[0]}"
    process = start(["bash", "-c", line], cwd=mirror, stdout=subprocess.PIPE)
    said, _ = process.communicate(timeout=200)
    assert process.returncode == 0, said
    assert scores(tmp_path / "results") == undisturbed


@pytest.mark.slow
def test_a_closed_terminal(command, undisturbed, mirror, tmp_path):
    """The other end of a pseudo-terminal closes, which sends SIGHUP."""
    ours, theirs = os.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    own_it = {"start_new_session": True, "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)}
    process = start(python(command), cwd=mirror, **streams, **own_it)
    os.close(theirs)
    os.read(ours, 100)
    os.close(ours)
    assert process.wait(200) == 0
    assert scores(tmp_path / "results") == undisturbed


@pytest.mark.slow
def test_the_same_command_twice(command, mirror, tmp_path, capsys, monkeypatch):
    """The second is refused in one line, and the first succeeds."""
    said = []

    def begin_again(requests, answers):
        second = Fork(*command, cwd=mirror)
        _, err = second.communicate(200)
        said.append((second.returncode, err.rpartition("lm-eval-sea: ")[2].strip()))
        return answers

    bend(monkeypatch, "generate_until", begin_again)
    assert main(command) == 0
    [(status, line)] = said
    assert status == 2
    assert line.startswith("the same run is in progress, with its answers in ") and "\n" not in line
    assert len(scores(tmp_path / "results")) == 3
    assert not (tmp_path / "results" / FOLDER).exists()


def locked(folder):
    [path] = folder.glob("answers_*.db")
    connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def overwritten(folder):
    [path] = folder.glob("answers_*.db")
    path.write_bytes(b"no database " * 1000)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [locked, shutil.rmtree, overwritten])
def test_a_cache_that_fails_in_the_middle(fault, command, undisturbed, tmp_path, monkeypatch, caplog):
    """The failure is reported, and the scores are right."""
    plain, keep = HFLM.generate_until, []

    def generate(self, requests, **options):
        keep.append(fault(tmp_path / "results" / FOLDER))
        return plain(self, requests, **options)

    monkeypatch.setattr(HFLM, "generate_until", generate)
    assert main(command) == 0
    assert scores(tmp_path / "results") == undisturbed
    assert sum("the run continues, but if interrupted" in message for message in caplog.messages) == 1


@pytest.mark.slow
def test_a_server_that_dies_in_the_middle(mirror, tmp_path):
    """Its answers are kept, and the same command asks for the rest."""
    alive = [3]

    def answer(handler):
        content, status = (completion(f"answer {alive[0]}"), 200) if alive[0] else ({}, 503)
        alive[0] -= bool(alive[0])
        reply(content, status)(handler)

    with serving(answer) as (address, asked):
        model = f"model=toy,base_url={address}/v1/chat/completions,max_retries=1"
        command = [
            "run", "--model", "local-chat-completions", "--model_args", model, "--tasks", "sea_belebele_en_chat", "--limit", "4",
            "--apply_chat_template", "--output_path", str(tmp_path / "results"),
        ]  # fmt: skip
        first = Fork(*command, cwd=mirror)
        _, err = first.communicate(200)
        assert first.returncode == 1 and "Traceback" not in err
        last = err.strip().splitlines()[-1]
        assert last.startswith("lm-eval-sea: the server gives no answers: HTTPError: 503")
        assert "the same command continues where this one stopped, with the 3 answers" in last
        before, alive[0] = len(asked), 9
        second = Fork(*command, cwd=mirror)
        _, err = second.communicate(200)
        assert second.returncode == 0, err[-2000:]
        assert len(asked) - before == 1
