"""A checkout of SailCompass: whether its files are the tested ones, what its configurations say, and the rows its code loads.

A configuration or a loader is run only if its SHA-256 is known or the user trusts the checkout. It runs in its own process
(`run_source`), which gets only the environment variables `_KEPT`, may take `SECONDS`, and answers in JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.official.sailcompass_configuration import Configuration, read_configuration
from lm_eval_sea.official.task_folder import CheckoutError, commit_of, fault_of_file
from lm_eval_sea.tasks._shared.facts import read_yaml
from lm_eval_sea.tasks._shared.hub_files import DataError, download_all
from lm_eval_sea.tasks._shared.sources import LOCAL_FOLDER

SOURCE = "sail/Sailcompass_data"
KNOWN_FILES = Path(__file__).with_name("sailcompass_files.yaml")
SECONDS = 120  # for one file

_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")  # without which some installations of Python do not start
_CONFIGURATIONS = "configs/datasets"
_SCRIPT = Path(__file__).with_name("run_source.py")


class SourceFile(NamedTuple):
    """A Python file of a checkout: it is read once, so that what is run is what was checked."""

    path: str  # below the checkout
    content: bytes

    @property
    def sha256(self) -> str:
        """Digest of the content."""
        return hashlib.sha256(self.content).hexdigest()


class OfficialTask(NamedTuple):
    """One configuration of a checkout, with all that its task is made from."""

    name: str
    file: SourceFile
    configuration: Configuration
    loader: SourceFile  # has the class that loads the rows
    changed: bool  # whether a file that the task depends on differs from the tested commit


class Checkout(NamedTuple):
    """The tasks of a checkout, and what cannot be made."""

    commit: str  # that is checked out, or `NO_COMMIT`
    tested: str  # the commit whose files are known
    tasks: list[OfficialTask]
    changed: list[str]  # files that are run although they differ
    faults: list[str]  # one line each


def known_files() -> dict[str, Any]:
    """The known commit, configurations and code files of SailCompass."""
    return read_yaml(KNOWN_FILES)


def read_checkout(folder: Path, known: Mapping[str, Any], *, trusted: bool = False) -> Checkout:
    """Runs the configurations of a checkout; files that differ from the known ones only if it is `trusted`."""
    records = known["configurations"] | known["code"]
    try:
        files = {path: SourceFile(path, (folder / path).read_bytes()) for path in records if (folder / path).is_file()}
    except OSError as error:
        raise CheckoutError(f"{error.filename}: cannot be read ({error.strerror})") from error
    if not files.keys() & known["configurations"].keys():
        raise CheckoutError(
            f"{folder} is not a checkout of {known['repository']}, which has {_CONFIGURATIONS}/*/*.py, nor of "
            f"aisingapore/SEA-HELM, which has seahelm_tasks/; get one: git clone https://github.com/{known['repository']}"
        )
    commit, tested = commit_of(folder), known["commit"]
    changed = sorted(path for path, file in files.items() if file.sha256 != records[path]["sha256"])
    refused = {path for path in records if path not in files} | (set() if trusted else set(changed))
    tasks = []
    faults = [
        fault_of_file(path, "differs from the tested file", folder, commit, tested) + "; or run it as it is: --trust-checkout"
        if path in files
        else fault_of_file(path, "missing", folder, commit, tested)
        for path in records
        if path in refused
    ]
    for path, record in known["configurations"].items():
        if path in refused:
            continue
        try:
            configuration = read_configuration(path, run(files[path]))
            needed = _code_of(configuration, path, known["code"])
        except CheckoutError as error:
            faults.append(str(error))
            continue
        if not refused & set(needed):
            differs = bool({path, *needed} & set(changed))
            tasks.append(OfficialTask(record["task"], files[path], configuration, files[needed[0]], differs))
    found = {path.relative_to(folder).as_posix() for path in (folder / _CONFIGURATIONS).glob("*/*.py")}
    faults += [f"{path}: unknown, so no task is made of it" for path in sorted(found - records.keys())]
    return Checkout(commit, tested, tasks, [] if not trusted else changed, faults)


def _code_of(configuration: Configuration, path: str, code: Mapping[str, Any]) -> list[str]:
    """The files that the rows and scores of a configuration depend on, that of the loader first."""
    of_class = {name: file for file, record in code.items() for name in record["classes"]}
    shared = [file for file, record in code.items() if not record["classes"]]
    try:
        return [of_class[configuration.loader], of_class[configuration.evaluator], *shared]
    except KeyError as error:
        raise CheckoutError(f"{path}: the class {error} is not known") from error


def rows_folder(data_file: str) -> tuple[Path, str]:
    """The folder of the rows, `SOURCE` in the current one or else in the hub's cache, and its commit or `LOCAL_FOLDER`."""
    folder, revision = Path(SOURCE), LOCAL_FOLDER
    if not folder.is_dir():
        folder = download_all(SOURCE, [data_file])
        revision = folder.name
    if not (folder / data_file).is_file():
        raise DataError(f"the folder {SOURCE} has no {data_file}: complete it, or start in a folder without it to use the hub")
    return folder, revision


def load_rows(task: OfficialTask) -> tuple[list[dict[str, Any]], str]:
    """The rows of a task as its official loader makes them, and the revision of the data.

    Raises `DataError` if the file of rows is not available, `CheckoutError` if the loader fails.
    """
    loader, data_file = task.configuration.loader, task.configuration.data_file
    folder, revision = rows_folder(data_file)
    try:
        rows = run(task.loader, loader=loader, rows=f"./{data_file}", folder=folder)
    except CheckoutError as error:
        raise CheckoutError(f"{error} (rows of {SOURCE}/{data_file})") from error
    if not rows or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CheckoutError(f"{task.loader.path}: {loader} finds no rows in {SOURCE}/{data_file}")
    for row in rows:
        row.pop("trans_question", None)  # of XCOPA, which no prompt shows; digests of the rows have never had it
    return rows, revision


def run(file: SourceFile, *, loader: str = "", rows: str = "", folder: Path | None = None) -> Any:
    """Runs a file of a checkout in its own process; see `run_source`. `folder` is the current directory of the process."""
    try:
        job = {"path": file.path, "source": file.content.decode(), "loader": loader, "rows": rows}
        command = [sys.executable, "-I", "-S", "-X", "utf8", str(_SCRIPT)]
        ended = subprocess.run(
            command, input=json.dumps(job).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
            env={name: os.environ[name] for name in _KEPT if name in os.environ}, timeout=SECONDS,
        )  # fmt: skip
        answer = json.loads(ended.stdout)
    except UnicodeDecodeError as error:
        raise CheckoutError(f"{file.path}: not UTF-8") from error
    except subprocess.TimeoutExpired as error:
        raise CheckoutError(f"{file.path}: did not end within {SECONDS} seconds") from error
    except ValueError as error:
        raise CheckoutError(f"{file.path}: ended without an answer (exit status {ended.returncode})") from error
    if "error" in answer:
        raise CheckoutError(answer["error"])
    return answer["made"]
