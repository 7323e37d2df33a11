"""What the tests of this folder share; each is an attempt to get a wrong number, a lost result or a traceback out of the pack."""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path

import pytest


@pytest.fixture
def mirror(samples, tmp_path, monkeypatch) -> Path:
    """A copy of the hand-written rows, as the current folder."""
    folder = tmp_path / "mirror"
    shutil.copytree(samples, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="session")
def pack():
    """The tasks of the pack by name."""
    from lm_eval_sea.catalogue.task_list import read_tasks

    return read_tasks().tasks


@pytest.fixture(scope="session")
def load():
    """The rows of a task from the folders below the current one, as every way to run the task loads them."""
    from lm_eval_sea.make.on_demand import select

    return lambda name: select([name])[0].load_rows()


@pytest.fixture(scope="session")
def load_task():
    """Loads a task as plain lm_eval does."""
    from lm_eval.tasks import TaskManager

    from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

    managers = functools.cache(lambda folder: TaskManager(include_path=str(TASKS_FOLDER / folder), include_defaults=False))

    def load_task(name: str):
        return managers(name.removeprefix("sea_").split("_")[0]).load([name])["tasks"][name]

    return load_task


def edit(path: Path, change) -> None:
    """Changes the rows of a file of JSON lines; `change` gets the list of them. Lone surrogates are written as escapes."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
