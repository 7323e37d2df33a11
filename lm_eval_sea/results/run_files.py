"""Finds and reads what lm-eval writes: `results_<date>.json` of a run and `samples_<task>_<date>.jsonl` of its tasks.

What users have is often incomplete: every function says what it left out in `notes`, one line each, and goes on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from lm_eval_sea.results.run_choice import kept_apart, without_superseded
from lm_eval_sea.results.visible_text import encodable, one_line

_STAMP = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_SAMPLES_NAME = re.compile(rf"samples_(?P<task>.+)_(?P<stamp>{_STAMP})\.jsonl")
_RESULTS_NAME = re.compile(rf".*_(?P<stamp>{_STAMP})\.json")
_NO_FILTER = "none"
_BESIDE_CONFIG = ("chat_template_sha", "system_instruction_sha")  # settings that lm-eval writes beside `config`
_ONE_VALUE = ("model", "model_sha", "model_revision", "model_dtype", "batch_size", "limit", *_BESIDE_CONFIG)
_JSON = str | bool | int | float | list | dict


class RunFilesError(ValueError):
    """There is nothing to read; one line that says what and how to mend it."""


@dataclass(frozen=True)
class Metric:
    """One number of a task."""

    value: float
    stderr: float | None  # as lm-eval reports it; None where it reports none
    filter: str


@dataclass(frozen=True)
class TaskResult:
    """One task of one run; what only the results file knows is empty or None without it."""

    name: str
    version: str | None
    metadata: Mapping[str, Any]  # the mapping `metadata` of the task's configuration
    config: Mapping[str, Any]
    metrics: Mapping[str, Metric]  # by name; "name,filter" for another filter than lm-eval's "none"
    num_fewshot: int | None
    rows: int | None  # rows evaluated
    rows_total: int | None  # rows of the data set
    samples: Path | None


@dataclass(frozen=True)
class Run:
    """One call of lm-eval."""

    model: str
    date: datetime
    folder: Path
    results: Path | None  # None: only samples were found
    config: Mapping[str, Any]  # backend, its arguments, limit, seeds
    versions: Mapping[str, str]  # of lm-eval and of libraries
    tasks: Mapping[str, TaskResult] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Metric]] = field(default_factory=dict)  # those with a mean of their own
    subtasks: Mapping[str, Sequence[str]] = field(default_factory=dict)  # group → the tasks and groups in it


def is_number(value: Any) -> bool:
    """Whether a value of a file is a finite number."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def find_runs(
    paths: Iterable[Path | str], *, seeds: bool = False, names: Mapping[Path, str] | None = None, all_runs: bool = False
) -> tuple[list[Run], list[str]]:
    """Finds the runs in folders, at any depth, and in single files. Samples belong to the results beside them of the same date.

    Of two runs of a task with the same model the one with more rows counts, then the newer; the other lacks the task.

    Args:
        paths: folders, results files and samples files.
        seeds: whether several runs of a task are wanted, each a draw of its own, so that none takes the place of another.
        names: what to call the models of the runs in a folder or file; runs of one name are of one model.
        all_runs: keep the runs of a model apart, each under a name with its date.

    Returns:
        The runs by model and date, and notes on what is incomplete, unreadable or superseded.

    Raises:
        RunFilesError: if a path does not exist or nothing is found.
    """
    places = [Path(path) for path in paths]
    results_files, samples_files = _files(places)
    notes: list[str] = []
    runs = [run for path in results_files if (run := _read_results(path, notes)) is not None]
    runs = [replace(run, model=_name_of(run.results or run.folder, run.model, names or {})) for run in runs]
    stamped = {(run.folder, run.date): index for index, run in enumerate(runs)}
    model_of_folder = {run.folder: run.model for run in runs}
    for path in samples_files:
        task_name, date = _task_and_date(path)
        if date is None:
            notes.append(f"{path}: left out, there is no such date")
            continue
        key = (path.parent, date)
        if key not in stamped:
            stamped[key] = len(runs)
            model = model_of_folder.get(path.parent) or _name_of(path, path.parent.name, names or {})
            runs.append(Run(model=model, date=key[1], folder=path.parent, results=None, config={}, versions={}))
        run = runs[stamped[key]]
        task = run.tasks.get(task_name) or _unknown_task(task_name)
        runs[stamped[key]] = replace(run, tasks={**run.tasks, task.name: replace(task, samples=path)})
    notes += [f"{run.folder}: samples of {run.date} without a results file" for run in runs if run.results is None]
    if not runs:
        found = f"; {notes[0]}" if notes else ""
        raise RunFilesError(
            f"no results_*.json and no samples_*.jsonl in {', '.join(map(str, places))}{found}; "
            "give the folder of lm-eval's --output_path"
        )
    runs.sort(key=lambda run: (run.model, run.date))
    if all_runs:
        runs = kept_apart(runs)
    elif not seeds:
        runs = without_superseded(runs, notes)
    for run in runs:
        without = [task.name for task in run.tasks.values() if task.samples is None]
        if without:
            some = f"{', '.join(without[:3])}{' and others' if len(without) > 3 else ''}"
            notes.append(f"{run.results}: no samples of {len(without)} tasks ({some}); --log_samples writes them")
    return runs, notes


