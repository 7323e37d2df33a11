"""The table that people see after a run: one line per task, in per cent of the best possible score."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lm_eval_sea.results.batch_calibration import with_choices
from lm_eval_sea.results.group_means import GroupMean, group_means, tasks_of_group
from lm_eval_sea.results.logged_rows import LoggedRows
from lm_eval_sea.results.model_names import short_names
from lm_eval_sea.results.row_count import row_count_note, rows_expected, unknown_size_note
from lm_eval_sea.results.row_statistics import scale_of
from lm_eval_sea.results.run_files import Run, TaskResult, find_runs, read_samples, run_of
from lm_eval_sea.results.score_draws import score_draws
from lm_eval_sea.results.task_metadata import HEADLINE, data_set_of, metadata_of
from lm_eval_sea.results.task_score import TaskScore, task_score
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS
from lm_eval_sea.results.visible_text import one_line
from lm_eval_sea.some_names import some_names

WIDTH = 100  # columns of a terminal
HEAD = ("task", "rows", "metric", "score", "95 % interval", "chance")
_NAMES_SHOWN = 4
Rows = Iterable[Mapping[str, Any]] | None  # None: none were logged


class Line(NamedTuple):
    """One task of one model."""

    name: str
    rows: int | None
    rows_total: int | None
    metric: str
    score: TaskScore | None
    notes: Sequence[str]
    draws: np.ndarray | None  # the score on each draw of rows; None: not logged, not known, or not asked for

    @property
    def limited(self) -> bool:
        """Whether the score is not of all rows of the data set."""
        return self.rows is not None and self.rows_total is not None and self.rows < self.rows_total


def summary_of_results(results: Mapping[str, Any]) -> str:
    """The table of one run.

    Args:
        results: what `lm_eval.simple_evaluate` returns; its `samples`, where there, give intervals clustered by passage.
    """
    notes: list[str] = []
    run = run_of(results, None, notes)
    samples = results.get("samples")
    logged = samples if isinstance(samples, Mapping) else {}
    lines, others = _lines(run, notes, lambda task: _rows_in_memory(logged.get(task.name)))
    return _text(run, run.model, lines, others, notes)


def summary_of_files(paths: Iterable[Path | str]) -> str:
    """The table of runs on disk, a block per model and run.

    Args:
        paths: as `find_runs` takes them.

    Raises:
        RunFilesError: if there is nothing to read.
    """
    runs, notes = find_runs(paths)
    names = short_names(run.model for run in runs)
    blocks = []
    for run in runs:
        own: list[str] = []
        lines, others = _lines(run, own, partial(rows_of_file, notes=own))
        blocks.append(_text(run, names[run.model], lines, others, own))
    return "\n".join([*blocks, *(_note(note) for note in notes)])


def _rows_in_memory(rows: Any) -> Rows:
    return with_choices(row for row in rows if isinstance(row, Mapping)) if isinstance(rows, list) else None


def rows_of_file(task: TaskResult, notes: list[str]) -> Rows:
    """What the headline metric of a task needs of its logged rows; None where none were logged."""
    if task.samples is None:
        return None
    headline = str(metadata_of(task, notes)[HEADLINE])
    return with_choices(read_samples(task.samples, ["doc_id", "filter", "doc", headline], notes))


def _lines(run: Run, notes: list[str], rows_of: Callable[[TaskResult], Rows]) -> tuple[list[Line], list[str]]:
    """The lines of the pack's tasks, and the names of other tasks."""
    lines, others, known = [], [], {}
    in_groups = {name for group in run.groups for name in tasks_of_group(run, group)}
    for task in run.tasks.values():
        metadata = metadata_of(task, notes)
        if not metadata.get(HEADLINE):
            others.append(task.name)
            continue
        known[task.name] = metadata
        lines.append(_line(task, metadata, rows_of(task), run.model if task.name in in_groups else None))
    notes += filter(None, [unknown_size_note(known)])
    return lines, others


def _line(task: TaskResult, metadata: Mapping[str, Any], rows: Rows, drawn_for: str | None) -> Line:
    """A line, with draws if a model is named for which they are made."""
    metric = str(metadata[HEADLINE])
    reported, notes = task.metrics.get(metric), []
    logged = LoggedRows.of(metadata, rows) if rows is not None else None
    evaluated = task.rows if task.rows is not None else len(logged.keys) if logged else None
    draws = None
    if logged and logged.keys:
        score = logged.score(metadata, reported, evaluated)
        if score is not None and drawn_for is not None:
            draws = score_draws((drawn_for, task.name), data_set_of(metadata), score.score, score.stderr, logged)
        if (found := logged.collapsed()) is not None:
            notes.append(f"{task.name}: {collapsed_text(task.config.get('doc_to_choice'), *found)}")
    else:
        score = task_score(metadata, reported, evaluated=evaluated)
    if score is None and reported is not None:
        notes.append(f"{task.name}: {metric} is {reported.value:g}, which is not between 0 and {scale_of(metric):g}; not shown")
    if score is not None:
        notes += [f"{task.name}: {note}" for note in score.notes]
    total = rows_expected(metadata) or task.rows_total
    limited = evaluated is not None and total is not None and evaluated < total
    if logged and limited and (text := one_label_text(task.config, metadata, logged)) is not None:
        notes.append(f"{task.name}: {text}")
    notes += filter(None, [row_count_note(task, metadata)])
    return Line(task.name, evaluated, total, metric, score, notes, draws)


