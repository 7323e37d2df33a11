"""Files of hub repositories, from the hub or its cache, all of one commit. Error messages say how to mend what fails."""

from __future__ import annotations

import errno
import os
import textwrap
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import huggingface_hub
from huggingface_hub import constants, errors


if TYPE_CHECKING:
    from collections.abc import Iterable


# Seconds for which an unreachable hub is not asked again. Each attempt may take minutes, and a command asks for dozens of files.
_PAUSE = 300
_unreached: list[tuple[float, str]] = []  # the time of a failed attempt, on the monotonic clock, and what was at fault
UNREACHED = "the hub cannot be reached"
_LOGIN_REFUSED = "the hub refuses the login; has a token expired? Log in with `hf auth login`, or correct HF_TOKEN"
_FORBIDDEN = "the hub, or a proxy before it, forbids it (403); check what the token in HF_TOKEN may read, and HTTPS_PROXY"
_NO_HUB = "the answer is not from a hub; a network or a proxy may ask for a login; check HF_ENDPOINT and HTTPS_PROXY"
_TOO_MANY = "the hub takes no more requests for a while (429); try again in some minutes, or log in with `hf auth login`"


class DataError(ValueError):
    """Data that cannot be loaded or scored. The message is one line that says why and how to mend it."""

    def __init__(self, message: str, place: str = "", *, to_fetch: bool = False) -> None:
        """Takes one line and what it is about.

        `place` is the existing file whose content is at fault, perhaps with the row; empty if something is missing. `to_fetch`
        says whether `lm-eval-sea data fetch` would get that.
        """
        super().__init__(message)
        self.place, self.to_fetch = place, to_fetch


def download(source: str, path: str, **options: Any) -> Path:
    """A file of a hub repository, such as "sail/Sailcompass_data": from the hub, or from its cache if that cannot be reached.

    The options are those of `huggingface_hub.hf_hub_download`, such as `revision`. Raises `DataError` if it cannot be loaded.
    """
    if ".." in PurePosixPath(path).parts or path.startswith("/") or "\\" in path:
        raise DataError(f"cannot get {path!r} of {source}: a name that leads out of its folder")
    reason = ""
    if _unreached and time.monotonic() < _unreached[-1][0] + _PAUSE:
        options["local_files_only"], reason = True, _unreached[-1][1]
    try:
        return Path(huggingface_hub.hf_hub_download(source, path, repo_type="dataset", **options))
    except errors.RemoteEntryNotFoundError as error:
        raise DataError(f"cannot get {path} of {source}: the repository on the hub has no such file.") from error
    # All other faults are those of tokens, networks and disks, in classes of several libraries.
    except Exception as error:
        said = fault_of_hub(error, f"datasets/{source}")
        if isinstance(error, errors.LocalEntryNotFoundError) and said != _FORBIDDEN and not reason:  # that is one repository's
            _unreached.append((time.monotonic(), said))
        raise not_given(f"{path} of {source}", f"{source}/{path}", reason or said, error) from error


def download_all(source: str, paths: Iterable[str]) -> Path:
    """Gets files of a hub repository, all of one commit, the newest of the main branch.

    Returns the folder of the hub's cache that holds them; its name is the commit. Raises `DataError` if one cannot be loaded.
    """
    commit = None
    for path in paths:
        folder = download(source, path, revision=commit).parents[path.count("/")]
        commit = folder.name
    return folder


def not_given(what: str, place: str, fault: str, error: BaseException) -> DataError:
    """The error for data that cannot be loaded: for a `fault` of the hub, else for what `error` says. `place` is a local path."""
    if fault != UNREACHED:
        return DataError(f"cannot get {what}: {fault or one_line(error)}")
    unset = "unset HF_HUB_OFFLINE and " if constants.HF_HUB_OFFLINE and "HF_HUB_OFFLINE" in os.environ else ""
    return DataError(
        f"cannot get {what}: {UNREACHED} and its cache lacks it. With a network, {unset}run `lm-eval-sea data fetch`; "
        f"without one, start in a folder that holds {place}.",
        to_fetch=True,
    )


def fault_of_hub(error: BaseException, page: str) -> str:
    """Why the hub refuses something of a repository with this `page`, and how to mend that; empty for other faults.

    The cause is an error of `huggingface_hub`, which `datasets` and `transformers` wrap in their own.
    """
    chain = [error]
    while (behind := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(behind)
    if why := next(filter(None, map(_fault_of_cache, chain)), ""):
        return f"the hub's cache {constants.HF_HOME} cannot be used ({why}); set HF_HOME to a folder of your own"
    kinds = {kind.__name__ for each in chain for kind in type(each).__mro__}
    answers: list[Any] = [answer for each in chain if (answer := getattr(each, "response", None)) is not None]
    status = answers[0].status_code if answers else 0
    # in these, `datasets` hides what the hub said
    hidden = next((str(each).lower() for each in chain if type(each).__name__ == "DatasetNotFoundError"), "")
    if "GatedRepoError" in kinds or "gated" in hidden:
        return f"ask for access on {constants.ENDPOINT}/{page}, then log in with `hf auth login`, or set HF_TOKEN"
    if status == 401 and not answers[0].headers.get("X-Error-Code"):  # not the repository's fault: public ones are refused, too
        return _LOGIN_REFUSED
    if "RepositoryNotFoundError" in kinds or hidden:
        return "the hub has no such repository, or it is private; log in with `hf auth login`, or set HF_TOKEN"
    if status in (403, 429):
        return _FORBIDDEN if status == 403 else _TOO_MANY
    if status >= 500:
        return f"the hub, or a proxy before it, is out of order ({status}); try again later"
    if "FileMetadataError" in kinds:
        return _NO_HUB
    return UNREACHED if {"LocalEntryNotFoundError", "ConnectionError", "ConnectError", "TimeoutException"} & kinds else ""


def _fault_of_cache(error: BaseException) -> str:
    """Why nothing can be kept below the user's home, as in a container whose user has none; empty for other errors."""
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        cache, place = Path(constants.HF_HOME), Path(str(error.filename))
        return error.strerror or "" if place in cache.parents or place.is_relative_to(cache) else ""
    return "there is no home" if isinstance(error, RuntimeError) and "home directory" in str(error) else ""


def one_line(error: BaseException) -> str:
    """The message of an error on one line of at most 300 characters."""
    return textwrap.shorten(str(error), 300) or type(error).__name__


def first_line(error: BaseException) -> str:
    """The first line of an error's message, at most 300 characters. Some libraries append whole logs."""
    return (str(error).strip() or type(error).__name__).split("\n", 1)[0][:300]