def _name_of(path: Path, model: str, names: Mapping[Path, str]) -> str:
    """What a model is called: the name given for the innermost folder that the file is in, if any."""
    given = [(len(place.parts), name) for place, name in names.items() if path.is_relative_to(place.resolve())]
    return max(given)[1] if given else model


def _files(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    results: dict[Path, None] = {}
    samples: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            results |= dict.fromkeys(file.resolve() for file in sorted(path.rglob("results_*.json")) if file.is_file())
            samples |= dict.fromkeys(file.resolve() for file in sorted(path.rglob("samples_*.jsonl")) if file.is_file())
        elif _SAMPLES_NAME.fullmatch(path.name) and path.is_file():
            samples[path.resolve()] = None
        elif path.is_file():
            results[path.resolve()] = None
            stamp = match["stamp"] if (match := _RESULTS_NAME.fullmatch(path.name)) else ""
            samples |= dict.fromkeys(file.resolve() for file in sorted(path.parent.glob(f"samples_*_{stamp}.jsonl")) if stamp)
        else:
            raise RunFilesError(f"{path}: no such file or folder; give the folder of lm-eval's --output_path")
    return list(results), [path for path in samples if _SAMPLES_NAME.fullmatch(path.name)]


def plain_name(name: str) -> str:
    """The name of a task on one line: lm-eval 0.5 puts the groups through which it was asked for before it, "group::task"."""
    return one_line(name.rpartition("::")[2] or name)


def _task_and_date(samples: Path) -> tuple[str, datetime | None]:
    match = _SAMPLES_NAME.fullmatch(samples.name)
    assert match is not None  # `_files` returns no others
    return plain_name(match["task"]), _date(match["stamp"])


def _date(stamp: str) -> datetime | None:
    day, time = stamp.split("T")
    try:
        return datetime.fromisoformat(f"{day}T{time.replace('-', ':')}")
    except ValueError:
        return None


def _read_results(path: Path, notes: list[str]) -> Run | None:
    try:
        content = encodable(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        notes.append(f"{path}: left out, it cannot be read as JSON ({error})")
        return None
    if not isinstance(content, dict) or not isinstance(content.get("results"), dict):
        notes.append(f"{path}: left out, it has no results of lm-eval")
        return None
    match = _RESULTS_NAME.fullmatch(path.name)
    return run_of(content, path, notes, _date(match["stamp"]) if match else None)


def run_of(content: Mapping[str, Any], path: Path | None, notes: list[str], date: datetime | None = None) -> Run:
    """The run that a results file, or what `lm_eval.simple_evaluate` returns, tells of.

    Args:
        content: with the key `results`.
        path: of the file, if it is one.
        notes: gets a line for what is left out.
        date: of the run; by default the one in `content`.
    """
    configs, subtasks = _mapping(content, "configs"), _mapping(content, "group_subtasks")
    config = _mapping(content, "config")
    arguments = _mapping(config, "model_args")
    versions = {name: content.get(f"{name}_version") for name in ("lm_eval", "transformers")}
    results = {name: _mapping(content["results"], name) for name in content["results"]}
    where = path or "results"
    of_groups = {name for name in results if name not in configs and subtasks.get(name)}
    return Run(
        model=str(content.get("model_name") or arguments.get("pretrained") or (path.parent.name if path else "model")),
        date=date or _from_seconds(content.get("date")),
        folder=path.parent if path else Path(),
        results=path,
        config=_settings(config | {key: content[key] for key in _BESIDE_CONFIG if key in content}, where, notes),
        versions={name: str(version) for name, version in versions.items() if version},
        tasks={plain_name(name): _task(name, content, where, notes) for name in results if name not in of_groups},
        groups={name: numbers for name in results if name in of_groups and (numbers := _metrics(results[name], where, notes))},
        subtasks={plain_name(name): _names(inner) for name, inner in subtasks.items()},
    )


def _names(value: Any) -> list[str]:
    return [plain_name(name) for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _from_seconds(seconds: Any) -> datetime:
    try:
        return datetime.fromtimestamp(seconds if is_number(seconds) else 0)
    except (ValueError, OverflowError, OSError):  # no such year
        return datetime.fromtimestamp(0)


def _mapping(content: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = content.get(key)
    return value if isinstance(value, dict) else {}


def _settings(config: dict[str, Any], where: Path | str, notes: list[str]) -> dict[str, Any]:
    """The settings of a run without those that can be no text and no number, by which runs are compared."""
    given = {name: config[name] for name in _ONE_VALUE if config.get(name) is not None}
    # In memory there are others, such as torch's types of numbers; lm-eval writes their names.
    given = {name: value if isinstance(value, _JSON) else str(value) for name, value in given.items()}
    broken = [name for name, value in given.items() if not isinstance(value, str) and not is_number(value)]
    notes += [f"{where}: the setting {name} is no text and no number, and left out" for name in broken]
    return {name: value for name, value in (config | given).items() if name not in broken}


def _task(name: str, content: Mapping[str, Any], path: Path | str, notes: list[str]) -> TaskResult:
    config = _mapping(_mapping(content, "configs"), name)
    counts = _mapping(_mapping(content, "n-samples"), name)
    version = _mapping(content, "versions").get(name)
    return TaskResult(
        name=plain_name(name),
        version=None if version is None else str(version),
        metadata=_mapping(config, "metadata"),
        config=config,
        metrics=_metrics(_mapping(content["results"], name), f"{path}, {name}", notes),
        num_fewshot=count_of(_mapping(content, "n-shot").get(name)),
        rows=count_of(counts.get("effective")),
        rows_total=count_of(counts.get("original")),
        samples=None,
    )


def _unknown_task(name: str) -> TaskResult:
    return TaskResult(name, None, {}, {}, {}, None, None, None, None)


def count_of(value: Any) -> int | None:
    """A number of rows or exemplars in a file; None if it is none, or is one that no float holds exactly."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _metrics(numbers: Mapping[str, Any], where: Path | str, notes: list[str]) -> dict[str, Metric]:
    """The entries "metric,filter" with the entries "metric_stderr,filter" beside them."""
    metrics = {}
    for key, value in numbers.items():
        name, comma, filter_name = key.rpartition(",")
        if not comma or name.endswith("_stderr"):
            continue
        if not is_number(value):
            notes.append(f"{where}: {name} is not a number ({value}) and left out")
            continue
        stderr = numbers.get(f"{name}_stderr,{filter_name}")
        metrics[name if filter_name == _NO_FILTER else key] = Metric(value, stderr if is_number(stderr) else None, filter_name)
    return metrics


def read_samples(path: Path, columns: Sequence[str], notes: list[str]) -> Iterator[dict[str, Any]]:
    """Reads the rows of a samples file one after the other; memory holds one row.

    Args:
        path: `samples_<task>_<date>.jsonl`.
        columns: what to keep of a row: "doc_id", "filter", "acc", …; "doc.gold" is the entry `gold` of `doc`.
        notes: gets a line if rows cannot be read, such as the last one of a run that was stopped.

    Yields:
        One dictionary a row with exactly these columns; None for what the row lacks.
    """
    accessors = [(column, column.split(".")) for column in columns]
    broken: list[int] = []
    try:
        lines = path.open("rb")
    except OSError as error:
        notes.append(f"{path}: left out, it cannot be opened ({error.strerror})")
        return
    with lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = _parse(line)
                if not isinstance(row, dict):
                    raise ValueError("no object")
            except (ValueError, RecursionError):
                broken.append(number)
                continue
            yield {column: _at(row, keys) for column, keys in accessors}
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        notes.append(f"{path}: line {broken[0]}{more} cannot be read as JSON (a run that was stopped?) and left out")


def _parse(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:  # it knows no lone surrogates, and no -Infinity, which Python writes for the logarithm of 0
        return encodable(json.loads(line))


def _at(row: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        row = row.get(key) if isinstance(row, dict) else None
    return row
