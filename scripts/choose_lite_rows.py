#!/usr/bin/env python3
"""Chooses the rows of the `_lite` tasks and writes their ids into lm_eval_sea/catalogue/lite/.

A lite task has the first ROWS rows of its task in the order of evaluation (`tasks/_shared/row_order.py`), which deals labels in
proportion, takes each passage once before any comes again, and is drawn by the fixed seed named there.

Rows come from a folder laid out like the hub. A file whose number of rows is not the catalogue's is another file: its task gets
no lite task, and the reason is written down. Two kinds of task need no rows: summaries, whose rows have neither labels nor
passages, so that the order depends on the row numbers alone; and Belebele, whose rows are the same in all languages.

Examples:
    python scripts/choose_lite_rows.py --data FOLDER            then: lm-eval-sea tasks make
    python scripts/choose_lite_rows.py --data FOLDER --check    ends with 1 if the files would change
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import yaml

from lm_eval_sea.catalogue import LITE_FOLDER, read_data_sets, read_sea_helm
from lm_eval_sea.catalogue.task_index import read_task_file
from lm_eval_sea.catalogue.task_list import TaskList, TaskRecord, read_tasks
from lm_eval_sea.generate.lite_files import reading_task
from lm_eval_sea.generate.suite_files import is_collected, plain_tasks
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.row_order import fair_order
from lm_eval_sea.tasks._shared.rows import LoadedRows, part_of, processed_rows, row_processor

ROWS = 100
LONGEST_ID = 200  # Belebele's are addresses with a number
# Summaries: {"document", "summary"} rows, numbered in the order of their file.
BY_NUMBER = ("thaisum", "indosum", "xlsum")
PARALLEL = "sea_belebele_en_to_ppl"


class Choices:
    """Ids by task, with equal lists written once."""

    def __init__(self) -> None:
        self._by_ids: dict[str, dict[str, Any]] = {}
        self.missing: dict[str, str] = {}

    def add(self, task: str, ids: Iterable[str], of: int, digest: str | None) -> None:
        """Notes the rows of a task."""
        ids = list(ids)
        wrong = next((each for each in ids if len(each) > LONGEST_ID or each.split() != [each]), None)
        if wrong is not None:
            raise SystemExit(f"{task}: the id {wrong[:80]!r} is no short text without blanks")
        entry = self._by_ids.setdefault(f"{of} {' '.join(ids)}", {"tasks": {}, "of": of, "ids": " ".join(ids)})
        entry["tasks"][task] = digest

    def text(self, what: str) -> str:
        """The file."""
        head = (
            f"# The rows of the lite tasks of {what}, by id. "
            "Written by scripts/choose_lite_rows.py, which says how they are\n"
            "# chosen. `tasks`: name → sha256 of its processed rows and exemplars; null where the rows were not at hand, so "
            "that\n"
            "# the ids come from row numbers or from another language. `of`: rows of the whole. `missing`: tasks without a lite\n"
            "# task, and why.\n"
        )
        content = {"choices": list(self._by_ids.values()), "missing": self.missing}
        return head + yaml.safe_dump(content, sort_keys=False, width=140, allow_unicode=True)


def rows_of(task: TaskRecord) -> LoadedRows:
    """The rows of a task.

    Raises:
        DataError: if they cannot be had.
    """
    return processed_rows(task.source, row_processor(read_task_file(task.path)["dataset_kwargs"]["process"], task.metadata))


def choose(task: TaskRecord, parallel: LoadedRows, choices: Choices) -> None:
    """Chooses the rows of one task."""
    expected = task.metadata["rows"]
    if task.metadata["dataset"] in BY_NUMBER:
        rows = [{"id": str(number), "cluster": str(number)} for number in range(expected)]
        choices.add(task.name, [str(position) for position in fair_order(rows)[:ROWS]], expected, None)
        return
    try:
        loaded = rows_of(task)
    except DataError as error:
        if task.metadata["dataset"] == "belebele":
            choices.add(task.name, [row["id"] for row in parallel.rows[:ROWS]], expected, None)
        else:
            is_faulty = ", row " in str(error)
            choices.missing[task.name] = "a published row cannot be scored" if is_faulty else "the rows were not at hand"
        return
    if len(loaded.rows) != expected:
        choices.missing[task.name] = f"the rows at hand are {len(loaded.rows)}, the published ones {expected}"
        return
    ids = [row["id"] for row in loaded.rows[:ROWS]]
    digest = part_of(loaded, {"ids": " ".join(ids)}, task.name).sha256
    choices.add(task.name, ids, expected, digest)


def more_data_sets() -> dict[str, dict[str, Any]]:
    """The data sets outside SailCompass that the groups of languages have, by name; each has a file of its own."""
    catalogue = read_data_sets()
    return {
        name: record
        for name, record in catalogue["data_sets"].items()
        if name not in catalogue["suite"] and any(is_collected(name, language, catalogue) for language in record["languages"])
    }


def _of_more(name: str, record: dict[str, Any]) -> list[str]:
    return [task for tasks in plain_tasks(name, record).values() for task in tasks]


def files(listed: TaskList, wanted: Collection[str]) -> dict[Path, str]:
    """Path → content, for these suites and data sets."""
    more = more_data_sets()
    languages = read_data_sets()["data_sets"]["belebele"]["languages"]
    reading = [reading_task(listed.tasks, language) for language in languages]
    suites = {
        "sailcompass": ("SailCompass and Belebele", [*listed.groups["sea_sailcompass"], *reading]),
        "sea_helm": (
            "SEA-HELM",
            [name for language in read_sea_helm()["languages"] for name in listed.groups[f"sea_helm_{language}"]],
        ),
        **{name: (record["title"], _of_more(name, record)) for name, record in more.items()},
    }
    parallel = rows_of(listed.tasks[PARALLEL])
    written = {}
    for suite, (what, names) in ((suite, suites[suite]) for suite in wanted):
        choices = Choices()
        for name in dict.fromkeys(names):
            choose(listed.tasks[name], parallel, choices)
        written[LITE_FOLDER / f"{suite}.yaml"] = choices.text(what)
    return written


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="FOLDER", type=Path, required=True, help="laid out like the hub")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if the files would change")
    suites = ("sailcompass", "sea_helm", *more_data_sets())
    parser.add_argument("--suite", choices=suites, help="write the file of this one only")
    arguments = parser.parse_args()
    os.chdir(arguments.data)
    os.environ["HF_HUB_OFFLINE"] = "1"
    made = files(read_tasks(), [arguments.suite] if arguments.suite else suites)
    changed = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if not arguments.check:
        for path in changed:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8", newline="\n")
    print("\n".join(f"{path.name}: {'differs' if arguments.check else 'written'}" for path in changed) or "nothing changed")
    return 1 if changed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
