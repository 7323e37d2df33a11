"""The headline score of every model and task, its uncertainty, and means over tasks and languages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lm_eval_sea.report.frames import Frames
from lm_eval_sea.results.uncertainty import Estimate, estimate, standard_error

# Metrics that are given as 0 to 100; all others are 0 to 1.
OUT_OF_HUNDRED = frozenset({"bleu", "bleu_th", "chrf++", "rougeL"})
NORMAL_QUANTILE = 1.959964

ALL = "all"


def percent(metric: str) -> float:
    """What turns a value of a metric into a percentage of the best possible one."""
    return 1.0 if metric.split(",")[0] in OUT_OF_HUNDRED else 100.0


def rescaled(score: float, chance: float) -> float:
    """A score on SEA-HELM's scale: chance is 0 and perfect is 100; below chance is 0 too.

        100 · max(0, (score − chance) / (100 − chance))

    Args:
        score: in per cent.
        chance: what guessing scores, in per cent; 0 for free answers.
    """
    return 100 * max(0.0, (score - chance) / (100 - chance))


def headline_scores(frames: Frames) -> pd.DataFrame:
    """One row a model and task of the pack: the headline metric, all numbers in per cent.

    `stderr` is the clustered standard error where rows have scores of their own, else the one lm-eval reports (a bootstrap over
    rows); `stderr_plain` takes the rows for independent. The interval is `uncertainty.interval`, with the normal quantile where
    the error is lm-eval's, cut to 0 to 100; there is none where all rows have the same score. A
    score that is not in a results file is the mean over the rows.
    """
    reported = {(row.model, row.task): row for row in frames.metrics[frames.metrics.headline].itertuples()}
    by_task = dict(list(frames.samples.groupby(["model", "task"], sort=False))) if len(frames.samples) else {}
    rows = []
    for task in frames.tasks[frames.tasks.of_pack].to_dict("records"):
        key = (task["model"], task["task"])
        factor, chance = percent(task["headline"]), 100 * float(task["chance"])
        numbers = _from_rows(by_task[key], task["headline"], factor) if key in by_task else None
        numbers = _with_reported(numbers, reported.get(key), factor)
        if numbers is not None:
            numbers |= _interval(numbers)
            rows.append(
                {**task, "metric": task["headline"], **numbers, "chance": chance, "rescaled": rescaled(numbers["score"], chance)}
            )
    return pd.DataFrame(rows, columns=[*frames.tasks.columns, *(name for name in _NUMBERS if name not in frames.tasks.columns)])


_NUMBERS = ("metric", "score", "stderr", "stderr_plain", "low", "high", "clusters", "chance", "rescaled")


def _from_rows(samples: pd.DataFrame, headline: str, factor: float) -> dict[str, Any] | None:
    column = samples.get(f"score_{headline}")
    if column is None or column.isna().any():  # a metric that is made of all rows
        return None
    scores = [factor * score for score in column]
    result: Estimate = estimate(scores, list(samples.cluster))
    return {
        "score": result.mean,
        "stderr": result.stderr,
        "stderr_plain": standard_error(scores),
        "low": result.low,
        "high": result.high,
        "clusters": result.clusters,
    }


def _interval(numbers: dict[str, Any]) -> dict[str, float | None]:
    if not numbers["stderr"]:
        return {"low": None, "high": None}
    return {"low": max(0.0, numbers["low"]), "high": min(100.0, numbers["high"])}


def _with_reported(numbers: dict[str, Any] | None, reported: Any, factor: float) -> dict[str, Any] | None:
    if reported is None:
        return numbers
    value = factor * reported.value
    if numbers is not None:
        # samples that are cut short say less than the results
        return numbers if math.isclose(value, numbers["score"], abs_tol=1e-6) else _reported_only(value, reported, factor)
    return _reported_only(value, reported, factor)


def _reported_only(value: float, reported: Any, factor: float) -> dict[str, Any]:
    stderr = None if pd.isna(reported.stderr) else factor * reported.stderr
    half = None if stderr is None else NORMAL_QUANTILE * stderr
    return {
        "score": value,
        "stderr": stderr,
        "stderr_plain": stderr,
        "low": None if half is None else value - half,
        "high": None if half is None else value + half,
        "clusters": None,
    }


@dataclass(frozen=True)
class Mean:
    """A mean of rescaled scores, and over how many of the expected ones it goes."""

    value: float | None
    found: int
    expected: int
    limited: bool = False  # whether a score in it is not of all rows


def mean_of(values: Sequence[float | None]) -> Mean:
    """The mean of those values that there are."""
    present = [value for value in values if value is not None]
    return Mean(math.fsum(present) / len(present) if present else None, len(present), len(values))


def suite_means(scores: pd.DataFrame, suite: Mapping[str, tuple[str, str]], models: Sequence[str]) -> dict[str, dict[str, Mean]]:
    """Means of rescaled scores over a suite, for each model: by task, by language, and over all.

    The score of a task in a language is the mean of its members (the two directions of translation); a task's mean goes over its
    languages, a language's over its tasks, and that over all over the tasks' means, so that every task weighs the same.

    Args:
        scores: `headline_scores`.
        suite: name of each member → task and language.
        models: the rows.

    Returns:
        model → {"task:<task>", "language:<language>", "all"} → mean. `found` and `expected` count members.
    """
    values = {(row.model, row.task): row.rescaled for row in scores.itertuples()}
    limited = {(row.model, row.task) for row in scores.itertuples() if row.limited}
    return {
        model: _means_of_model(
            {name: values.get((model, name)) for name in suite}, suite, {name for name in suite if (model, name) in limited}
        )
        for model in models
    }


def _means_of_model(
    values: Mapping[str, float | None], suite: Mapping[str, tuple[str, str]], limited: set[str]
) -> dict[str, Mean]:
    def counted(names: Sequence[str], value: float | None) -> Mean:
        return Mean(value, sum(values[name] is not None for name in names), len(names), bool(limited & set(names)))

    cells = {cell: mean_of([values[name] for name in suite if suite[name] == cell]).value for cell in suite.values()}
    means = {}
    for position, kind in ((0, "task"), (1, "language")):
        for label in dict.fromkeys(cell[position] for cell in cells):
            names = [name for name in suite if suite[name][position] == label]
            value = mean_of([score for cell, score in cells.items() if cell[position] == label]).value
            means[f"{kind}:{label}"] = counted(names, value)
    by_task = [mean.value for key, mean in means.items() if key.startswith("task:")]
    return {**means, ALL: counted(list(suite), mean_of(by_task).value)}
