"""Runs of lm-eval as tidy pandas frames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from lm_eval_sea.report.sample_row import COLUMNS, numbers, shown
from lm_eval_sea.report.shown_rows import chosen_numbers, number_of, row_numbers
from lm_eval_sea.results.batch_calibration import with_choices
from lm_eval_sea.results.logged_rows import LoggedRows
from lm_eval_sea.results.model_names import short_names
from lm_eval_sea.results.row_count import row_count_note, rows_expected
from lm_eval_sea.results.run_files import Run, RunFilesError, TaskResult, find_runs, read_samples
from lm_eval_sea.results.run_settings import run_settings
from lm_eval_sea.results.task_metadata import HEADLINE, data_set_of, item_metric, metadata_of, version_note
from lm_eval_sea.results.task_score import chance_of
from lm_eval_sea.results.visible_text import one_line, visible

# Entries of a task's metadata that are columns of the frame `tasks`, with what stands for a missing one.
METADATA = {
    "dataset": "",
    "language": "",
    "task_kind": "",
    "variant": "",
    "prompt_language": "",
    "setting": "",  # other exemplars or rows than the variant is named for, such as English exemplars
    "suite": "",
    "source_language": "",
    "answer_language": "",
}
_METADATA_NAMES = {"task_kind": "task"}


@dataclass(frozen=True)
class Frames:
    """What runs say, in three tidy frames and what goes with them.

    `runs` has one row a run; `metrics` one a model, task and metric; `samples` one a model, task and evaluated row of the pack's
    tasks (columns: `sample_row.numbers`). `tasks` has one row a model and task: its metadata, how many of its rows were
    evaluated, and whether it is one of the pack's.
    """

    runs: pd.DataFrame
    tasks: pd.DataFrame
    metrics: pd.DataFrame
    samples: pd.DataFrame
    notes: list[str]
    configs: Mapping[tuple[str, str], Mapping[str, Any]] = field(repr=False, default_factory=dict)  # (model, task) →
    shown: Mapping[tuple[str, str], list[dict[str, Any]]] = field(repr=False, default_factory=dict)  # likewise
    logged: Mapping[tuple[str, str], LoggedRows] = field(repr=False, default_factory=dict)  # likewise, what scores are made of


def load(
    paths: Iterable[Path | str], *, shown_rows: int = 0, names: Mapping[Path, str] | None = None, all_runs: bool = False
) -> Frames:
    """Reads runs of lm-eval.

    Args:
        paths: folders that lm-eval wrote, or files of them; see `run_files.find_runs`.
        shown_rows: of how many rows of a model and task the texts are kept; see `shown_rows.chosen_numbers`.
        names: what to call models, by folder or file.
        all_runs: keep several runs of a model apart.

    Raises:
        RunFilesError: if there is nothing to read.
    """
    paths = list(paths)
    runs, notes = find_runs(paths, names=names, all_runs=all_runs)
    labels = short_names(run.model for run in runs)
    tables: dict[str, list[dict[str, Any]]] = {"tasks": [], "metrics": []}
    samples: list[pd.DataFrame] = []
    configs, texts, logged = {}, {}, {}
    files = [(run, task) for run in runs for task in run.tasks.values()]
    if not files:
        raise RunFilesError(f"{', '.join(map(str, paths))}: there are results, but of no task")
    held: dict[str, dict[Path, set[int]]] = {}  # task → the numbers of the rows of each of its files
    for task in (task for _, task in files if shown_rows and task.samples):
        held.setdefault(task.name, {})[task.samples] = row_numbers(task.samples)
    sizes = sum(task.samples.stat().st_size for _, task in files if task.samples)
    with tqdm(total=sizes, desc="samples", unit="B", unit_scale=True, disable=sizes < 50_000_000) as progress:
        for run, task in files:
            key = (labels[run.model], task.name)
            metadata = metadata_of(task, notes)
            notes += [f"{key[0]}, {note}" for note in (version_note(task), row_count_note(task, metadata)) if note]
            configs[key] = {**task.config, "metadata": metadata}
            headline = metadata.get(HEADLINE)
            tables["metrics"] += _metric_rows(key, task, headline)
            evaluated = task.rows
            if headline and task.samples:
                runs_of_task = held.get(task.name, {})
                chosen = chosen_numbers(runs_of_task.get(task.samples, ()), list(runs_of_task.values()), shown_rows)
                frame, texts[key], logged[key] = _read_rows(key, task.samples, metadata, chosen, notes)
                if evaluated is not None and len(frame) != evaluated:
                    notes.append(f"{task.samples}: {len(frame)} rows, but the results are of {evaluated}")
                evaluated = len(frame) if evaluated is None else evaluated
                if len(frame):
                    samples.append(frame)
            tables["tasks"].append(_task_row(key, run, task, metadata, evaluated))
            progress.update(task.samples.stat().st_size if task.samples else 0)
    columns = ["model", "task", "doc_id", "id", "cluster", "gold", "chosen", "score", "loglikelihoods"]
    return Frames(
        runs=pd.DataFrame([_run_row(run, labels[run.model]) for run in runs]),
        tasks=pd.DataFrame(tables["tasks"]),
        metrics=pd.DataFrame(tables["metrics"], columns=["model", "task", "metric", "value", "stderr", "filter", "headline"]),
        samples=pd.concat(samples, ignore_index=True) if samples else pd.DataFrame(columns=columns),
        notes=notes,
        configs=configs,
        shown=texts,
        logged=logged,
    )


def _run_row(run: Run, label: str) -> dict[str, Any]:
    return {
        "model": label,
        "model_name": run.model,
        "date": run.date.isoformat(sep=" ", timespec="seconds"),
        "batch_size": run.config.get("batch_size"),
        **run_settings(run),
        "results": str(run.results or run.folder),
    }


def _task_row(key: tuple[str, str], run: Run, task: TaskResult, metadata: Mapping[str, Any], rows: int | None) -> dict[str, Any]:
    total = rows_expected(metadata) or task.rows_total
    return {
        "model": key[0],
        "task": key[1],
        "of_pack": bool(metadata.get(HEADLINE)),
        "headline": str(metadata[HEADLINE]) if metadata.get(HEADLINE) else None,
        **{
            column: one_line(str(metadata.get(_METADATA_NAMES.get(column, column)) or absent))
            for column, absent in METADATA.items()
        },
        "chance": chance_of(metadata),
        "dataset": data_set_of(metadata),
        "item_metric": item_metric(metadata),
        "rows": rows,
        "rows_total": total,
        "limited": rows is not None and total is not None and rows < total,
        "num_fewshot": task.num_fewshot,
        "version": task.version,
        "samples": str(task.samples) if task.samples else None,
        "date": run.date.isoformat(sep=" ", timespec="seconds"),
    }


def _metric_rows(key: tuple[str, str], task: TaskResult, headline: str | None) -> list[dict[str, Any]]:
    return [
        {
            "model": key[0],
            "task": key[1],
            "metric": name,
            "value": metric.value,
            "stderr": metric.stderr,
            "filter": metric.filter,
            "headline": name == headline,
        }
        for name, metric in task.metrics.items()
    ]


def _read_rows(
    key: tuple[str, str], samples: Path, metadata: Mapping[str, Any], chosen: Collection[int], notes: list[str]
) -> tuple[pd.DataFrame, list[dict[str, Any]], LoggedRows]:
    first = next(read_samples(samples, ["metrics", "filter"], []), {"metrics": None, "filter": None})
    logged = LoggedRows(str(metadata[HEADLINE]), item_metric(metadata))
    named = first["metrics"] if isinstance(first["metrics"], list) else []
    scores = (name for name in map(str, named) if not name.endswith("_stderr") and name == visible(name))
    metrics = list(dict.fromkeys([*scores, logged.headline]))
    records, texts = [], []
    for place, row in enumerate(with_choices(read_samples(samples, [*COLUMNS, *metrics], notes))):
        if row["filter"] != first["filter"]:  # lm-eval logs a row once per filter
            continue
        logged.add(row)
        record = numbers(row, logged.headline, logged.item, metrics)
        records.append(record)
        if number_of(row["doc_id"], place) in chosen:
            texts.append(shown(row, record["score"]))
    frame = pd.DataFrame(records)
    frame.insert(0, "task", key[1])
    frame.insert(0, "model", key[0])
    return frame, texts, logged
