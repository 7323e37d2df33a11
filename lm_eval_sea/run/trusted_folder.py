"""Folders from which lm-eval reads pickles, which run as code when they are read: nobody else may be able to put one there."""

from __future__ import annotations

import os
from pathlib import Path

from lm_eval_sea.run.request import RunError


def check_trusted(folder: Path, flag: str) -> None:
    """Makes a folder, for this user alone, or checks that no other user can write to the one that is there.

    Args:
        folder: from which pickles are read.
        flag: what the user gave, to name it.

    Raises:
        RunError: if others can write to it, or it cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except OSError as error:
        raise RunError(f"{flag}: the folder {folder} cannot be used ({error.strerror})") from error
    if not hasattr(os, "getuid"):  # Windows, whose rights are not told by modes
        return
    if state.st_uid not in (0, os.getuid()):
        raise RunError(f"{flag}: the folder {folder} is another user's, and files in it run as code; name a folder of your own")
    if state.st_mode & 0o022:
        raise RunError(f"{flag}: others may write to {folder}, and files in it run as code: chmod go-w {folder}, and empty it")
