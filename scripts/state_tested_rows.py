#!/usr/bin/env python3
"""Writes `tasks/<data set>/tested.yml`: the digests of the rows that the pack was tested with, by language.

They are of processed rows, so that the same rows in a file of another format have the same digest. A run compares the rows that
it loads with them and says in one line if they are others (`tasks/_shared/rows.py`). Rows come from a folder laid out like the
hub; a file that has another number of rows than the catalogue, such as a part, is passed over, and what is known of it stays.

Examples:
    python scripts/state_tested_rows.py --data FOLDER
    python scripts/state_tested_rows.py --data FOLDER --check    ends with 1 if the files would change
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.names import plain_tasks
from lm_eval_sea.catalogue.task_list import TaskRecord, read_tasks
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.rows import digests_of, in_published_order

FILE = "tested.yml"
HEAD = (
    "# The rows that the pack was tested with: SHA-256 of all, and of parts of them. Written by scripts/state_tested_rows.py.\n"
)


SEA_HELM = "sea_helm"


def digests_of_task(task: TaskRecord) -> dict[str, str]:
    """The digests of a task's rows; nothing if they are not at hand, or only in part."""
    with contextlib.suppress(DataError):
        loaded = task.load_rows()
        if len(loaded.rows) == task.metadata["rows"]:
            return {"rows": loaded.sha256, **digests_of(in_published_order(loaded))}
    return {}


def tested(name: str) -> dict[str, Any]:
    """Language → digests of a data set's rows, or, of SEA-HELM, task → digests; where there are none, what the file says."""
    path = TASKS_FOLDER / name / FILE
    known = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    listed = read_tasks().tasks
    if name != SEA_HELM:
        data_set = data_sets()[name]
        found = {language: digests_of_task(listed[plain_tasks(data_set, language)[0]]) for language in data_set.languages}
        return {language: kept for language, digests in found.items() if (kept := digests or known.get(language))}
    by_language: dict[str, dict[str, Any]] = {}
    for task in listed.values():
        if task.metadata["dataset"] == SEA_HELM and "setting" not in task.metadata:
            language, of = task.metadata["language"], task.metadata["task"]
            tasks = by_language.setdefault(language, {})
            if of not in tasks and (digests := digests_of_task(task) or known.get(language, {}).get(of)):
                tasks[of] = digests
    return {language: tasks for language, tasks in by_language.items() if tasks}


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="folder laid out like the hub")
    parser.add_argument("--data_sets", nargs="+", default=[*data_sets(), SEA_HELM], metavar="NAME", help="default: all")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    arguments = parser.parse_args()
    os.chdir(arguments.data)
    changed = []
    for name in arguments.data_sets:
        path, digests = TASKS_FOLDER / name / FILE, tested(name)
        text = HEAD + yaml.safe_dump(digests, sort_keys=False, default_flow_style=None, width=200)
        if digests and (not path.is_file() or path.read_text(encoding="utf-8") != text):
            changed.append(name)
            if not arguments.check:
                path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{name}: {' '.join(digests) or 'no whole file'}", flush=True)
    return int(arguments.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
