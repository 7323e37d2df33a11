#!/usr/bin/env python3
"""Checks results that somebody adds to the table in docs/results.md: files of lm-eval in leaderboard/ORGANISATION__MODEL/.

Each finding is a line with the file and what to do. Exit status 1 if there is one. A model that was run from a folder has an
`about.yaml` beside its results, with `model` (what the table calls it), `source` (where it can be had) and `revision`.

Examples:
    python scripts/check_results.py                        all results
    python scripts/check_results.py leaderboard/org__model
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.read import read
from lm_eval_sea.results.runs import Run, TaskRun

FOLDER = Path(__file__).resolve().parents[1] / "leaderboard"
LARGEST = 2_000_000  # bytes of a results file: sea_sailcompass has some 700,000
ABOUT = "about.yaml"
ABOUT_KEYS = ("model", "source", "revision")
LOCAL = ("/", ".", "~", "\\")


def findings(folders: Iterable[Path]) -> list[str]:
    """What is wrong with the results in these folders, one line each."""
    return [line for folder in folders for line in _of_folder(folder)]


def about(folder: Path) -> dict[str, str]:
    """What a folder says of a model that was run from a folder; empty if it says nothing."""
    path = folder / ABOUT
    content = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return content if isinstance(content, dict) else {}


def _of_folder(folder: Path) -> Iterator[str]:
    yield from (f"{path}: rows belong to the data sets; leave samples out" for path in sorted(folder.rglob("samples_*")))
    for path in sorted(folder.rglob("*")):
        if path == folder / ABOUT:
            lacking = [key for key in ABOUT_KEYS if not about(folder).get(key)]
            yield from (f"{path}: lacks {key!r}; expected {', '.join(ABOUT_KEYS)}" for key in lacking)
        elif path.is_file() and not path.name.startswith("samples_"):
            if not (path.name.startswith("results_") and path.suffix == ".json"):
                yield f"{path}: no results file of lm-eval; leave it out"
            elif path.stat().st_size > LARGEST:
                yield f"{path}: {path.stat().st_size:,} bytes; expected at most {LARGEST:,}, without samples"
    runs = read(folder)
    digests: dict[str, set[str]] = defaultdict(set)
    for run in runs.runs:
        yield from _of_run(run, folder)
        for task in runs.of_run(run):
            yield from (f"{run.place}, {task.name}: {line}" for line in _of_task(task))
            digests[task.name].add(task.facts.data_sha256)
    yield from (f"{folder}: {name} was run on different rows" for name, found in digests.items() if len(found) > 1)


def _of_run(run: Run, folder: Path) -> Iterator[str]:
    if run.settings.limit is not None:
        yield f"{run.place}: made with --limit {run.settings.limit}; run it without, or run sea_lite"
    if about(folder):
        return
    name = run.model
    if name.startswith(LOCAL) or name.count("/") != 1:
        yield f"{run.place}: the model is called {name!r}; expected its name on the hub, ORGANISATION/MODEL, or an {ABOUT}"
    elif folder.name != name.replace("/", "__"):
        yield f"{run.place}: results of {name} belong in {name.replace('/', '__')}"
    if not run.settings.revision:
        yield f"{run.place}: the revision of the model is not recorded; give it in --model_args revision=…"


def _of_task(task: TaskRun) -> Iterator[str]:
    known = read_tasks().tasks.get(task.name)
    if known is None:
        yield "no task of this pack; leave it out"
        return
    if task.facts.version != known.metadata["version"]:
        yield f"version {task.facts.version} of the task; the pack has {known.metadata['version']}: run it again"
    if task.facts.prompt_book_version != known.metadata["prompt_book_version"]:
        yield f"version {task.facts.prompt_book_version} of the prompts; the pack has another: run it again"
    if known.metadata["rows"] is not None and task.rows != known.metadata["rows"]:
        yield f"{task.rows} rows; expected {known.metadata['rows']}"
    if task.facts.headline_metric not in task.scores:
        yield f"no {task.facts.headline_metric}, its headline metric; run it with a tokenizer"
    found, expected = task.facts.data_sha256, known.metadata.get("subset", {}).get("sha256")
    if not found:
        yield "the digest of its rows is not recorded; run it with this version of the pack"
    elif expected and found != expected:
        yield f"made on other rows (sha256 {found:.12}…; expected {expected:.12}…)"


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="FOLDER", nargs="*", type=Path, help="of one model (default: all)")
    folders = parser.parse_args().folders or sorted(path for path in FOLDER.glob("*") if path.is_dir())
    lines = findings(folders)
    print("\n".join(lines) or f"{len(folders)} folders: nothing wrong")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
