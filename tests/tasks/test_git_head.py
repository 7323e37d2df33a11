"""A checkout of lm-eval asks and scores as the installed release does, and the quick tests of the tasks pass on it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.processes import run

# What the other tests of this folder look at does not depend on lm-eval.
USES_LM_EVAL = re.compile(
    r"^ *(?:from|import) lm_eval\b|\"lm_eval\.|\bload_tasks\b"
    r"|^from \.(?:evaluation|planted_model) import (?!(?:(?:TASKS|chat_words|read_json_lines)(?:, )?)+$)",
    re.M,
)
# This compares with lm-eval's chrF++, which a checkout from before the release 0.4.13 does not have.
WITH_CHRFPP = ("test_overlap",)


def scores_with(folders, model) -> dict:
    """Those of an lm-eval in these folders, or of the installed one."""
    done = run("tests.tasks.run_of_checkout", model, cwd=ROOT, PYTHONPATH=os.pathsep.join(map(str, [*folders, ROOT])))
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def checkout_folder():
    if "LM_EVAL_NEXT" not in os.environ:
        pytest.skip("needs a checkout of lm-eval: set LM_EVAL_NEXT to its folder")
    return os.environ["LM_EVAL_NEXT"]


@pytest.mark.slow
def test_the_scores_are_those_of_the_release(tiny_model, checkout_folder):
    released, checkout = scores_with([], tiny_model), scores_with([checkout_folder], tiny_model)
    assert checkout["folder"].startswith(checkout_folder) and checkout["folder"] != released["folder"]
    assert len(released["tasks"]) == 7
    assert all(scores["prompts"] and len(scores) > 5 for scores in released["tasks"].values())
    for name, scores in released["tasks"].items():
        # a checkout from before the release has no resamples of chrF++
        compared = {key: value for key, value in scores.items() if key != "chrf++_stderr,none"}
        assert {key: checkout["tasks"][name][key] for key in compared} == compared, name


@pytest.mark.slow
def test_the_quick_tests_pass_on_it(checkout_folder):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([checkout_folder, str(ROOT)])}
    which = [sys.executable, "-c", "import lm_eval; print(lm_eval.__file__)"]
    assert subprocess.run(which, env=environment, capture_output=True, text=True).stdout.startswith(checkout_folder)
    metrics = Path(checkout_folder, "lm_eval", "api", "metrics.py").read_text(encoding="utf-8")
    left_out = () if "def chrfpp" in metrics else WITH_CHRFPP
    files = [path for path in sorted(Path(__file__).parent.glob("test_*.py")) if path.stem not in left_out]
    files = [path for path in files if USES_LM_EVAL.search(path.read_text(encoding="utf-8"))]
    assert len(files) > 20
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses", "0", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
