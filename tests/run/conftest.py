"""The command in a process of its own, without a network."""

import contextlib
import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run.answer_cache import FOLDER
from tests import processes


def written(output: Path) -> dict[str, Any]:
    """What is in the one file of results below a folder."""
    [path] = output.rglob("results_*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def answers_kept(output: Path, mode: str = "ro") -> int:
    """The number of answers that are on disk; in mode "rw" also where a kill fell into a write, which SQLite then takes back."""
    count = 0
    for path in (output / FOLDER).glob("answers_*.db"):
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(f"file:{path}?mode={mode}", uri=True)) as database,
        ):
            count += database.execute('SELECT count(*) FROM "unnamed"').fetchone()[0]  # there is none at first
    return count


@pytest.fixture
def refusal(capsys) -> Callable[..., str]:
    """Runs a command that must be refused; returns what is said: one line."""

    def refusal(*arguments: object) -> str:
        assert main(["run", *map(str, arguments)]) == 2
        said = capsys.readouterr().err.rpartition("lm-eval-sea: ")[2].strip()
        assert "\n" not in said
        return said

    return refusal


@pytest.fixture(scope="session")
def run_module(tmp_path_factory):
    """Runs `lm-eval-sea ARGUMENTS` with an empty cache of the hub."""
    home = tmp_path_factory.mktemp("home")

    def run(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess:
        return processes.run("lm_eval_sea", *arguments, cwd=cwd, **{"HF_HOME": str(home), **environment})

    return run
