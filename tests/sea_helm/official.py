"""Runs SEA-HELM's own code from a checkout, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def checkout(*needed: str) -> Path:
    """The folder of the checkout that `SEAHELM_CHECKOUT` names; skips the test without it or without one of the files."""
    if "SEAHELM_CHECKOUT" not in os.environ:
        pytest.skip("needs SEA-HELM's own code: set SEAHELM_CHECKOUT to a checkout of aisingapore/SEA-HELM")
    folder = Path(os.environ["SEAHELM_CHECKOUT"]).resolve()
    for path in needed:
        if not (folder / path).exists():
            pytest.skip(f"this checkout of SEA-HELM has no {path}")
    return folder


def run(folder: Path, code: str, given: object) -> object:
    """What `code` prints as JSON, run in the checkout with `given` as JSON on its standard input.

    Skips the test if a package that SEA-HELM imports is missing.
    """
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", code]
    text = json.dumps(given)
    done = subprocess.run(command, cwd=folder, env=environment, input=text, capture_output=True, text=True, timeout=600)
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip(f"SEA-HELM's code does not run here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
