"""Common mistakes get one line before the model, which has no valid weights, is loaded. The table is `mistakes.yml`."""

import contextlib
import functools
import importlib.util
import re
import shlex
import shutil
import sys
import time
from pathlib import Path

import lm_eval.caching.cache
import pytest
import yaml

import lm_eval_sea.results.read
from lm_eval_sea.commands.cli import main
from tests.model_folder import model_folder
from tests.sweep.plans import write_plan

from ..conftest import states
from ..loopback import reply, serving

TABLE = yaml.safe_load(Path(__file__).with_name("mistakes.yml").read_text(encoding="utf-8"))
MODEL = "--model hf --model_args pretrained=MODEL --device cpu"


def _slow(handler):
    """Lists its models and answers nothing else in time."""
    reply({"data": []})(handler) if handler.command == "GET" else time.sleep(2)


ANSWERS = {"slow": _slow, "page": reply(b"<html>It works!</html>", **{"Content-Type": "text/html"}), "null": reply(None)}


@pytest.fixture(scope="module")
def address():
    """The address of a server that refuses with a status or answers as in `ANSWERS`; for other names nobody listens there."""
    with contextlib.ExitStack() as servers:

        @functools.cache
        def address(name):
            if not (answer := reply({"error": {"message": "refused"}}, int(name)) if name.isdecimal() else ANSWERS.get(name)):
                return "http://127.0.0.1:9"
            return servers.enter_context(serving(answer))[0]

        yield address


@pytest.fixture(scope="module")
def filled(address, tmp_path_factory):
    """Fills paths and addresses into a text of the table; the files exist."""
    folder = tmp_path_factory.mktemp("mistakes")
    model, other = model_folder(folder / "model"), model_folder(folder / "other", text="กรุงเทพฯ เป็นเมืองหลวง")

    def filled(text):
        text = re.sub(r"SERVER\((\w+)\)", lambda found: address(found[1]), text)
        return text.replace("FOLDER", str(folder / "files")).replace("MODEL", str(model)).replace("OTHER", str(other))

    for name, text in TABLE["files"].items():
        path = folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(filled(text), encoding="utf-8")
    (folder / "files" / "shared").mkdir()
    (folder / "files" / "shared").chmod(0o777)
    return filled


@pytest.fixture(scope="module")
def place(samples, tmp_path_factory):
    """A folder with links to a copy of the hand-written rows, for all cases; none writes anything into either."""
    place = tmp_path_factory.mktemp("place")
    rows = shutil.copytree(samples, tmp_path_factory.mktemp("rows") / "rows")
    before = states(rows)
    for each in rows.iterdir():
        (place / each.name).symlink_to(each)
    yield place
    assert states(rows) == before


def command_of(case):
    """The whole command of a line of the table; `run` gets a model unless the line names one."""
    if case in TABLE["sweep"]:
        return "sweep FOLDER/plan.yaml --engine local"
    given = case["given"]
    if case in TABLE["others"]:
        return given
    return f"run {'--model hf' if case.get('model') == 'none' else '' if given.startswith('--model ') else MODEL} {given}"


@pytest.fixture
def surroundings(monkeypatch, filled, place):
    """No keys, no trackers of experiments, requests kept in FOLDER/shared."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(lm_eval.caching.cache, "PATH", filled("FOLDER/shared"))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name in ("wandb", "trackio") else find(name, *more)
    )
    for name in ("HF_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=ascii(case.get("given", case.get("plan"))), marks=[pytest.mark.slow] * case.get("slow", False))
        for case in (*TABLE["run"], *TABLE["others"], *TABLE["sweep"])
    ],
)
def test_a_mistake_gets_one_line(case, place, filled, surroundings, capsys):
    """Nothing is written."""
    if "plan" in case:
        models = [{"name": "a", "model_args": {"pretrained": filled("MODEL")}}]
        changes = yaml.safe_load(filled(yaml.safe_dump(case["plan"])))
        write_plan(Path(filled("FOLDER/plan.yaml")), **{"models": models, "output": str(place / "out")} | changes)
    before = sorted(place.iterdir())
    try:
        status = main(shlex.split(filled(command_of(case))))
    except SystemExit as stop:  # an option that the parser refuses
        status = stop.code
    assert status == case.get("status", 2)
    out, said = capsys.readouterr()
    line = re.split(r"lm-eval-sea(?: [\w-]+)*: (?:error: )?", said)[-1].strip()
    assert "Traceback" not in said and "\n" not in line and not {"\x1b", "\u202e"} & set(out + line)
    assert line.startswith(filled(case["line"]))
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize("command", ["show FOLDER", "report FOLDER --out FOLDER/out", "score FOLDER"])
def test_an_unexpected_error(command, tmp_path, monkeypatch, capsys):
    """One line; `--debug` shows where, without secrets."""
    monkeypatch.setattr(lm_eval_sea.results.read, "read", lambda *_, **__: {}["token=abcdef"])
    arguments = shlex.split(command.replace("FOLDER", str(tmp_path)))
    assert main(arguments) == 1
    assert capsys.readouterr().err == "lm-eval-sea: KeyError: 'token=***'; --debug shows where\n"
    assert main([*arguments, "--debug"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("Traceback ") and said.endswith("\nlm-eval-sea: KeyError: 'token=***'\n") and "abcdef" not in said


def test_a_script_without_its_package(tmp_path, monkeypatch, capsys):
    import get_real_model

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "gguf" else find(name, *more))
    monkeypatch.setattr(sys, "argv", ["get_real_model.py", str(tmp_path / "model")])
    assert get_real_model.main() == 1
    assert capsys.readouterr().err == "get_real_model: needs the package gguf: pip install gguf\n"
