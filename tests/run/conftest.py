"""The command in a process of its own, without a network."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def run_module(tmp_path_factory):
    """Runs `lm-eval-sea ARGUMENTS` with an empty cache of the hub."""
    home = tmp_path_factory.mktemp("home")

    def run(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess:
        environment = dict(os.environ) | {"HF_HOME": str(home), "PYTHONPATH": str(ROOT)} | environment
        command = [sys.executable, "-m", "lm_eval_sea", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)

    return run
