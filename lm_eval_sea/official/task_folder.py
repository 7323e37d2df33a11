"""Input and output of `lm-eval-sea make --official`: a checkout at some commit, and a folder for nothing but these tasks."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from lm_eval_sea.catalogue import Refusal
from lm_eval_sea.catalogue.whole_files import BESIDE
from lm_eval_sea.make.files import FolderError, write_files

MARK = "# Written by lm-eval-sea"
NO_COMMIT = "none: no git checkout"


class CheckoutError(Refusal, ValueError):
    """No task can be made from a checkout or one of its files; the message is one line."""


class Made(NamedTuple):
    """What is made from a checkout."""

    files: dict[str, str]  # name → content; task files begin with `MARK`, their rows are in `<task>.jsonl`
    faults: list[str]  # one line for each task or text that cannot be made
    notes: list[str]  # what a user should know besides


def check_folder(folder: Path) -> None:
    """Refuses a folder that has anything but what was written here before."""
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder} is a file; give --out a folder that does not exist yet")
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if path.name != "__pycache__" and not BESIDE.fullmatch(path.name) and not _is_ours(path):
                raise FolderError(f"{folder} holds {path.name}, which was not written by this command; give --out another folder")


def write_folder(files: Mapping[str, str], folder: Path) -> None:
    """Makes the folder hold exactly these files; see `check_folder`."""
    there = folder.iterdir() if folder.is_dir() else ()
    write_files(files, folder, [path.name for path in there if path.name not in files and _is_ours(path)])


def _is_ours(path: Path) -> bool:
    marked = path.with_suffix(".yaml") if path.suffix == ".jsonl" else path  # rows are beside their task
    return path.is_file() and marked.is_file() and marked.read_bytes().startswith(MARK.encode())


def commit_of(folder: Path) -> str:
    """The commit that is checked out in a folder, or `NO_COMMIT`."""
    if not (folder / ".git").exists():  # else git would answer for a repository around it
        return NO_COMMIT
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return NO_COMMIT
    return answer.stdout.strip() if answer.returncode == 0 else NO_COMMIT


def commits(commit: str, tested: str) -> str:
    """The text that names the commit of a checkout and the tested one."""
    return f"the checkout is at {commit}, tested is {tested}"


def fault_of_file(path: str, fault: str, folder: Path, commit: str, tested: str) -> str:
    """The message about a file of a checkout that is missing or not as tested, with the command that restores it."""
    return f"{path}: {fault}; {commits(commit, tested)}; restore it: git -C {folder} checkout {tested} -- {path}"
