"""Keeps the model's answers on disk during a run, so that an interrupted run continues where it stopped.

The file is lm-eval's (`--use_cache`): request → answer, written batch by batch. Here its name has all that decides an answer
besides the request, because lm-eval would give one model's answers to another. A request is its whole text with its
generation settings, so other rows, prompts and exemplars never get an old answer. For sampled answers see `answering`.
"""

from __future__ import annotations

import glob
import hashlib
import importlib.metadata
import os
import pickle
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from lm_eval_sea.results.secrets import masked
from lm_eval_sea.results.types import digest_of
from lm_eval_sea.results.written_folder import appending, lock
from lm_eval_sea.run.model_files import LOADED, WEIGHTS, revision_of
from lm_eval_sea.run.output_folder import folder_of
from lm_eval_sea.run.request import RunError, in_one_line

FOLDER = "unfinished"
_BLOCK = 2**20  # bytes
DIGITS = 16  # of digests in names of files
_PACKAGES = ("lm_eval", "torch", "transformers", "vllm", "peft")
# Arguments of backends that, like --batch_size, change how requests are sent or how much memory is used, but not the answers.
_CHANGE_NO_ANSWER = {
    *("num_concurrent", "max_retries", "timeout", "verify_certificate", "ca_cert_path"),  # of servers
    *("batch_size", "max_batch_size", "max_memory_per_gpu", "max_cpu_memory", "offload_folder"),  # of transformers
    *("gpu_memory_utilization", "swap_space", "max_num_seqs", "max_num_batched_tokens", "disable_log_stats"),  # of vLLM
}
# An API's `model` may be a local folder that the server reads. A name is the server's own, not that of a repository of the hub.
_NAMED = (*LOADED, "model")


def key_of(model: str, model_args: Mapping[str, Any], tasks: Iterable[str]) -> str:
    """A digest of what decides the answers: backend, its arguments, what they load, versions of packages; and the tasks.

    A local folder counts with the names, sizes and times of its files, a repository of the hub with its commit.
    """
    loaded = {
        name: _identity(str(model_args[name]), LOADED.get(name), revision_of(name, model_args))
        for name in _NAMED
        if model_args.get(name)
    }
    return digest_of([model, masked(deciding(model_args)), loaded, versions(), sorted(tasks)], DIGITS)  # a new token: same model


def deciding(model_args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a model without those of `_CHANGE_NO_ANSWER`."""
    return {name: value for name, value in model_args.items() if name not in _CHANGE_NO_ANSWER}


def files_of_model(model_args: Mapping[str, Any]) -> str:
    """A digest of names, sizes and times of the files in the folders that a model's arguments name; copies may share it."""
    folders = folders_of(model_args).items()
    return digest_of({name: [state[:3] for state in _states(folder)] for name, folder in folders}, DIGITS)


def folders_of(model_args: Mapping[str, Any]) -> dict[str, Path]:
    """The folders that a model's arguments name, by argument."""
    named = {name: Path(str(model_args[name])) for name in _NAMED if model_args.get(name)}
    return {name: folder for name, folder in named.items() if folder.is_dir()}


def digest_of_weights(model_args: Mapping[str, Any]) -> str | None:
    """A digest of the weights in the folders that a model's arguments name; None if there are none.

    It covers sizes, first and last blocks: copies have the same digest whatever their times, and further training changes it.
    Of a GGUF model only its own file counts, because a folder may have several.
    """
    found = hashlib.sha256()
    of_model = (str(model_args["gguf_file"]),) if model_args.get("gguf_file") else WEIGHTS
    folders = folders_of(model_args).items()
    paths = [
        path
        for name, folder in folders
        for pattern in (of_model if name == "pretrained" else WEIGHTS)
        for path in sorted(folder.glob(pattern))
    ]
    for path in paths:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            found.update(f"{path.name} {size} ".encode())
            for place in (0, max(0, size - _BLOCK)):
                file.seek(place)
                found.update(file.read(_BLOCK))
    return found.hexdigest()[:DIGITS] if paths else None


def _states(folder: Path) -> list[tuple[str, int, int, int]]:
    """Name, size, modification time (mtime) and change time (ctime) of each file; archives and copies set the mtime."""
    files = {str(path.relative_to(folder)): path.stat() for path in sorted(folder.rglob("*")) if path.is_file()}
    return [(name, state.st_size, state.st_mtime_ns, state.st_ctime_ns) for name, state in files.items()]


def _identity(name: str, file: str | None, revision: str) -> Any:
    folder = Path(name)
    if folder.is_dir():
        return _states(folder)
    if file is None:
        return name
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(name, file, revision=revision)).parent.name
    except Exception:  # it fails again when it is loaded
        return name


