"""Mistakes of every day: one line each, before the model is loaded, whose weights are none. The table is `mistakes.yml`."""

import importlib.util
import logging
import shlex
from pathlib import Path

import pytest
import yaml

from lm_eval_sea.commands.cli import main
from tests.model_folder import model_folder

TABLE = yaml.safe_load(Path(__file__).with_name("mistakes.yml").read_text(encoding="utf-8"))
MODEL = "--model hf --model_args pretrained=MODEL --device cpu"


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case["given"], marks=[pytest.mark.slow] * case.get("slow", False)) for case in TABLE["mistakes"]],
)
def test_a_mistake_gets_one_line(case, mirror, tmp_path, monkeypatch, capsys):
    model = model_folder(tmp_path / "model")

    def filled(text):
        return text.replace("FOLDER", str(tmp_path / "files")).replace("MODEL", str(model))

    for name, text in TABLE["files"].items():
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(filled(text), encoding="utf-8")
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name in ("wandb", "trackio") else find(name, *more)
    )
    monkeypatch.setattr(logging, "raiseExceptions", False)  # handlers that earlier tests made write to streams that are closed
    monkeypatch.delenv("HF_TOKEN", raising=False)
    before = "" if case.get("model") == "none" else MODEL
    given = shlex.split(filled(f"{before} {case['given']}" if case.get("model") != "none" else f"--model hf {case['given']}"))
    assert main(["run", *given]) == 2
    said = capsys.readouterr().err
    line = said.rpartition("lm-eval-sea: ")[2].strip()
    assert "Traceback" not in said and "\n" not in line
    assert line.startswith(filled(case["line"]))
