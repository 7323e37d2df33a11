"""results and samples with a value of another kind, place by place.

Every value of a file in turn becomes null, true, a number, a text, a list and a mapping, beside a whole run of another model or
seed, so that values of two kinds meet in a column, a comparison and a sum.
"""

import contextlib
import copy
import io
import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .mutations import as_json, places
from .readers import READERS, REFUSALS, Files, check_line, whole_input

VALUES = [None, True, 0, -1, 1.5, 1e308, 10**400, float("nan"), "", "x", "y" * 5000, [], [1], {}, {"a": 1}]
QUICK = 45
STEPS = {"report": 7}  # it takes a quarter of a second; 7 shares no factor with the number of values, so that all kinds come
SEEDS = ("score sea-helm", "judge", "metricx")  # readers that take several runs of one model
ALONE = "belebele translated"  # takes one run


def shape(path: tuple, names: set[str]) -> tuple:
    """A path with one word for all tasks and one for all rows or entries of a list."""
    return tuple(0 if isinstance(key, int) else "task" if key in names else key for key in path)


def replaced(content: Any, paths: list[tuple], value: Any) -> Any:
    """The content with the value at these places."""
    changed = copy.deepcopy(content)
    for *above, last in paths:
        holder = changed
        for key in above:
            holder = holder[key]
        holder[last] = copy.deepcopy(value)
    return changed


def cases(files: Files) -> Iterator[tuple[str, list[tuple], Any]]:
    """A file, the places in it and the value: places alike in all tasks at once, and of rows the first alone and all at once."""
    for file, text in sorted(files.items()):
        content = parsed(file, text)
        names = set(content["configs"]) if isinstance(content, dict) else set()
        alike: dict[tuple, list[tuple]] = {}
        for path in places(content):
            alike.setdefault(shape(path, names), []).append(path)
        for paths in alike.values():
            for chosen in [paths] if isinstance(content, dict) or len(paths) == 1 else [paths[:1], paths]:
                for value in VALUES:
                    yield file, chosen, value


def parsed(file: str, text: str) -> Any:
    return json.loads(text) if file.endswith(".json") else [json.loads(line) for line in text.splitlines()]


def written(file: str, content: Any) -> str:
    return as_json(content) if file.endswith(".json") else "".join(as_json(row) + "\n" for row in content)


@cache
def second_run(reader: str) -> Files:
    """The same files as those of another model, or of another seed of the same."""
    files = {}
    for name, text in whole_input(reader).items():
        if name.endswith(".json") and reader not in SEEDS:
            content = json.loads(text) | {"model_name": "org/b"}
            content["config"]["model_args"]["pretrained"] = "org/b"
            text = json.dumps(content)
        files[name.replace("_2026-", "_2027-") if reader in SEEDS else name] = text
    return {} if reader == ALONE else files


def attack(reader: str, step: int = 1) -> None:
    """Has the reader read every `step`-th case."""
    files = whole_input(reader)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("org__a", files), ("org__b", second_run(reader))):
            Path(folder, name).mkdir()
            for file, text in content.items():
                Path(folder, name, file).write_text(text, encoding="utf-8")
        for file, paths, value in list(cases(files))[::step]:
            path = Path(folder, "org__a", file)
            path.write_text(written(file, replaced(parsed(file, files[file]), paths, value)), encoding="utf-8")
            try:
                with contextlib.redirect_stderr(io.StringIO()):  # progress bars
                    READERS[reader][0](Path(folder))
            except REFUSALS as error:
                check_line(error)
            except Exception as error:  # all of them are wanted, each with its place
                failed.append(f"{file}, {paths[0]}, {str(value)[:20]!r}: {type(error).__name__}: {str(error)[:100]}")
            path.write_text(files[file], encoding="utf-8")
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("reader", [name for name in READERS if name != "report"])
def test_values_of_another_kind(reader):
    """a sample of the places, a value of another kind in each"""
    number = sum(1 for _ in cases(whole_input(reader)))
    attack(reader, number // QUICK | 1)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_a_value_of_another_kind_in_every_place(reader):
    """fifteen values of other kinds in every place, for the report in a seventh of the cases"""
    attack(reader, STEPS.get(reader, 1))
