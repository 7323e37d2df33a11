"""How large a difference between two models must be for the planned rows to show it. Pure functions, no I/O."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.05  # the chance of any false claim
MAIN_SHARE = 0.8  # of `LEVEL`, for the means over all tasks
POWER = 0.8
CORRELATION = 0.3  # of two models' answers to the same rows
OF_TEXT = 0.1  # correlation of two models' differences on one text in two languages
SHARE = 0.5  # of right answers, where they vary most
_ROWS_A_LABEL = 10
MOST = 100  # points by which two scores can differ
_VARIANCE = 2 * SHARE * (1 - SHARE) * (1 - CORRELATION)  # of the difference on a row


def p_text(p_value: float) -> str:
    """A p-value with three decimals, or five if three would hide on which side of the level it is."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.{5 if round(p_value, 3) == LEVEL else 3}f}"


def seen_on_task(rows: int, tests: int = 1) -> float:
    """The difference in percentage points that a paired test of right or wrong answers detects with a power of 80 %.

        100 · (z(1 − α / 2) + z(0.8)) · √(2 p (1 − p) (1 − r) / n)

    with p = 0.5 and r = 0.3, for n independent rows. The level α is that of a report: 0.04 for a single task, which is then the
    mean over all tasks; 0.01 / m for one of m tasks (Bonferroni), if the means over all tasks do not tell the models apart.
    """
    share = MAIN_SHARE if tests == 1 else (1 - MAIN_SHARE) / tests
    return _points(_VARIANCE / rows, share * LEVEL)


class Planned(NamedTuple):
    """The planned run of a task."""

    rows: int
    chance: float = 0.0  # what guessing scores, 0 to 1
    labels: int = 1  # number of labels, if labels weigh the same; else 1
    # Texts, language and name. Tasks of one name are wordings of one task, have other exemplars, or are the parts of a group.
    # Empty: it shares no text with others.
    asks: tuple[str, str, str] | tuple[()] = ()


def seen_on_mean(tasks: Collection[Planned]) -> float:
    """`seen_on_task` for the mean of normalised scores, in points; wordings or parts of a task share its weight by rows.

    The differences on tasks with the same texts in one language are assumed to correlate perfectly, so their standard errors
    are added; between languages the correlation is `OF_TEXT`. All else is assumed independent.
    """
    asks = [task.asks or (str(number), "", str(number)) for number, task in enumerate(tasks)]
    rows: dict[str, int] = defaultdict(int)  # of all wordings or parts of a task
    for (_, _, name), task in zip(asks, tasks, strict=True):
        rows[name] += task.rows
    errors: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))  # texts → language → error
    for (texts, language, name), task in zip(asks, tasks, strict=True):
        weight = task.rows / rows[name] / len(rows)
        errors[texts][language] += weight * math.sqrt(_VARIANCE / task.rows) / (1 - task.chance)
    of_texts = [list(by_language.values()) for by_language in errors.values()]
    variance = sum(OF_TEXT * sum(own) ** 2 + (1 - OF_TEXT) * sum(error**2 for error in own) for own in of_texts)
    return _points(variance, MAIN_SHARE * LEVEL)


def limit_to_see(points: float, tasks: Collection[Planned]) -> int:
    """The smallest `--limit` with which the means of two models show a difference of so many points.

    If even all rows do not show it, all. Each label gets at least `_ROWS_A_LABEL` rows on average: if one has fewer than
    `uncertainty.FEWEST`, the mean has no interval.
    """
    most, least = max(task.rows for task in tasks), _ROWS_A_LABEL * max(task.labels for task in tasks)

    def shows(limit: int) -> bool:
        return seen_on_mean([task._replace(rows=min(limit, task.rows)) for task in tasks]) <= points

    return min(most, max(least, 1 + bisect_left(range(1, most), True, key=shows)))


def _points(variance: float, level: float) -> float:
    normal = NormalDist()
    return 100 * (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)) * math.sqrt(variance)


def what_rows_show(tasks: Collection[Planned]) -> str | None:
    """A line on how much two models must differ to be told apart; None without tasks."""
    asked = sorted(tasks, key=lambda task: task.rows)
    if not asked:
        return None
    middle = asked[len(asked) // 2].rows
    said = []
    if (on_one := seen_on_task(middle)) <= MOST:
        said = [f"by {on_one:.1f} points on {middle:,} rows"]
        if len(asked) > 1 and (on_any := seen_on_task(middle, len(asked))) <= MOST:
            said[0] += f" (by {on_any:.1f} on any of {len(asked)} tasks)"
    if len(asked) > 1 and (on_mean := seen_on_mean(asked)) <= MOST:
        said.append(f"by {on_mean:.1f} points of normalised scores in the mean of all tasks,")
    if not said:
        return f"{middle:,} rows are too few to tell two models apart, whatever their scores"
    line = f"two models that differ {', or '.join(said)} would be told apart with a probability of 80 %"
    return f"{line}, if scores are near 50 % and rows do not share passages"
