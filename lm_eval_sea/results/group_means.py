"""The means of groups that lm-eval gives, with the interval that the report gives means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lm_eval_sea.results.bootstrap import spread_of
from lm_eval_sea.results.row_statistics import scale_of
from lm_eval_sea.results.run_files import Run, plain_name
from lm_eval_sea.results.score_draws import mean_draws

_AGREE = 1e-6
_NOT_LOGGED = "the rows of its tasks were not logged (--log_samples), or do not tell their scores"
_OTHER_MEAN = "it is not the plain mean of the scores above"


class GroupMean(NamedTuple):
    """The mean of a group, in per cent."""

    name: str
    metric: str
    mean: float
    low: float | None  # 95 % interval; None: there is none, or it has no width
    high: float | None
    obstacle: str | None  # why there is none


def tasks_of_group(run: Run, group: str) -> list[str]:
    """The tasks of a group and of the groups within it, each once."""
    names = dict.fromkeys([plain_name(group)])
    todo = list(names)
    while todo:
        inner = [name for name in run.subtasks.get(todo.pop(), ()) if name not in names]
        names |= dict.fromkeys(inner)
        todo += inner
    return [name for name in names if not run.subtasks.get(name)]


def group_means(run: Run, headlines: Mapping[str, str], draws: Mapping[str, np.ndarray | None]) -> list[GroupMean]:
    """The groups whose mean of a headline metric lm-eval gives.

    Args:
        run: with its groups.
        headlines: task of the pack → its headline metric.
        draws: task → `score_draws.score_draws`.
    """
    found = []
    for name, metrics in run.groups.items():
        metric = next((metric for metric in dict.fromkeys(headlines.values()) if metric in metrics), None)
        if metric is None or not 0 <= (mean := metrics[metric].value / scale_of(metric)) <= 1:
            continue
        tasks = [task for task in tasks_of_group(run, name) if task not in run.tasks or metric in run.tasks[task].metrics]
        drawn = mean_draws(draws.get(task) for task in tasks)
        low = high = obstacle = None
        if not _is_plain_mean(mean, metric, tasks, run, headlines):
            obstacle = _OTHER_MEAN
        elif drawn is None:
            obstacle = _NOT_LOGGED
        else:
            _, low, high = spread_of(100 * drawn)
        found.append(GroupMean(name, metric, 100 * mean, low, high, obstacle))
    return found


def _is_plain_mean(mean: float, metric: str, tasks: list[str], run: Run, headlines: Mapping[str, str]) -> bool:
    """Not so where tasks weigh by their rows, have another headline, or count from another run and are shown there."""
    if not tasks or any(task not in run.tasks or headlines.get(task) != metric for task in tasks):
        return False
    values = [run.tasks[task].metrics[metric].value / scale_of(metric) for task in tasks]
    return abs(sum(values) / len(values) - mean) < _AGREE