def collapsed_text(labels: Any, option: int, share: float, right: float) -> str:
    """What is said of an option that is chosen nearly always.

    Args:
        labels: the words of the options, if they are the same for all rows.
        option: its position from 0.
        share: of the rows on which it is chosen, in per cent.
        right: of the rows on which it is right.
    """
    word = f" (“{one_line(str(labels[option]))}”)" if isinstance(labels, list) and option < len(labels) else ""
    return f"{share:.0f} % of the answers are option {option + 1}{word}, which is right on {right:.0f} %"


def one_label_text(config: Mapping[str, Any], metadata: Mapping[str, Any], logged: LoggedRows) -> str | None:
    """What is said of a part of the rows of a task with labels in which one label is always right; None for other rows.

    Args:
        config: of the task.
        metadata: of the task.
        logged: the part of the rows.
    """
    lists = [labels for labels in (config.get("doc_to_choice"), metadata.get("labels")) if isinstance(labels, list)]
    gold = logged.one_gold()
    if not lists or gold is None or gold >= len(lists[0]):
        return None
    label = one_line(str(lists[0][gold]))
    return f"“{label}” is right in all {len(logged.golds)} rows, so that the score says nothing of other labels; take more rows"


def _text(run: Run, model: str, lines: Sequence[Line], others: Sequence[str], notes: Sequence[str]) -> str:
    parts = [_title(run, model)]
    groups = group_means(run, {line.name: line.metric for line in lines}, {line.name: line.draws for line in lines})
    if lines:
        table = [HEAD, *(_cells(line) for line in lines)]
        means = [_cells_of_group(group) for group in groups]
        widths = [max(len(row[place]) for row in table + means) for place in range(len(HEAD))]
        widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 2 * (len(HEAD) - 1))
        parts += [_aligned(row, widths) for row in table]
        if means:
            parts += ["", "groups (means of their tasks, as lm-eval takes them)", *(_aligned(row, widths) for row in means)]
    if others:
        some = ", ".join(map(one_line, others[:_NAMES_SHOWN])) + (", …" if len(others) > _NAMES_SHOWN else "")
        parts.append(f"{len(others)} tasks that are not of this pack: {some}")
    said = [*(note for line in lines for note in line.notes), *_common_notes(lines, groups), *notes]
    return "\n".join(parts + [_note(note) for note in dict.fromkeys(said)]) + "\n"


def _title(run: Run, model: str) -> str:
    limit = run.config.get("limit")
    limited = f"; limited: --limit {limit:g}" if isinstance(limit, int | float) and not isinstance(limit, bool) else ""
    return f"{one_line(model)}, {run.date.isoformat(sep=' ', timespec='minutes')}{limited}; scores in per cent"


def _cells(line: Line) -> tuple[str, ...]:
    rows = "–" if line.rows is None else f"{line.rows:,}" + (f" of {line.rows_total:,}" if line.limited else "")
    name = one_line(line.name)
    if line.score is None:
        return (name, rows, one_line(line.metric), "–", "–", "–")
    found = line.score
    return (name, rows, one_line(line.metric), f"{found.score:.1f}", _interval(found.low, found.high), f"{found.chance:.1f}")


def _cells_of_group(group: GroupMean) -> tuple[str, ...]:
    return (one_line(group.name), "", one_line(group.metric), f"{group.mean:.1f}", _interval(group.low, group.high), "")


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{low:.1f}, {high:.1f}]"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    name = cells[0] if len(cells[0]) <= widths[0] else cells[0][: widths[0] - 1] + "…"
    left = {0, HEAD.index("metric")}
    shown = [name, *cells[1:]]
    return "  ".join(
        cell.ljust(width) if place in left else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(shown, widths, strict=True))
    ).rstrip()


def _common_notes(lines: Sequence[Line], groups: Sequence[GroupMean]) -> list[str]:
    limited = [line for line in lines if line.limited]
    notes = []
    if limited:
        notes.append(f"{len(limited)} of {len(lines)} scores are of a part of the rows only")
    few = [line for line in lines if line.score is not None and line.score.few]
    if few:
        notes.append(
            f"{len(few)} of {len(lines)} scores are of fewer than {FEWEST_CLUSTERS} independent rows or passages, and say little"
        )
    for obstacle in dict.fromkeys(group.obstacle for group in groups if group.obstacle):
        names = [one_line(group.name) for group in groups if group.obstacle == obstacle]
        notes.append(f"no interval for the mean of {some_names(names)}: {obstacle}")
    return notes


def _note(text: str) -> str:
    return textwrap.fill(f"note: {one_line(text)}", WIDTH, subsequent_indent="  ")
