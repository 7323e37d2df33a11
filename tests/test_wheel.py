"""The built wheel, laid beside lm-eval as pip does it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import lm_eval
import pytest

from tests.conftest import ROOT

NOT_BUILT = shutil.ignore_patterns(".*", "tests", "docs", "leaderboard", "__pycache__", "*.egg-info", "build")


@pytest.fixture
def site(tmp_path_factory) -> Path:
    """A folder of packages with the wheel's files and lm-eval's code; none of lm-eval's own tasks."""
    pytest.importorskip("setuptools", "77")
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "source", ignore=NOT_BUILT)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", folder, folder / "source"], check=True)
    [wheel] = folder.glob("*.whl")
    site = folder / "site"
    shutil.copytree(Path(lm_eval.__file__).parent, site / "lm_eval", ignore=shutil.ignore_patterns("*.yaml", "*.pyc"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def run(site, cwd, *arguments) -> subprocess.CompletedProcess:
    environment = dict(os.environ) | {"PYTHONPATH": str(site)}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
def test_lm_eval_runs_the_tasks_without_an_include_path_and_finds_each_once(site, tiny_model, samples, tmp_path):
    """Each once also where tasks of others are asked for, for which lm-eval's own folder is read."""
    model = ["--model", "hf", "--model_args", f"pretrained={tiny_model}", "--device", "cpu", "--limit", "1"]
    done = run(site, samples, "-m", "lm_eval", *model, "--tasks", "sea_belebele_to_ppl", "--output_path", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "overrides existing task" not in done.stderr
    assert "acc_ppl" in done.stdout
    assert len(list(tmp_path.rglob("results_*.json"))) == 1
    program = (
        "import lm_eval_sea.tasks, lm_eval.tasks; from lm_eval_sea.catalogue.task_list import read_tasks;"
        "from lm_eval_sea.run.task_loading import RunTasks;"
        "assert lm_eval_sea.tasks.__file__.startswith(lm_eval.tasks.__file__.partition('lm_eval')[0]);"
        "assert RunTasks(['arc_easy', 'sea_xnli']).names == {'arc_easy': [], 'sea_xnli': ['sea_xnli']};"
        "print(len(read_tasks().tasks), len(lm_eval.tasks.TaskManager().all_subtasks))"
    )
    done = run(site, tmp_path, "-c", program)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "overrides existing task" not in done.stderr
    packs, of_lm_eval = map(int, done.stdout.split())
    assert packs == of_lm_eval > 1000
