#!/usr/bin/env python3
"""Chooses the rows of the `_lite` tasks and writes their ids into lm_eval_sea/tasks/<data set>/lite.yml.

A lite task has the first ROWS rows of its task in the order of evaluation (`tasks/_shared/row_order.py`), which deals labels in
proportion, takes each passage once before any comes again, and is drawn by the fixed seed named there.

Rows come from a folder laid out like the hub. If a file has another number of rows than the catalogue states, its task gets no
lite task, and lite.yml says why. Two kinds of task need no rows: summaries, whose rows have neither labels nor passages, so that
the order depends on the row numbers alone; and Belebele, whose rows are the same in all languages.

Examples:
    python scripts/choose_lite_rows.py --data FOLDER            then: lm-eval-sea make
    python scripts/choose_lite_rows.py --data FOLDER --check    exit status 1 if the files would change
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml
from made_tasks import made_task
from written import write_changed

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.kinds import recommended_variant
from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.catalogue.suites import is_collected
from lm_eval_sea.catalogue.task_list import TaskList, TaskRecord, read_tasks
from lm_eval_sea.tasks._shared.facts import SEA_HELM, TASKS_FOLDER
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.row_order import fair_order
from lm_eval_sea.tasks._shared.rows import LoadedRows, part_of

ROWS = 100
LONGEST_ID = 200  # characters; Belebele's are web addresses with a number
# Summaries: {"document", "summary"} rows, numbered in the order of their file.
BY_NUMBER = ("thaisum", "indosum", "xlsum")
PARALLEL = "sea_belebele_en_to_ppl"
HEAD = """\
# The rows of the lite tasks, by id: written by scripts/choose_lite_rows.py, which says how they are chosen. `of`: rows of the
# whole task. `sha256`: of the processed rows and exemplars; null where the rows were not at hand, so that the ids come from row
# numbers or from another language. `missing`: tasks without a lite task, and why.
"""


def choose(task: TaskRecord, parallel: LoadedRows) -> tuple[list[str], str | None] | str:
    """The ids of the rows of a task's lite task and their digest, or why there is none."""
    expected = task.metadata["rows"]
    if task.metadata["dataset"] in BY_NUMBER:
        rows = [{"id": str(number), "cluster": str(number)} for number in range(expected)]
        return [str(position) for position in fair_order(rows)[:ROWS]], None
    try:
        loaded = task.load_rows()
    except DataError as error:
        if task.metadata["dataset"] == "belebele":
            return [row["id"] for row in parallel.rows[:ROWS]], None
        return "a published row cannot be scored" if ", row " in str(error) else "the rows were not at hand"
    if len(loaded.rows) != expected:
        return f"the rows at hand are {len(loaded.rows)}, the published ones {expected}"
    ids = [row["id"] for row in loaded.rows[:ROWS]]
    return ids, part_of(loaded, {"ids": " ".join(ids)}, task.name).sha256


def wanted_tasks(listed: TaskList) -> list[TaskRecord]:
    """The tasks that lite ones are made of: those of the data sets that qualify for suites, and of SEA-HELM."""
    collected = [(of, language) for of in data_sets().values() for language in of.languages if is_collected(of, language)]
    # the main variant, and SailCompass' where that is another
    in_variants = [(*each, variant) for each in collected for variant in (recommended_variant(each[0].kind), None)]
    names = [
        *(name for data_set, language, variant in in_variants for name in data_set.names(language, variant)),
        *(name for language in sea_helm().languages for name in listed.groups[f"sea_helm_{language}"]),
    ]
    return [made_task(name) for name in dict.fromkeys(names)]


def files(listed: TaskList, wanted: Collection[str]) -> dict[Path, str]:
    """Path → content, for these data sets, or all."""
    parallel = listed.tasks[PARALLEL].load_rows()
    contents: dict[str, dict[str, dict[str, Any]]] = {}
    for task in wanted_tasks(listed):
        name = task.metadata["dataset"]
        if wanted and name not in wanted:
            continue
        content = contents.setdefault(name, {"tasks": {}, "missing": {}})
        chosen = choose(task, parallel)
        if isinstance(chosen, str):
            content["missing"][task.name] = chosen
            continue
        ids, digest = chosen
        wrong = next((each for each in ids if len(each) > LONGEST_ID or each.split() != [each]), None)
        if wrong is not None:
            raise SystemExit(f"{task.name}: the id {wrong[:80]!r} is not a short text without blanks")
        content["tasks"][task.name] = {"of": task.metadata["rows"], "sha256": digest, "ids": " ".join(ids)}
    return {
        TASKS_FOLDER / name / "lite.yml": HEAD + yaml.safe_dump(content, sort_keys=False, width=140, allow_unicode=True)
        for name, content in contents.items()
    }


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="FOLDER", type=Path, required=True, help="folder laid out like the hub")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if the files would change")
    names = [*data_sets(), SEA_HELM]
    parser.add_argument("--data_sets", metavar="NAME", nargs="+", choices=names, default=[], help="write the files of these only")
    arguments = parser.parse_args()
    os.chdir(arguments.data)
    os.environ["HF_HUB_OFFLINE"] = "1"
    made = files(read_tasks(), arguments.data_sets)
    changed = write_changed(made, check=arguments.check)
    state = "differs" if arguments.check else "written"
    print("\n".join(f"{path.parent.name}: {state}" for path in changed) or "nothing changed")
    return 1 if changed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
