"""A checkout of SailCompass in miniature, with rows; and the real one, if there is one."""

import copy
import functools
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import lm_eval
import pytest
import yaml
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from lm_eval_sea.commands import cli
from lm_eval_sea.official.sailcompass_checkout import known_files, run
from tests.official import miniature_sailcompass

KNOWN_RUNS: dict = {}  # file, loader and rows → what a run gave


def commit(folder: Path) -> str:
    """Makes a folder a git checkout; returns its commit."""
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def make(checkout: Path, out: Path, *options: str) -> int:
    """`lm-eval-sea make` of the official prompts; its exit status."""
    return cli.main(["make", "--official", str(checkout), "--out", str(out), *options])


@pytest.fixture(autouse=True)
def known_runs(monkeypatch) -> None:
    """Runs a file of a checkout once on the same rows: each run starts a process, and a checkout has sixteen."""

    def run_once(file, *, loader="", rows="", folder=Path()):
        key = file, loader, rows and (folder / rows).read_bytes()
        if key not in KNOWN_RUNS:
            KNOWN_RUNS[key] = run(file, loader=loader, rows=rows, folder=folder)
        return copy.deepcopy(KNOWN_RUNS[key])

    monkeypatch.setattr("lm_eval_sea.official.sailcompass_checkout.run", run_once)


@functools.cache
def manager_of(folder: Path, **metadata: str) -> TaskManager:
    """One for all tasks of a folder: to read its hundreds of files takes half a second."""
    return TaskManager(include_path=str(folder), include_defaults=False, metadata=metadata)


def load(folder: Path, names: list[str]) -> dict:
    """The tasks of a folder as lm-eval loads them, on rows of the current one."""
    return manager_of(folder).load(names)["tasks"]


def evaluate_official(folder: Path, name: str, model: LM, **metadata: str) -> dict:
    """The results of a task on rows of the current folder."""
    return lm_eval.simple_evaluate(model=model, tasks=[name], task_manager=manager_of(folder, **metadata), bootstrap_iters=0)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def miniature(tmp_path) -> Path:
    """A miniature checkout, to be changed at will."""
    code = {path: record["classes"] for path, record in known_files()["code"].items()}
    miniature_sailcompass.write(tmp_path / "sailcompass", code)
    return tmp_path / "sailcompass"


@pytest.fixture
def known_miniature(miniature, tmp_path, monkeypatch) -> dict:
    """The miniature as it is now is the tested checkout, to the command too; its tasks are `mini_<name>`."""
    official = known_files()
    digests = {
        path.relative_to(miniature).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in miniature.rglob("*.py")
    }
    code = {path: record | {"sha256": digests[path]} for path, record in official["code"].items() if path in digests}
    configurations = {
        path: {"task": f"mini_{Path(path).stem.rsplit('_', 1)[0]}", "sha256": digests[path]}
        for path in sorted(digests)
        if path.startswith("configs/")
    }
    known = official | {"configurations": configurations, "code": code}
    path = tmp_path / "known.yaml"
    path.write_text(yaml.safe_dump(known), encoding="utf-8")
    monkeypatch.setattr("lm_eval_sea.official.sailcompass_checkout.KNOWN_FILES", path)
    return known


@pytest.fixture
def rows_folder(tmp_path, samples, monkeypatch) -> Path:
    """The current folder, with hand-written rows in `sail/Sailcompass_data`; M3Exam also by number of options."""
    data = Path(shutil.copytree(samples / "sail", tmp_path / "rows" / "sail")) / "Sailcompass_data" / "data"
    exam = json.loads((data / "m3exam" / "thai-questions-test.json").read_text(encoding="utf-8"))
    for options in (2, 4):
        part = [row for row in exam if len(row["options"]) == options]
        assert part
        path = data / "m3exam" / f"thai-questions-test-{options}.json"
        path.write_text(json.dumps(part, ensure_ascii=False), encoding="utf-8")
    monkeypatch.chdir(tmp_path / "rows")
    return data


@pytest.fixture(scope="session")
def sailcompass_checkout() -> Path:
    """The real checkout of sail-sg/sailcompass."""
    if "SAILCOMPASS_CHECKOUT" not in os.environ:
        pytest.skip("needs the official prompts: set SAILCOMPASS_CHECKOUT to a checkout of sail-sg/sailcompass at 6093e6c")
    return Path(os.environ["SAILCOMPASS_CHECKOUT"]).resolve()
