"""The numbers of a report: runs as tidy pandas frames, and what several sections compute from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd
from tqdm import tqdm

from lm_eval_sea.report.means import BY_TASK, Means
from lm_eval_sea.report.sample_row import Key, shown_rows_of
from lm_eval_sea.report.suite import Suite, read_suite
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.comparison import normalised
from lm_eval_sea.results.rows import Rows
from lm_eval_sea.results.runs import Run, TaskRun
from lm_eval_sea.results.table import catalogue_notes
from lm_eval_sea.results.types import ResultsError, grouped
from lm_eval_sea.results.visible_text import some_names, visible
from lm_eval_sea.tasks._shared.facts import ORDER

_NUMBERS = ("score", "stderr", "stderr_plain", "low", "high", "clusters", "chance", "normalised", "few")
_OF_FACTS = ("variant", "prompt_language", "setting", "suite", "source_language", "answer_language", "chance")


@dataclass(frozen=True)
class Scores:
    """Runs as frames; every number is computed once, when it is first asked for.

    `runs` has one row per run; `tasks` one per model and task: its facts, how many rows were evaluated, and whether it is one of
    the pack's.
    """

    runs: pd.DataFrame
    tasks: pd.DataFrame
    notes: list[str]
    suite: Suite
    weigh: str = BY_TASK  # what has the same weight in a mean
    of: Mapping[Key, TaskRun] = field(repr=False, default_factory=dict)
    shown_rows: int = 0  # rows of a model and task whose texts the page has
    beside: Mapping[str, Sequence[TaskRun]] = field(repr=False, default_factory=dict)  # `Runs.beside` by model

    @cached_property
    def models(self) -> list[str]:
        """The models by name."""
        return sorted(self.tasks.model.unique())

    @property
    def logged(self) -> dict[Key, Rows]:
        """The logged rows of the pack's tasks."""
        return {key: task.logged for key, task in self.of.items() if task.logged is not None and task.logged.keys}

    def of_seeds(self, counted: str) -> list[str]:
        """A sentence on which answers a section counts; none if no task was run with several seeds."""
        return [f"For a task with several seeds, {counted}."] if any(task.draws for task in self.of.values()) else []

    def of_last_seed(self) -> list[str]:
        """`of_seeds` for a section that counts the answers of the last seed."""
        seeds = some_names(list(map(str, sorted({task.run.seed or 0 for task in self.of.values() if task.draws}))))
        return self.of_seeds(f"the answers of the last count here (seed {seeds}), while its score is the mean over all")

    @cached_property
    def headline(self) -> pd.DataFrame:
        """One row per model and task of the pack: its `TaskScore`, with `comparison.normalised`, and the facts of `tasks`."""
        rows = []
        for task in self.tasks[self.tasks.setting != ORDER].to_dict("records"):
            of_task = self.of[task["model"], task["task"]]
            if (score := of_task.score) is not None:
                numbers = {name: getattr(score, name) for name in _NUMBERS} | {"normalised": normalised(of_task)}
                rows.append({**task, "metric": task["headline"], **numbers, "contradicted": score.contradiction is not None})
        return pd.DataFrame(rows, columns=list(dict.fromkeys([*self.tasks.columns, "metric", *_NUMBERS, "contradicted"])))

    @cached_property
    def by_model(self) -> dict[str, dict[str, TaskRun]]:
        """Model → its tasks of the pack whose scores count in means (`Facts.counts`)."""
        names = grouped(key for key in zip(self.headline.model, self.headline.task, strict=True) if self.of[key].facts.counts)
        return {model: {name: self.of[model, name] for name in own} for model, own in sorted(names.items())}

    def shown(self) -> Iterator[tuple[str, dict[str, list[dict[str, Any]]]]]:
        """Each task with the texts of its rows for the page, by model; read from disk, one task at a time."""
        models_of = grouped((name, model) for model, name in sorted(self.of)) if self.shown_rows else {}
        for name, models in sorted(models_of.items()):
            if rows := shown_rows_of({model: self.of[model, name] for model in models}, self.shown_rows):
                yield name, rows

    @cached_property
    def means(self) -> Means:
        """Means over what was run, and comparisons of models."""
        return Means(self.by_model, self.suite, self.weigh)


def scores_of(runs: Runs, *, suite: Suite | None = None, weigh: str = BY_TASK, shown_rows: int = 0) -> Scores:
    """Reads the rows of runs in which each task of a model counts once; raises `ResultsError` if there is no task."""
    if not runs.tasks:
        raise ResultsError("the results have no task")
    notes, tasks = list(runs.notes), []
    of: dict[Key, TaskRun] = {}
    for task in tqdm(runs.tasks, desc="samples", unit="task", leave=False, delay=1):
        key = (runs.labels[task.run.model], task.name)
        of[key] = task
        known = [*task.notes, *(f"{key[0]}, {task.name}: {note}" for note in catalogue_notes(task))]
        _ = task.logged  # reading the rows adds notes
        notes += dict.fromkeys([*known, *task.notes])
        tasks.append(_task_row(key, task))
    of_runs = [
        {"model": runs.labels[run.model], "model_name": run.model, "date": date_of(run), "batch_size": run.batch_size}
        | {**asdict(run.settings), "results": visible(str(run.place))}
        for run in runs.runs
    ]
    return Scores(
        runs=pd.DataFrame(of_runs),
        tasks=pd.DataFrame(tasks),
        notes=list(map(visible, notes)),
        suite=read_suite({name for _, name in of}) if suite is None else suite,
        weigh=weigh,
        of=of,
        shown_rows=shown_rows,
        beside={label: [task for task in runs.beside if task.run.model == model] for model, label in runs.labels.items()},
    )


def date_of(run: Run) -> str:
    """The time of a run, to the second."""
    return run.date.isoformat(sep=" ", timespec="seconds")


def _task_row(key: Key, task: TaskRun) -> dict[str, Any]:
    facts = task.facts
    return {
        **dict(zip(("model", "task"), key, strict=True)),
        "of_pack": facts.of_pack,
        "headline": facts.headline_metric or None,
        "dataset": facts.data_set,
        "language": facts.language,
        "task_kind": facts.task,
        **{name: getattr(facts, name) for name in _OF_FACTS},
        "item_metric": facts.metric_of_rows,
        "rows": task.evaluated,
        "rows_total": task.expected,
        "limited": task.limited,
        "num_fewshot": task.num_fewshot,
        "version": task.version,
        "samples": visible(str(task.samples)) if task.samples is not None else None,
        "date": date_of(task.run),
    }
