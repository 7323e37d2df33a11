"""Files of hub repositories: from the hub or its cache, all of one commit, with messages that say how to mend what fails."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import huggingface_hub
from huggingface_hub import errors


if TYPE_CHECKING:
    from collections.abc import Iterable


# Seconds in which a hub that could not be reached is not asked again: each attempt takes up to minutes, and a command asks for
# dozens of files.
_PAUSE = 300
_unreached: list[float] = []  # when that was, on the monotonic clock
LOGIN_REFUSED = "the hub refuses the login, as when a token has expired; log in anew with `hf auth login`, or mend HF_TOKEN."


class DataError(ValueError):
    """Data that cannot be had or cannot be scored; the message is one line that says what and how to mend it."""

    def __init__(self, message: str, place: str = "") -> None:
        """Args: place: the file, perhaps with the row, that is there and whose content is at fault; empty for what is missing."""
        super().__init__(message)
        self.place = place


def download(source: str, path: str, **options: Any) -> Path:
    """A file of a hub repository, such as "sail/Sailcompass_data": from the hub, or from its cache if that cannot be reached.

    The options are those of `huggingface_hub.hf_hub_download`, such as `revision` or `local_dir`.

    Raises:
        DataError: if it cannot be had.
    """
    if ".." in PurePosixPath(path).parts or path.startswith("/") or "\\" in path:
        raise DataError(f"cannot get {path!r} of {source}: a name that leads out of its folder")
    if _unreached and time.monotonic() < _unreached[-1] + _PAUSE:
        options["local_files_only"] = True
    try:
        return Path(huggingface_hub.hf_hub_download(source, path, repo_type="dataset", **options))
    except errors.LocalEntryNotFoundError as error:
        if not options.get("local_files_only"):
            _unreached.append(time.monotonic())
        raise DataError(
            f"cannot get {path} of {source}: the hub cannot be reached and its cache lacks the file. With a network, run "
            f"`lm-eval-sea data fetch`; without one, start in a folder that holds {source}/{path}."
        ) from error
    except errors.EntryNotFoundError as error:
        raise DataError(f"cannot get {path} of {source}: the repository on the hub has no such file.") from error
    except errors.GatedRepoError as error:
        raise DataError(
            f"cannot get {path} of {source}: ask for access on the repository's page, then log in with `hf auth login`."
        ) from error
    # What is left are the faults of tokens, networks and disks, in classes of several libraries.
    except Exception as error:
        reason = why(error)
        if isinstance(error, errors.RepositoryNotFoundError) and reason != LOGIN_REFUSED:
            reason = "the hub has no such repository, or it asks for a login."
        raise DataError(f"cannot get {path} of {source}: {reason}") from error


def download_all(source: str, paths: Iterable[str]) -> Path:
    """Files of a hub repository, all of one commit, the newest of the main branch.

    Returns:
        The folder of the hub's cache that holds them; its name is the commit.

    Raises:
        DataError: if one of them cannot be had.
    """
    commit = None
    for path in paths:
        folder = download(source, path, revision=commit).parents[path.count("/")]
        commit = folder.name
    return folder


def why(error: BaseException) -> str:
    """What an error of the hub says, on one line; a token that is no longer good is refused for public repositories, too."""
    response: Any = getattr(error, "response", None)
    if getattr(response, "status_code", None) == 401 and not response.headers.get("X-Error-Code"):  # of the repository
        return LOGIN_REFUSED
    return one_line(error)


def one_line(error: BaseException) -> str:
    """What an error says, on one line of at most 300 characters."""
    return textwrap.shorten(str(error), 300) or type(error).__name__


def first_line(error: BaseException) -> str:
    """The first line of what an error says, 300 characters at most; some libraries append whole logs."""
    return (str(error).strip() or type(error).__name__).split("\n", 1)[0][:300]
