"""A curve over the checkpoints of one training run."""

from __future__ import annotations

import re

import matplotlib.figure
import pandas as pd

from lm_eval_sea.report.figure_style import Theme, new_figure, styles
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import MODEL, Figure
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.comparison import mean_of, nested_weights

_STEP = re.compile(r"(?:step|checkpoint|ckpt|iter)[-_ =]?(\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


def step_of(model: str) -> int | None:
    """The training step that a model's name or label says: the number behind "step" or "checkpoint", else its last number."""
    found = _STEP.findall(model) or _NUMBER.findall(model)
    return int(found[-1][:15]) if found else None


def curve(scores: Scores) -> pd.DataFrame:
    """One row per model whose name says a step, by step: its mean over those members of the suite that all of them were run on.

    Without members of the suite it is the mean over all common tasks, each weighing the same.
    """
    steps = {model: step for model in scores.models if (step := step_of(model)) is not None}
    tasks = {model: scores.by_model.get(model, {}) for model in sorted(steps, key=steps.__getitem__)}
    common = set.intersection(*map(set, tasks.values())) if tasks else set()
    members = common & set(scores.suite.members)
    weights = nested_weights({name: scores.suite.members[name] for name in members} or {name: () for name in common})
    rows = []
    for model, own in tasks.items():
        mean = mean_of({name: own[name] for name in own if name in weights}, weights)
        row = {"mean": mean.value, "low": mean.low, "high": mean.high, "tasks": mean.tasks} if mean else {"tasks": 0}
        rows.append({"model": model, "step": steps[model], **row})
    return pd.DataFrame(rows, columns=["model", "step", "mean", "low", "high", "tasks"])


def table(scores: Scores) -> Table:
    """The curve as a table."""
    return Table(
        "checkpoints",
        "Checkpoints",
        "Means of normalised scores over the tasks that all checkpoints were run on; the step is the number in the model's name.",
        curve(scores),
        [
            MODEL,
            Column("step", "step", "count"),
            Column("mean", "mean [95 %]", "score", low="low", high="high"),
            Column("tasks", "tasks", "count"),
        ],
    )


def figure(scores: Scores) -> Figure | None:
    """The curve with its intervals; one checkpoint makes none."""
    rows = curve(scores).dropna(subset="mean")
    if len(rows) < 2:
        return None
    first, last = rows.iloc[0], rows.iloc[-1]
    return Figure(
        "checkpoints",
        "Mean of normalised scores by training step, with 95 % intervals.",
        lambda theme: _draw(rows, theme),
        f"A line from {first['mean']:.1f} at step {first.step:,} to {last['mean']:.1f} at step {last.step:,}; the highest mean "
        f"is {rows['mean'].max():.1f}, at step {rows.step[rows['mean'].idxmax()]:,}.",
        rows,
    )


def _draw(rows: pd.DataFrame, theme: Theme) -> matplotlib.figure.Figure:
    figure, [axis] = new_figure(theme, 1, 1, 7.5, 3.2)
    [look] = styles(["mean"]).values()
    axis.fill_between(rows.step, rows.low.astype(float), rows.high.astype(float), color=look.colour, alpha=0.2, linewidth=0)
    axis.plot(rows.step, rows["mean"], color=look.colour, marker=look.marker, markersize=4.5)
    axis.axhline(0, color=theme.ink, linestyle=":", linewidth=1)
    axis.set_xlabel("training step", fontsize=8)
    axis.set_ylabel("mean normalised score", fontsize=8)
    return figure
