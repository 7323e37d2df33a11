"""The check of a GPU: without one its steps run to their end at a small size, and what they find is in one file and one table."""

import os
import subprocess
import sys
from pathlib import Path

import bench_workloads
import gpu_check
import pytest
from gpu_check import STEPS, faults

from tests.tasks.evaluation import read_json_lines

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "gpu_check.sh"
NAMES = [step.__name__ for step in STEPS]


@pytest.mark.slow
def test_all_steps_run_without_a_gpu(tmp_path, monkeypatch, capsys):
    saved = tmp_path / "gpu_check.json"
    monkeypatch.setitem(bench_workloads.SHAPES, "wide-heads", ("llama", 512, 96, 1, 2, 1, 8000))  # the real one takes 40 s
    for name in [*NAMES, "table"]:
        command = ["gpu_check.py", name, "--small", "--save", str(saved), "--model", str(tmp_path / "model")]
        monkeypatch.setattr(sys, "argv", command)
        assert gpu_check.main() == 0, name
    assert "Nothing is amiss." in capsys.readouterr().out
    found = {each.pop("step"): each for each in read_json_lines(saved)}
    assert list(found) == NAMES
    assert found["batches"]["hf-shared-prefix, batch size 16"]["tokens"] > 0
    assert found["agreement"]["as it is"]["largest"] < 1e-3
    assert found["exactness"]["answers"] > 0 and found["exactness"]["wrong"] == 0


def test_each_step_is_a_process_whose_failure_costs_only_itself(tmp_path):
    python, called = tmp_path / "python", tmp_path / "called"
    python.write_text(f'#!/bin/sh\necho "$@" >>{called}\n[ "$2" != passes ] || exit 3\n', encoding="utf-8")
    python.chmod(0o755)
    environment = os.environ | {"PYTHON": str(python)}
    assert subprocess.run(["bash", SCRIPT, "--small"], cwd=tmp_path, env=environment, capture_output=True).returncode == 0
    saved = tmp_path / "gpu_check.json"
    [*steps, last] = [line.split() for line in called.read_text(encoding="utf-8").splitlines()]
    model = steps[0][3]
    assert steps == [["gpu_check.py", name, "--model", model, "--save", str(saved), "--small"] for name in NAMES]
    assert not Path(model).exists(), "it has 14 GB"
    assert last == ["gpu_check.py", "table", "--save", str(saved)]
    [failed] = read_json_lines(saved)
    assert failed["step"] == "passes" and failed["failed"].startswith("exit status 3;")


def test_what_is_amiss_is_said():
    found = {"environment": {"card": "a card"}, "passes": {"device busy": 0.4}, "batches": {"times faster": 3.0}}
    assert len(faults(found)) == 2
    assert faults({"exactness": {"wrong": 8}})[0].startswith("8 answers are wrong")
    assert faults({"vllm": {"failed": "exit status 1"}}) == ["vllm: exit status 1"]
    assert faults({"environment": {}, "passes": {"device busy": None}, "batches": {"times faster": 3.0}}) == []