def versions() -> dict[str, str | None]:
    """The versions of the packages that decide answers; None for one that is not installed."""
    found: dict[str, str | None] = dict.fromkeys(_PACKAGES)
    for name in _PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def check_trusted(folder: Path, flag: str) -> None:
    """Makes a folder for this user alone, or refuses one that others can write to: lm-eval reads pickles, which run as code."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except OSError as error:
        raise RunError(f"{flag}: the folder {folder} cannot be used ({error.strerror})") from error
    if not hasattr(os, "getuid"):  # Windows, where modes do not show rights
        return
    if state.st_uid not in (0, os.getuid()):
        raise RunError(f"{flag}: the folder {folder} is another user's, and files in it run as code; name a folder of your own")
    if state.st_mode & 0o022:
        raise RunError(f"{flag}: others may write to {folder}, and files in it run as code: chmod go-w {folder}, and empty it")


def has_rights(output_path: str) -> bool:
    """Whether a new folder is this user's alone; on Windows disks in WSL, for example, everybody may write to everything."""
    with tempfile.TemporaryDirectory(dir=folder_of(output_path)) as made, suppress(RunError):
        check_trusted(Path(made), "")
        return True
    return False


def prepare(output_path: str, key: str) -> str:
    """Makes the folder of the cache below that of the results; returns lm-eval's `use_cache`, to which ranks add a suffix."""
    folder = folder_of(output_path) / FOLDER
    check_trusted(folder, "--resume")
    return str(folder / f"answers_{key}")


@contextmanager
def alone_with(use_cache: str) -> Iterator[None]:
    """Locks the cache against other runs."""
    if int(os.environ.get("RANK") or os.environ.get("LOCAL_RANK") or 0):  # the first process of this run has the lock
        yield
        return
    path = Path(f"{use_cache}.lock")
    try:
        with appending(path) as file:
            lock(file, RunError(f"the same run is in progress, with its answers in {path.parent}; wait until it ends"))
            try:
                yield
            finally:
                with suppress(PermissionError):  # Windows cannot remove an open file
                    path.unlink(missing_ok=True)
    finally:
        _remove_if_empty(path.parent)


def files_of(use_cache: str) -> list[Path]:
    """The databases of a cache, one per rank."""
    path = Path(use_cache)
    return sorted(path.parent.glob(f"{glob.escape(path.name)}_rank*.db"))


def check_databases(use_cache: str) -> int:
    """Counts the answers; refuses a file that is damaged or not a database."""
    return sum(map(_answers_in, files_of(use_cache)))


def _answers_in(path: Path) -> int:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            [(verdict,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return connection.execute('SELECT count(*) FROM "unnamed"').fetchone()[0] if "unnamed" in tables else 0
    except sqlite3.Error as error:
        raise RunError(f"the answers in {path} cannot be read ({in_one_line(error)}): delete the file to start again") from error


def forget_failures(use_cache: str) -> int:
    """Deletes failed answers (`GeneratedText.failure`), so that they are asked for again; returns their number.

    lm-eval keeps what a backend returns as pickles; a run reads them only after `check_trusted`.
    """
    failed = 0
    for path in files_of(use_cache):
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection, connection:
            # a pickle names its class, and most answers have another one
            texts = connection.execute('SELECT key, value FROM "unnamed" WHERE instr(value, ?)', (b"GeneratedText",))
            without = [(key,) for key, value in texts if getattr(pickle.loads(value), "failure", None)]
            connection.executemany('DELETE FROM "unnamed" WHERE key = ?', without)
            failed += len(without)
    return failed


def first_answer_beside(use_cache: str) -> Path:
    """The file of what a chat server's first answer showed, before the rows were sent."""
    return Path(f"{use_cache}_first.json")


def remove(use_cache: str, used: Iterable[str]) -> None:
    """Deletes the answers of a run that is complete, by their keys; with the last one all files, and the folder if it is empty.

    An interrupted run with other rows, prompts or settings may have its answers in the same file. Only the first process's keys
    are known, so files of further ones go as a whole.
    """
    own = Path(f"{use_cache}_rank0.db")
    with suppress(sqlite3.Error, RunError):
        if own.exists():
            with closing(sqlite3.connect(own)) as connection, connection:
                connection.executemany('DELETE FROM "unnamed" WHERE key = ?', ((key,) for key in used))
            if _answers_in(own):
                return
    for path in (*files_of(use_cache), first_answer_beside(use_cache)):
        with suppress(OSError):
            path.unlink(missing_ok=True)
    _remove_if_empty(Path(use_cache).parent)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):  # there is something in it, or it is gone
        folder.rmdir()
