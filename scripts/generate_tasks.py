#!/usr/bin/env python3
"""Turns prompt books into task files.

For every data set of the catalogue, every language, every prompt language and every variant, this writes the YAML that
lm-eval reads, with the words of the book literally in its templates.

Examples:
    python scripts/generate_tasks.py                          write lm_eval_sea/tasks anew after a change to a book
    python scripts/generate_tasks.py --check                  fail if books and tasks disagree; writes nothing
    python scripts/generate_tasks.py --prompts MY_BOOKS --out MY_TASKS
                                                              a complete tasks folder from your own books
    python scripts/generate_tasks.py --belebele-pairs th-vi,jv-id --out MY_TASKS
                                                              one that also has passages in Thai with questions in Vietnamese, …
"""

from __future__ import annotations

import argparse
import shutil
import sys
from functools import partial
from pathlib import Path

import yaml
from parallel_files import ParallelDataSet
from prompt_books import BookError
from sea_helm_files import sea_helm_files
from suite_files import suite_files
from task_files import PACK, TASKS, DataSet
from task_yaml import HEADER


def generate(prompts: Path, pairs: list[str]) -> dict[str, str]:
    """All generated files: path below the tasks folder → content.

    Args:
        prompts: folder of prompt books.
        pairs: language pairs that a parallel data set gets tasks for besides those with English.

    Raises:
        BookError: if a book lacks something, or a pair has unknown languages.
    """
    catalogue = yaml.safe_load((PACK / "catalogue.yaml").read_text(encoding="utf-8"))
    files = suite_files(catalogue)
    for name, record in catalogue["data_sets"].items():
        make = partial(ParallelDataSet, pairs=pairs) if "parallel" in record else DataSet
        files |= make(name, catalogue, prompts).files()
    return files | sea_helm_files(PACK, prompts)


def _generated_on_disk(folder: Path) -> set[str]:
    start = HEADER.split("{", 1)[0]
    return {
        path.relative_to(folder).as_posix()
        for path in folder.glob("**/*yaml")
        if path.is_file() and path.read_text(encoding="utf-8").startswith(start)
    }


def differences(files: dict[str, str], folder: Path) -> list[str]:
    """What is wrong with the files on disk, one line each."""
    found = _generated_on_disk(folder)
    lines = [f"{path}: no book makes this file any more" for path in sorted(found - set(files))]
    for path, content in sorted(files.items()):
        if path not in found:
            lines.append(f"{path}: missing")
        elif (folder / path).read_text(encoding="utf-8") != content:
            lines.append(f"{path}: differs from its book")
    return lines


def write(files: dict[str, str], folder: Path) -> None:
    """Makes the folder hold exactly these generated files, beside what is written by hand."""
    if folder.resolve() != TASKS:
        generated = _generated_on_disk(TASKS)

        def skip(directory: str, names: list[str]) -> list[str]:
            below = Path(directory).relative_to(TASKS)
            return [name for name in names if name == "__pycache__" or (below / name).as_posix() in generated]

        shutil.copytree(TASKS, folder, ignore=skip, dirs_exist_ok=True)
    for path in _generated_on_disk(folder) - set(files):
        (folder / path).unlink()
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8", newline="\n")


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=Path, default=PACK / "prompts", help="folder of prompt books")
    parser.add_argument("--out", type=Path, default=TASKS, help="tasks folder to write")
    parser.add_argument(
        "--belebele-pairs", metavar="X-Y,…", default="", help="more tasks with the passage in X and the question in Y"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if books and tasks disagree")
    arguments = parser.parse_args()
    try:
        files = generate(arguments.prompts, [pair for pair in arguments.belebele_pairs.split(",") if pair])
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.check:
        lines = differences(files, arguments.out)
        print("\n".join(lines) or f"{len(files)} files agree with their books")
        return 1 if lines else 0
    write(files, arguments.out)
    print(f"{len(files)} files written below {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
