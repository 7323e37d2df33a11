"""The command in a process of its own, without a network."""

import subprocess
from pathlib import Path

import pytest

from tests import processes


@pytest.fixture(scope="session")
def run_module(tmp_path_factory):
    """Runs `lm-eval-sea ARGUMENTS` with an empty cache of the hub."""
    home = tmp_path_factory.mktemp("home")

    def run(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess:
        return processes.run("lm_eval_sea", *arguments, cwd=cwd, **{"HF_HOME": str(home), **environment})

    return run
