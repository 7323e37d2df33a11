"""Which difference of two models planned rows can show. Pure functions, no I/O."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from statistics import NormalDist

LEVEL = 0.05  # the chance of any false claim
POWER = 0.8
CORRELATION = 0.3  # of two models' answers to the same rows
SHARE = 0.5  # of right answers, where they vary most
_VARIANCE = 2 * SHARE * (1 - SHARE) * (1 - CORRELATION)  # of the difference on a row


def seen_on_task(rows: int, tests: int = 1) -> float:
    """The difference in percentage points that a paired test of right and wrong answers finds with a probability of 80 %.

        100 · (z(1 − α / 2m) + z(0.8)) · √(2 p (1 − p) (1 − r) / n)

    with α = 0.05, p = 0.5 and r = 0.3, for n independent rows.

    Args:
        rows: n.
        tests: m, for how many of them together the error rate holds (Bonferroni).
    """
    return _points(_VARIANCE / rows, tests)


def seen_on_mean(rows: Collection[int]) -> float:
    """The same for the mean of independent tasks.

    Args:
        rows: of each task.
    """
    return _points(sum(_VARIANCE / count for count in rows) / len(rows) ** 2, 1)


def _points(variance: float, tests: int) -> float:
    normal = NormalDist()
    return 100 * (normal.inv_cdf(1 - LEVEL / (2 * tests)) + normal.inv_cdf(POWER)) * math.sqrt(variance)


def what_rows_show(rows: Mapping[str, int]) -> str | None:
    """A line on what two models must differ by to be told apart; None without rows.

    Args:
        rows: task → number of rows.
    """
    counts = sorted(count for count in rows.values() if count)
    if not counts:
        return None
    middle = counts[len(counts) // 2]
    line = f"two models would be told apart that differ by {seen_on_task(middle):.1f} points on {middle:,} rows"
    if len(counts) > 1:
        line += (
            f" (by {seen_on_task(middle, len(counts)):.1f} on any of {len(counts)} tasks), or by {seen_on_mean(counts):.1f} on"
        )
        line += " the mean of all tasks"
    return f"{line}: with a probability of 80 %, where scores are near 50 % and rows do not share passages"
