"""The hook that lm-eval lacks: with the patch, `evaluate` hands each task the model."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import lm_eval
import pytest

PATCH = Path(__file__).resolve().parents[2] / "upstream" / "patches" / "12-model_for_tasks.patch"
EVALUATION = """
from lm_eval.api.task import Task
from lm_eval.evaluator import evaluate
from lm_eval.models.dummy import DummyLM
import inspect

class Asking:
    def build_all_requests(self, **given):
        print("the model" if given["lm"] is model else "not the model")
        raise SystemExit

assert "lm" in inspect.signature(Task.build_all_requests).parameters
model = DummyLM()
evaluate(lm=model, task_dict={"tasks": {"asking": Asking()}})
"""


@pytest.mark.slow
def test_a_task_gets_the_model(tmp_path):
    package = Path(lm_eval.__file__).parent
    shutil.copytree(package, tmp_path / "lm_eval", ignore=shutil.ignore_patterns("*.yaml", "*.pyc"))
    subprocess.run(["git", "apply", str(PATCH)], cwd=tmp_path, check=True, env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    environment = dict(os.environ) | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", EVALUATION], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "the model", done.stderr[-2000:]
