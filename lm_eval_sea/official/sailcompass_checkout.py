"""A checkout of SailCompass: which files it has, whether they are as known, and what its configurations say."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from lm_eval_sea.official.config_reader import ConfigError
from lm_eval_sea.official.sailcompass_configs import Configuration, read_configuration
from lm_eval_sea.official.sailcompass_texts import texts_for
from lm_eval_sea.official.task_folder import CheckoutError

KNOWN_FILES = Path(__file__).with_name("sailcompass_files.yaml")
NO_COMMIT = "none: no git checkout"

_CONFIGURATIONS = "configs/datasets"


class OfficialTask(NamedTuple):
    """One configuration of a checkout, with all that its task is made from."""

    name: str
    configuration: Configuration
    texts: Mapping[str, str]  # that the loader adds to the rows
    changed: bool  # whether the file is another than at the known commit


class Checkout(NamedTuple):
    """What can be made of a checkout, and what cannot."""

    commit: str  # that is checked out, or `NO_COMMIT`
    known_commit: str  # whose files are known
    tasks: list[OfficialTask]
    faults: list[str]  # one line each; a changed configuration is a fault and a task


def known_files() -> dict[str, Any]:
    """Commit, configurations and code files of SailCompass as they are known."""
    return yaml.safe_load(KNOWN_FILES.read_text(encoding="utf-8"))


def read_checkout(folder: Path, known: Mapping[str, Any]) -> Checkout:
    """Reads all configurations of a checkout. Nothing of it is executed.

    A configuration that differs from the known commit is read all the same; code that differs is not, so its sets have no task.

    Args:
        folder: of the checkout.
        known: see `known_files`.

    Raises:
        CheckoutError: if it is no checkout of SailCompass.
    """
    if not any((folder / path).is_file() for path in known["configurations"]):
        raise CheckoutError(
            f"{folder} is no checkout of {known['repository']}: it has none of its files {_CONFIGURATIONS}/*/*.py. "
            f"Get one: git clone https://github.com/{known['repository']}"
        )
    advice = f"restore it: git -C {folder} checkout {known['commit'][:7]} -- "
    tasks: list[OfficialTask] = []
    faults = []
    changed_code = {path: known["code"][path]["classes"] for path in known["code"] if _difference(folder, path, known["code"])}
    for path in changed_code:
        faults.append(f"{path}: {_difference(folder, path, known['code'])}, so its rows and scores are not known; {advice}{path}")
    for path, record in known["configurations"].items():
        difference = _difference(folder, path, known["configurations"])
        if difference:
            faults.append(f"{path}: {difference}; {advice}{path}")
        if (folder / path).is_file():
            try:
                configuration = read_configuration(folder, path)
                needed = {configuration.loader, configuration.evaluator}
                if not any(needed & set(classes or needed) for classes in changed_code.values()):
                    texts = texts_for(folder, configuration.loader, configuration.data_file)
                    tasks.append(OfficialTask(record["task"], configuration, texts, bool(difference)))
            except ConfigError as error:
                faults.append(str(error))
    found = {path.relative_to(folder).as_posix() for path in (folder / _CONFIGURATIONS).glob("*/*.py")}
    faults += [f"{path}: not known, so no task is made of it" for path in sorted(found - set(known["configurations"]))]
    return Checkout(_commit(folder), known["commit"], tasks, faults)


def _difference(folder: Path, path: str, records: Mapping[str, Any]) -> str:
    """What is wrong with a file; empty if nothing."""
    if not (folder / path).is_file():
        return "missing"
    sha256 = hashlib.sha256((folder / path).read_bytes()).hexdigest()
    return "" if sha256 == records[path]["sha256"] else "differs from the known commit"


def _commit(folder: Path) -> str:
    if not (folder / ".git").exists():  # git would answer for a repository around it
        return NO_COMMIT
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return NO_COMMIT
    return answer.stdout.strip() if answer.returncode == 0 else NO_COMMIT
