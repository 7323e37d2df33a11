"""The headline score of every model and task: numbers, table and figure."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lm_eval_sea.report.chart import DOT, GUIDE, Chart, Line, Mark, Panel, keys_of
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.section import MODEL, ROWS, SCORE, TASK, Figure
from lm_eval_sea.report.suite import Suite, task_title
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.score import scale_of

SEA_HELM = "sea_helm"  # the suite on whose scale a score below chance is 0
TASK_NUMBERS = ("score", "stderr", "stderr_plain", "low", "high", "clusters", "chance", "normalised")
_SHARES = 100.0


def percent(metric: str) -> float:
    """What turns a value of a metric into a percentage of the best possible one."""
    return _SHARES / scale_of(metric)


def headline_scores(frames: Frames) -> tuple[pd.DataFrame, list[str]]:
    """One row a model and task of the pack: the headline metric, all numbers in per cent; see `score.task_score`.

    `normalised` is 0 at chance and 100 at best; below chance it is negative, but for the tasks of SEA-HELM, on whose scale it
    is 0. `few` says that there are too few independent rows to say much, `contradicted` that the logged rows make another score.

    Returns:
        The frame, and notes on scores that contradict themselves.
    """
    rows, notes = [], []
    for task in frames.tasks[frames.tasks.of_pack].to_dict("records"):
        key = (task["model"], task["task"])
        score, reported = frames.of[key].score, frames.of[key].scores.get(task["headline"])
        if score is None:
            if reported is not None:
                limit = scale_of(task["headline"])
                notes.append(
                    f"{key[0]}, {key[1]}: {task['headline']} is {reported.value:g}, "
                    f"which is not between 0 and {limit:g}; left out"
                )
            continue
        notes += [f"{key[0]}, {key[1]}: {note}" for note in score.notes]
        numbers = {name: getattr(score, name) for name in TASK_NUMBERS} | {"few": score.few, "contradicted": bool(score.notes)}
        if task["suite"] == SEA_HELM:
            numbers["normalised"] = max(0.0, score.normalised)
        rows.append({**task, "metric": task["headline"], **numbers})
    more = ("metric", *TASK_NUMBERS, "few", "contradicted")
    columns = [*frames.tasks.columns, *(name for name in more if name not in frames.tasks.columns)]
    return pd.DataFrame(rows, columns=columns), notes


def scores_table(headline: pd.DataFrame) -> Table:
    """All scores with their standard errors."""
    return Table(
        "scores",
        "Scores and standard errors",
        "Rows that share a passage or premise are not independent: the clustered standard error counts them together (Miller "
        "2024), the plain one takes every row for itself. Both in percentage points. Where all rows make one score together "
        "(BLEU, chrF++) the error is the bootstrap in the results; where they have none, it is that of draws of the logged rows.",
        headline,
        [
            MODEL,
            TASK,
            Column("metric", "metric"),
            SCORE,
            Column("normalised", "normalised", "percent", hint="chance is 0, perfect is 100"),
            Column("stderr_plain", "error, plain", "error"),
            Column("stderr", "error, clustered", "error"),
            Column("clusters", "clusters", "count"),
            ROWS,
            Column("rows_total", "of", "count"),
        ],
    )


def scores_figure(headline: pd.DataFrame, suite: Suite, models: Sequence[str]) -> Figure | None:
    """Scores of the members of the suite, one line each, with intervals and chance."""
    found = headline[headline.task.isin(suite.members)]
    if found.empty:
        return None
    best = found.loc[found.normalised.idxmax()]
    chart = Chart([Panel("", _lines(found, suite), axis="headline score (%)")], models)
    return Figure.of_chart(
        "overview",
        "Headline scores of the suite with 95 % intervals; the grey bar is chance.",
        chart,
        f"Points with bars, one line per task: scores of {', '.join(chart.legend)} on {found.task.nunique()} tasks, from "
        f"{found.score.min():.0f} to {found.score.max():.0f} per cent. Farthest above chance is {best.model} on {best.task}.",
        found,
    )


def _lines(found: pd.DataFrame, suite: Suite) -> list[Line]:
    lines = []
    for name in (name for name in suite.members if name in set(found.task)):
        rows = found[found.task == name].to_dict("records")
        chance = [Mark(GUIDE, rows[0]["chance"])] if rows[0]["chance"] else []
        marks = [
            Mark(DOT, row["score"], _end(row["low"]), _end(row["high"]), series=row["model"], keys=keys_of(row, "model"))
            for row in rows
        ]
        label = task_title(found[found.task == name].iloc[0], suite)
        lines.append(Line(label, [*chance, *marks], keys_of(rows[0], "language", "dataset", "variant")))
    return lines


def _end(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
