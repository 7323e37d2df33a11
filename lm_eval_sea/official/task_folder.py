"""The folders of `lm-eval-sea official`: a checkout, and the tasks written from it: what is ours there, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

MARK = "# Written by lm-eval-sea official"


class CheckoutError(ValueError):
    """A folder that is no checkout of the benchmark; the message is one line."""


class FolderError(ValueError):
    """A folder that cannot be written to without loss; the message is one line."""


def check_folder(folder: Path) -> None:
    """Sees to it that a folder is new, empty, or has only what was written here before.

    Raises:
        FolderError: if it has anything else.
    """
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder} is a file; give --out a folder that does not exist yet")
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if path.name != "__pycache__" and not _is_ours(path):
                raise FolderError(f"{folder} holds {path.name}, which was not written by this command; give --out another folder")


def write_folder(files: Mapping[str, str], folder: Path) -> None:
    """Makes the folder hold exactly these files; see `check_folder`.

    Args:
        files: name → content, each beginning with `MARK`.
        folder: to write.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in files and _is_ours(path):
            path.unlink()
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")


def _is_ours(path: Path) -> bool:
    return path.is_file() and path.read_bytes().startswith(MARK.encode())
