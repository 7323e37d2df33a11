"""A curve over the checkpoints of one training run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import matplotlib.figure
import pandas as pd

from lm_eval_sea.report.chart import INK, new_figure, styles
from lm_eval_sea.report.means import scopes
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import MODEL, Figure
from lm_eval_sea.report.tables import Column, Table, with_interval
from lm_eval_sea.results.comparison import mean_of, nested_weights
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.strata import Stratum, reported_stratum, weighted
from lm_eval_sea.results.types import Score
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.tasks._shared.metrics.bits_per_byte import BITS

_UNITS = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
# 10k, 1.5M, 2e4 or 2.5e+04; else digits, also in groups of three: 1,000. 1e3f is part of a hash, not a number.
_COUNT = r"(?:(\d+(?:\.\d+)?)([kmbt]|e\+?[01]?\d)(?![a-z0-9])|(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?!\d|e\+?\d))"
_STEP = re.compile(rf"(?:step|checkpoint|ckpt|iter)[-_ =]?{_COUNT}", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<!\d)(?<!\de)(?<!\de\+){_COUNT}", re.IGNORECASE)
_ONE_RUN = "a curve is of one training run, so report each separately"
_DATE = re.compile(r" \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)")  # of a run, in the label of a model with several runs


def steps_of(models: Iterable[str]) -> dict[str, int]:
    """The training steps in names or labels of models: the numbers after "step" or "checkpoint", such as 500, 10k or 1.5M.

    The last number of a name counts only if no name has a step: among checkpoints, it would be the size of another model.
    """
    names = {model: _DATE.sub("", model) for model in models}
    for pattern in (_STEP, _NUMBER):
        if steps := {model: _number(*found[-1]) for model, name in names.items() if (found := pattern.findall(name))}:
            return steps
    return {}


def _number(count: str, unit: str, digits: str) -> int:
    if not unit:
        return int(digits.replace(",", "")[:15])
    return round(float(count[:15]) * (_UNITS.get(unit.lower()) or 10 ** int(unit[1:])))


def curve(scores: Scores) -> pd.DataFrame:
    """One row per model with a step in its name, by step: its mean over the tasks that all of them ran.

    The weights are those of the suite if all these tasks are members of it, else of the page's means. `bits` is the mean of the
    bits per byte of the right answers, over those of these tasks that rank options and have bits for all checkpoints that have
    any; lower is better. `chosen` of the tasks have answers that are chosen, and so a chance level, and `chosen_low` is the lower
    end of their part of the mean: other scores, such as chrF++, are above 0 even for nonsense. `lacks` counts tasks that only
    other checkpoints were run on.
    """
    steps = steps_of(scores.models)
    tasks = {model: scores.by_model.get(model, {}) for model in sorted(steps, key=steps.__getitem__)}
    whole = scopes(tasks, scores.suite, scores.weigh)[0]
    common = set.intersection(set(whole.paths), *map(set, tasks.values()))
    members, is_suite = scores.suite.members, common <= set(scores.suite.members)
    weights = nested_weights({name: members[name] for name in common}) if is_suite else whole.weights(list(common))
    of_means = {model: {name: task for name, task in own.items() if name in weights} for model, own in tasks.items()}
    with_bits = ({name for name, task in own.items() if BITS in task.scores} for own in of_means.values())
    have_bits = set.intersection(*(found or set(weights) for found in with_bits)) if of_means else set()
    rows = []
    for model, own in of_means.items():
        chosen = {name: task for name, task in own.items() if task.facts.chance > 0}
        mean, of_chosen = mean_of(own, weights), mean_of(chosen, weights)
        names = ("low", "high", "tasks", "limited")
        row = {"mean": mean.value} | {name: getattr(mean, name) for name in names} if mean else {"tasks": 0}
        row |= {"chosen": of_chosen.tasks, "chosen_low": of_chosen.low} if of_chosen else {"chosen": 0}
        row["lacks"] = len(set(whole.paths).difference(tasks[model]))
        rows.append({"model": model, "step": steps[model], **row, **_bits([own[name] for name in sorted(have_bits)])})
    means, bits = ["mean", "low", "high", "tasks", "lacks", "chosen", "chosen_low"], ["bits", "bits_low", "bits_high"]
    return pd.DataFrame(rows, columns=["model", "step", *means, *bits, "limited"])


def _bits(tasks: Sequence[TaskRun]) -> dict[str, float | None]:
    """The mean of bits per byte over tasks with its 95 % interval (see `strata.weighted`); empty if no task has them."""
    found = [(task, score) for task in tasks if (score := task.scores.get(BITS)) is not None]
    if not found:
        return {}
    value = math.fsum(score.value for _, score in found) / len(found)
    low, high = weighted((1 / len(found), _reported(task, score)) for task, score in found).interval(value)
    return {"bits": value, "bits_low": low, "bits_high": high}


def _reported(task: TaskRun, score: Score) -> list[Stratum] | None:
    if score.stderr is None:
        return None
    return [replace(reported_stratum(task.name, score.value, score.stderr, task.evaluated or 0), origin=task.origin)]


def parts(scores: Scores) -> list[Table | Figure | None]:
    """The curve as a table and as a figure."""
    rows = curve(scores)
    return [_table(rows, [model for model in scores.models if model not in set(rows.model)]), _figure(rows.dropna(subset="mean"))]


def _beside_chance(rows: pd.DataFrame) -> str:
    """Which checkpoints of a `curve` are above chance."""
    is_above = rows.chosen_low > 0
    where = "" if (rows.chosen == rows.tasks).all() else f" by the tasks whose answers are chosen ({rows.chosen.max()}),"
    lasting, above = rows.step[is_above[::-1].cumprod()[::-1] == 1], rows.step[is_above]
    if len(lasting):
        return f"From step {lasting.min():,} on they are above chance{where} with 95 % certainty each."
    if rows.chosen_low.isna().all():
        lacking = "mean has an interval" if rows.chosen.any() else "task that all were run on has answers that are chosen"
        return f"Whether they are above chance is unknown, because no {lacking}."
    if above.empty:
        return f"No checkpoint is above chance{where} with 95 % certainty."
    steps = some_names([f"step {step:,}" for step in above])
    return f"Above chance{where} with 95 % certainty each are {steps}, but not the last."


def _table(rows: pd.DataFrame, without: Sequence[str]) -> Table:
    note = (
        "Means of normalised scores over the tasks that all checkpoints were run on; the step is the number in the model's name. "
        f"{_beside_chance(rows)} Where scores are at chance, look at bits per byte of the right answer: lower is better."
    )
    if (lacking := rows[rows.lacks > 0]).size:
        note += f" Tasks without results of {some_names(list(lacking.model))} are left out for all."
    if without:
        note += f" Left out, because their names have no step: {some_names(without)}."
    if (alike := rows[rows.step.duplicated(keep=False)]).size:
        note += f" {some_names(list(alike.model))} have the same step: {_ONE_RUN}."
    elif len(others := {_NUMBER.sub("", _DATE.sub("", model)): model for model in rows.model}) > 1:
        note += f" {some_names(list(others.values()))} have names that differ in more than a number: {_ONE_RUN}."
    shown = [
        *(MODEL, Column("step", "step", "count")),
        Column("mean", "mean [95 %]", "score", low="low", high="high", marker="limited"),
        with_interval("bits", "bits per byte [95 %]", "decimals", marker="limited"),
        Column("tasks", "tasks", "count"),
    ]
    return Table("checkpoints", "Checkpoints", note, rows, shown)


def _figure(rows: pd.DataFrame) -> Figure | None:
    """The means with their intervals; one checkpoint makes none."""
    if len(rows) < 2:
        return None
    return Figure(
        "checkpoints",
        "Mean of normalised scores, and of bits per byte of the right answer, by training step, with 95 % intervals.",
        lambda: _draw(rows),
        rows,
    )


def _draw(rows: pd.DataFrame) -> matplotlib.figure.Figure:
    count = 2 if rows.bits.notna().sum() > 1 else 1
    figure, axes = new_figure(count, count, 7.5, 3.2)
    shown = [("mean", "low", "high", "mean normalised score"), ("bits", "bits_low", "bits_high", "bits per byte")]
    for axis, look, (value, low, high, title) in zip(axes, styles(["mean", "bits"]).values(), shown, strict=False):
        axis.fill_between(rows.step, rows[low].astype(float), rows[high].astype(float), color=look.colour, alpha=0.2, linewidth=0)
        axis.plot(rows.step, rows[value], color=look.colour, marker=look.marker, markersize=4.5)
        axis.set_xlabel("training step", fontsize=8)
        axis.set_ylabel(title, fontsize=8)
    axes[0].axhline(0, color=INK, linestyle=":", linewidth=1)
    return figure
