"""Modules of this checkout, such as the command, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT


def begin(*arguments: object, cwd: Path | None = None, **environment: str) -> subprocess.Popen:
    """`python -m ARGUMENTS`, which the test waits for or kills."""
    return subprocess.Popen(stdout=subprocess.PIPE, stderr=subprocess.PIPE, **_options(arguments, cwd, environment))


def run(*arguments: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess:
    """The same to its end."""
    return subprocess.run(capture_output=True, timeout=300, **_options(arguments, cwd, environment))


def _options(arguments: tuple[object, ...], cwd: Path | None, environment: dict[str, str]) -> dict[str, Any]:
    known = dict(os.environ) | {"PYTHONPATH": str(ROOT)} | environment
    return {"args": [sys.executable, "-m", *map(str, arguments)], "cwd": cwd, "env": known, "text": True}
