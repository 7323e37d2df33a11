"""The check of a GPU: without one it runs to its end at a small size, and what it finds is in one file and one table."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpu_check import STEPS, faults

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "gpu_check.sh"


@pytest.mark.slow
def test_all_steps_run_without_a_gpu(tmp_path):
    environment = os.environ | {"PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    run = subprocess.run(["bash", SCRIPT, "--small"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    found = [json.loads(line) for line in (tmp_path / "gpu_check.json").read_text(encoding="utf-8").splitlines()]
    assert [each["step"] for each in found] == [step.__name__ for step in STEPS]
    assert [each for each in found if "failed" in each] == [], run.stderr
    assert run.returncode == 0
    assert "Nothing is amiss." in run.stdout
    of_batches = next(each for each in found if each["step"] == "batches")
    assert of_batches["hf-shared-prefix, batch size 16"]["tokens"] > 0
    assert next(each for each in found if each["step"] == "agreement")["as it is"]["largest"] < 1e-3


def test_what_is_amiss_is_said():
    found = {"environment": {"card": "a card"}, "passes": {"device busy": 0.4}, "batches": {"times faster": 3.0}}
    assert len(faults(found)) == 2
    assert faults({"vllm": {"failed": "exit status 1"}}) == ["vllm: exit status 1"]
    assert faults({"environment": {}, "passes": {"device busy": None}, "batches": {"times faster": 3.0}}) == []
