"""Which commit of a benchmark's repository the user has checked out."""

from __future__ import annotations

import subprocess
from pathlib import Path

NO_COMMIT = "none: no git checkout"


def commit_of(folder: Path) -> str:
    """The commit that is checked out in a folder, or `NO_COMMIT`."""
    if not (folder / ".git").exists():  # git would answer for a repository around it
        return NO_COMMIT
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return NO_COMMIT
    return answer.stdout.strip() if answer.returncode == 0 else NO_COMMIT


def restore(folder: Path, commit: str, path: str) -> str:
    """The command that gives a checkout its file back as it was at a commit."""
    return f"git -C {folder} checkout {commit} -- {path}"
