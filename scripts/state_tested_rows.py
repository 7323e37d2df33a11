#!/usr/bin/env python3
"""Writes `tasks/<data set>/tested.yml`: the digests of the rows that the pack was tested with, by language, of
SEA-HELM by language and task.

They are of processed rows, so that the same rows in a file of another format have the same digest. A run compares its rows with
them and says in one line if they differ (`tasks/_shared/digests.py`). Rows come from a folder laid out like the hub. A file with
another number of rows than the catalogue states is skipped, and its earlier digests stay.

Examples:
    python scripts/state_tested_rows.py --data FOLDER
    python scripts/state_tested_rows.py --data FOLDER --check    exit status 1 if the files would change
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path

import yaml
from made_tasks import made_task
from written import write_changed

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.task_list import TaskRecord, read_tasks
from lm_eval_sea.tasks._shared.digests import digests_of
from lm_eval_sea.tasks._shared.facts import SEA_HELM, TASKS_FOLDER, key_of_rows
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.rows import in_published_order

FILE = "tested.yml"
# There was no copy of IndoSum's file, only the same number of other rows of the data set.
STOOD_IN_FOR = "indosum"
HEAD = (
    "# The rows that the pack was tested with: SHA-256 of all, and of parts of them. Written by scripts/state_tested_rows.py.\n"
)


def digests_of_task(task: TaskRecord) -> dict[str, str]:
    """The digests of a task's rows; nothing if they are not at hand, or only in part."""
    with contextlib.suppress(DataError):
        loaded = task.load_rows()
        if len(loaded.rows) == task.metadata["rows"]:
            return {"rows": loaded.sha256, **digests_of(in_published_order(loaded))}
    return {}


def tasks_of_rows(name: str) -> dict[str, TaskRecord]:
    """Rows of a data set, as `key_of_rows` names them → a task that has them all."""
    if name == SEA_HELM:
        listed = read_tasks().tasks.values()
        tasks = [task for task in listed if task.metadata["dataset"] == name and "setting" not in task.metadata]
    else:
        data_set = data_sets()[name]
        tasks = [made_task(data_set.names(language)[0]) for language in data_set.languages]
    return {key_of_rows(task.metadata): task for task in tasks}


def tested(name: str) -> dict[str, dict[str, str]]:
    """Rows → their digests; of those that are not at hand, or only in part, what the file says."""
    path = TASKS_FOLDER / name / FILE
    known = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    found = {key: digests_of_task(task) or known.get(key) for key, task in tasks_of_rows(name).items()}
    return {key: digests for key, digests in found.items() if digests}


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="folder laid out like the hub")
    names, default = [*data_sets(), SEA_HELM], f"default: all but {STOOD_IN_FOR}, whose file was not at hand"
    parser.add_argument("--data_sets", nargs="+", metavar="NAME", choices=names, help=default)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    arguments = parser.parse_args()
    os.chdir(arguments.data)
    changed: list[Path] = []
    for name in arguments.data_sets or [name for name in names if name != STOOD_IN_FOR]:
        path, digests = TASKS_FOLDER / name / FILE, tested(name)
        text = HEAD + yaml.safe_dump(digests, sort_keys=False, default_flow_style=None, width=200)
        changed += write_changed({path: text} if digests else {}, check=arguments.check)
        print(f"{name}: {' '.join(digests) or 'no whole file'}", flush=True)
    return int(arguments.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
