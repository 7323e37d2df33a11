"""All task files at once: makes them from the prompt books, compares them with those on disk, writes them."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from lm_eval_sea.catalogue import read_data_sets
from lm_eval_sea.generate.judged_files import judged_files
from lm_eval_sea.generate.lite_files import LiteFiles
from lm_eval_sea.generate.parallel_files import ParallelDataSet
from lm_eval_sea.generate.prompt_variations import PromptVariations
from lm_eval_sea.generate.sea_helm_files import sea_helm_files
from lm_eval_sea.generate.suite_files import suite_files
from lm_eval_sea.generate.task_files import TASKS, DataSet
from lm_eval_sea.generate.task_kinds import JUDGED
from lm_eval_sea.generate.task_yaml import HEADER


def generate(prompts: Path, pairs: list[str], exemplar_seeds: int = 0) -> dict[str, str]:
    """All generated files: path below the tasks folder → content.

    Args:
        prompts: folder of prompt books.
        pairs: language pairs that a parallel data set gets tasks for besides those with English.
        exemplar_seeds: how many draws of exemplars the tasks of the suite get.

    Raises:
        BookError: if a book lacks something, or a pair has unknown languages.
    """
    catalogue = read_data_sets()
    files = suite_files(catalogue)
    for name, record in catalogue["data_sets"].items():
        if record["kind"] == JUDGED:
            files |= judged_files(name, record)
            continue
        make = partial(ParallelDataSet, pairs=pairs) if "parallel" in record else DataSet
        files |= make(name, catalogue, prompts).files()
    files |= sea_helm_files(prompts)
    return files | LiteFiles(files, catalogue).files() | PromptVariations(files, prompts, exemplar_seeds).files()


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
