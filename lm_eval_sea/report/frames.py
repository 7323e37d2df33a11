"""Runs of lm-eval as tidy pandas frames, and the rows that the page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from lm_eval_sea.report.sample_row import shown
from lm_eval_sea.results.facts import row_count_note, version_note
from lm_eval_sea.results.rows import BATCH_CALIBRATED
from lm_eval_sea.results.runs import Run, Runs, TaskRun
from lm_eval_sea.results.types import ResultsError

Key = tuple[str, str]  # model and task


@dataclass(frozen=True)
class Frames:
    """What runs say, in three tidy frames and what goes with them.

    `runs` has one row a run; `metrics` one a model, task and metric; `samples` one a model, task and evaluated row of the pack's
    tasks, with the columns of `results.rows.Rows`. `tasks` has one row a model and task: its facts, how many of its rows were
    evaluated, and whether it is one of the pack's.
    """

    runs: pd.DataFrame
    tasks: pd.DataFrame
    metrics: pd.DataFrame
    samples: pd.DataFrame
    notes: list[str]
    of: Mapping[Key, TaskRun] = field(repr=False, default_factory=dict)
    shown: Mapping[Key, list[dict[str, Any]]] = field(repr=False, default_factory=dict)


def frames_of(runs: Runs, *, shown_rows: int = 0) -> Frames:
    """Reads the rows of runs.

    Args:
        runs: of which each task of a model counts once.
        shown_rows: of how many rows of a model and task the texts are kept; see `chosen_numbers`.

    Raises:
        ResultsError: if there is no task.
    """
    if not runs.tasks:
        raise ResultsError("there are results, but of no task")
    notes = list(runs.notes)
    tasks, metrics = [], []
    samples: list[tuple[Key, pd.DataFrame]] = []
    of: dict[Key, TaskRun] = {}
    sizes = sum(_size(task) for task in runs.tasks)
    with tqdm(total=sizes, desc="samples", unit="B", unit_scale=True, disable=sizes < 50_000_000) as progress:
        for task in runs.tasks:
            key = (runs.labels[task.run.model], task.name)
            of[key] = task
            about = (version_note(task.name, task.facts), row_count_note(task.name, task.facts, task.rows_total))
            known = [*task.notes, *(f"{key[0]}, {note}" for note in about if note)]
            rows = task.logged
            notes += [*known, *(note for note in task.notes if note not in known)]
            if rows is not None and len(rows.keys):
                samples.append((key, rows.frame))
            if rows is not None and task.rows is not None and len(rows.keys) != task.rows:
                notes.append(f"{task.samples}: {len(rows.keys)} rows, but the results are of {task.rows}")
            tasks.append(_task_row(key, task))
            metrics += _metric_rows(key, task)
            progress.update(_size(task))
    return Frames(
        runs=pd.DataFrame([_run_row(run, runs.labels[run.model]) for run in runs.runs]),
        tasks=pd.DataFrame(tasks),
        metrics=pd.DataFrame(metrics, columns=["model", "task", "metric", "value", "stderr", "filter", "headline"]),
        samples=_together(samples) if samples else pd.DataFrame(columns=_NO_SAMPLES),
        notes=notes,
        of=of,
        shown=_shown(of, shown_rows) if shown_rows else {},
    )


_TOLD = ("number", "place", "score", f"chosen_{BATCH_CALIBRATED}")  # what the page needs beside the texts
_NO_SAMPLES = ["model", "task", "doc_id", "id", "cluster", "gold", "chosen", "score", "loglikelihoods"]


def _size(task: TaskRun) -> int:
    return task.samples.stat().st_size if isinstance(task.samples, Path) else 0


def _together(samples: Sequence[tuple[Key, pd.DataFrame]]) -> pd.DataFrame:
    """The rows of all tasks in one frame, with model and task in front."""
    found = pd.concat([frame for _, frame in samples], ignore_index=True).drop(columns=["place", "number"])
    counts = [len(frame) for _, frame in samples]
    for place, name in enumerate(("model", "task")):
        found.insert(place, name, np.repeat(np.array([key[place] for key, _ in samples], dtype=object), counts))
    return found


def _run_row(run: Run, label: str) -> dict[str, Any]:
    return {
        "model": label,
        "model_name": run.model,
        "date": run.date.isoformat(sep=" ", timespec="seconds"),
        "batch_size": run.batch_size,
        **asdict(run.settings),
        "results": str(run.place),
    }


def _task_row(key: Key, task: TaskRun) -> dict[str, Any]:
    facts = task.facts
    return {
        "model": key[0],
        "task": key[1],
        "of_pack": facts.of_pack,
        "headline": facts.headline_metric or None,
        "dataset": facts.pool,
        "language": facts.language,
        "task_kind": facts.task,
        "variant": facts.variant,
        "prompt_language": facts.prompt_language,
        "setting": facts.setting,
        "suite": facts.suite,
        "source_language": facts.source_language,
        "answer_language": facts.answer_language,
        "chance": facts.chance,
        "item_metric": facts.metric_of_rows,
        "rows": task.evaluated,
        "rows_total": task.expected,
        "limited": task.limited,
        "num_fewshot": task.num_fewshot,
        "version": task.version,
        "samples": str(task.samples) if task.samples is not None else None,
        "date": task.run.date.isoformat(sep=" ", timespec="seconds"),
    }


def _metric_rows(key: Key, task: TaskRun) -> list[dict[str, Any]]:
    return [
        {
            "model": key[0],
            "task": key[1],
            "metric": name,
            "value": score.value,
            "stderr": score.stderr,
            "filter": score.filter,
            "headline": name == task.facts.headline_metric,
        }
        for name, score in task.scores.items()
    ]


def _shown(of: Mapping[Key, TaskRun], count: int) -> dict[Key, list[dict[str, Any]]]:
    """The texts of the rows that the page shows."""
    frames = {key: task.logged.frame for key, task in of.items() if task.logged is not None}
    by_task: dict[str, list[set[int]]] = {}
    for (_, name), frame in frames.items():
        by_task.setdefault(name, []).append(set(frame.number.tolist()))
    found = {}
    for key, frame in frames.items():
        columns = {name: frame[name].tolist() for name in _TOLD if name in frame}
        chosen = chosen_numbers(set(columns["number"]), by_task[key[1]], count)
        records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        records = [record for record in records if record["number"] in chosen]
        texts = of[key].texts([record["place"] for record in records])
        found[key] = [shown(row, record) for row, record in zip(texts, records, strict=True)]
    return found


def chosen_numbers(own: Collection[int], runs: Sequence[Collection[int]], count: int) -> set[int]:
    """The rows of one run to show: first those that most runs have, and of equally many evenly spaced ones.

    Runs of the same rows show the same ones, and a run of 900 rows those of a run of 100.

    Args:
        own: the numbers of its rows.
        runs: those of all runs of the task, this one too.
        count: how many to show at most.
    """
    held = Counter(number for numbers in runs for number in numbers)
    chosen: list[int] = []
    for times in sorted({held[number] for number in own}, reverse=True):
        group = sorted(number for number in own if held[number] == times)
        if free := count - len(chosen):
            chosen += group[:: -(-len(group) // free)]
    return set(chosen)
