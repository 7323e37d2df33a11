"""The newest pre-release of lm-eval asks and scores as the release does: a task of every kind, with a model, on both."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

# lm-eval's own resampling, which has another random order in each release
RESAMPLED = {"chrf++_stderr,none", "bleu_stderr,none"}


def run(folder, model) -> dict:
    path = os.pathsep.join(map(str, [*folder, ROOT]))
    command = [sys.executable, "-m", "tests.tasks.run_of_release", str(model)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_the_scores_are_those_of_the_release(tiny_model):
    if "LM_EVAL_NEXT" not in os.environ:
        pytest.skip(
            "needs the pre-release of lm-eval: `bash scripts/test.sh --all` fetches it, or set LM_EVAL_NEXT to its folder"
        )
    released, following = run([], tiny_model), run([os.environ["LM_EVAL_NEXT"]], tiny_model)
    assert released["release"].startswith("0.4.") and following["release"].startswith("0.5.")
    assert set(released["tasks"]) == set(following["tasks"]) and len(released["tasks"]) == 7
    for name, scores in released["tasks"].items():
        others = following["tasks"][name]
        assert scores["prompts"] and len(scores) > 5, name
        compared = set(scores) - RESAMPLED
        assert {key: others[key] for key in compared} == {key: scores[key] for key in compared}, name
        assert all(isinstance(others[key], float) for key in RESAMPLED & set(scores)), name
    # a macro-F1 keeps the pack's standard error, which takes 100 resamples and not 100,000
    assert released["tasks"]["sea_wisesight_th"]["f1_cc_stderr,none"] > 0
