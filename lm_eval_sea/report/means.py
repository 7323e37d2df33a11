"""Means of normalised scores over a suite: numbers and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

import numpy as np
import pandas as pd

from lm_eval_sea.report.section import MODEL
from lm_eval_sea.report.tables import ONLY, Column, Table
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS, holm, normal_test, spread_of

ALL = "all"
Value = TypeVar("Value", float, np.ndarray)  # a score, or one on each draw of rows


@dataclass(frozen=True)
class Mean:
    """A mean of normalised scores, and over how many of the expected ones it goes."""

    value: float | None
    found: int
    expected: int
    limited: bool = False  # whether a score in it is not of all rows
    draws: np.ndarray | None = field(default=None, repr=False)  # the mean on each draw of rows; None: a member has none

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The 95 % interval."""
        return (None, None) if self.draws is None else spread_of(self.draws)[1:]


def suite_means(
    scores: pd.DataFrame,
    suite: Mapping[str, tuple[str, str]],
    models: Sequence[str],
    draws: Mapping[tuple[str, str], np.ndarray] | None = None,
) -> dict[str, dict[str, Mean]]:
    """Means of normalised scores over a suite, for each model: by task, by language, and over all.

    The score of a task in a language is the mean of its members (the two directions of translation); a task's mean goes over its
    languages, a language's over its tasks, and that over all over the tasks' means, so that every task weighs the same.

    Args:
        scores: `scores.headline_scores`.
        suite: name of each member → task and language.
        models: the rows.
        draws: (model, member) → its normalised score on each draw of rows.

    Returns:
        model → {"task:<task>", "language:<language>", "all"} → mean. `found` and `expected` count members.
    """
    # Columns, not `itertuples`, which makes all columns of a frame anew for each of the page's filters.
    keys = list(zip(scores.model, scores.task, strict=True))
    values = dict(zip(keys, scores.normalised, strict=True))
    limited = {key for key, is_limited in zip(keys, scores.limited, strict=True) if is_limited}
    means: dict[str, dict[str, Mean]] = {}
    for model in models:
        found = {name: values[model, name] for name in suite if (model, name) in values}
        drawn = {name: (draws or {}).get((model, name)) for name in found}
        known = {name: array for name, array in drawn.items() if array is not None}
        of_model = _all_means(found, suite)
        of_draws = _all_means(known, suite)
        names = _members(suite)
        means[model] = {
            key: Mean(
                value=of_model.get(key),
                found=sum(name in found for name in members),
                expected=len(members),
                limited=any((model, name) in limited for name in members),
                draws=of_draws.get(key) if all(name in known for name in members if name in found) else None,
            )
            for key, members in names.items()
        }
    return means


def _members(suite: Mapping[str, tuple[str, str]]) -> dict[str, list[str]]:
    """Which members each mean goes over."""
    names: dict[str, list[str]] = {}
    for position, kind in ((0, "task"), (1, "language")):
        for label in dict.fromkeys(place[position] for place in suite.values()):
            names[f"{kind}:{label}"] = [name for name in suite if suite[name][position] == label]
    return {**names, ALL: list(suite)}


def _all_means(values: Mapping[str, Value], suite: Mapping[str, tuple[str, str]]) -> dict[str, Value]:
    """The means of those values that there are."""
    cells: dict[tuple[str, str], list[Value]] = {}
    for name, value in values.items():
        cells.setdefault(suite[name], []).append(value)
    of_cells = {cell: _mean(found) for cell, found in cells.items()}
    means = {}
    for position, kind in ((0, "task"), (1, "language")):
        for label in dict.fromkeys(cell[position] for cell in of_cells):
            means[f"{kind}:{label}"] = _mean([value for cell, value in of_cells.items() if cell[position] == label])
    by_task = [mean for key, mean in means.items() if key.startswith("task:")]
    return {**means, ALL: _mean(by_task)} if by_task else means


def _mean(values: Sequence[Value]) -> Value:
    return sum(values[1:], values[0]) / len(values)


def common_means(
    scores: pd.DataFrame, suite: Mapping[str, tuple[str, str]], draws: Mapping[tuple[str, str], np.ndarray]
) -> pd.DataFrame:
    """One row per pair of models: their means over the members that both were run on, and the paired difference.

    A member counts where both were asked as many rows. `stderr` of the difference comes from draws of rows by cluster, the same
    for both models where the rows were logged; reported errors are taken for independent. `low`, `high` and `p_value` are those
    of `bootstrap.normal_test`. Where a member has fewer than `uncertainty.FEWEST_CLUSTERS` independent rows there is the
    difference alone, and `few` is true. `p_holm` is corrected over the pairs.
    """
    columns_read = zip(scores.model, scores.task, scores.normalised, scores.rows, scores.few, strict=True)
    values = {(model, task): numbers for model, task, *numbers in columns_read if task in suite}
    rows = []
    for first, second in combinations(sorted({model for model, _ in values}), 2):
        names = [name for name in suite if {(first, name), (second, name)} <= values.keys()]
        names = [name for name in names if values[first, name][1] == values[second, name][1]]
        if not names:
            continue
        pair = [_all_means({name: values[model, name][0] for name in names}, suite)[ALL] for model in (first, second)]
        row: dict[str, object] = {"first": first, "second": second, "tasks": len(names), "of": len(suite)}
        row |= {"mean_first": pair[0], "mean_second": pair[1], "difference": pair[0] - pair[1]}
        row["few"] = any(values[model, name][2] for model in (first, second) for name in names)
        if not row["few"] and all((model, name) in draws for model in (first, second) for name in names):
            drawn = [_all_means({name: draws[model, name] for name in names}, suite)[ALL] for model in (first, second)]
            spread = spread_of(np.asarray(drawn[0]) - np.asarray(drawn[1]))
            row |= {"stderr": spread.stderr, **normal_test(pair[0] - pair[1], spread.stderr)._asdict()}
        rows.append(row)
    tested = ["stderr", "low", "high", "p_value"]
    columns = ["first", "second", "tasks", "of", "mean_first", "mean_second", "difference", *tested, "few"]
    table = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(tested, "float64"))
    return table.assign(p_holm=corrected(table.p_value))


def corrected(p_values: pd.Series) -> pd.Series:
    """Holm's correction over those p-values that there are."""
    known = p_values.dropna()
    return pd.Series(holm([float(value) for value in known]), index=known.index, dtype="float64").reindex(p_values.index)


def means_table(
    parts: Sequence[tuple[Mapping[str, str], Mapping[str, Mapping[str, Mean]]]], kind: str, titles: Mapping[str, str]
) -> Table:
    """Means of each model.

    Args:
        parts: filter and value → `suite_means` of what it leaves; the first is the whole suite.
        kind: "task" or "language".
        titles: of the tasks or languages.
    """
    rows, columns = [], {}
    for keys, of_part in parts:
        for model, found in of_part.items():
            if keys and not found[ALL].found:
                continue
            row: dict[str, object] = {"model": model, **keys, ONLY: "".join(keys)}
            for key, mean in found.items():
                if not key.startswith(f"{kind}:") and key != ALL:
                    continue
                name = key.partition(":")[2]
                title = titles.get(name, name) if name else "all"
                low, high = mean.interval
                row |= {title: mean.value, f"{title}: low": low, f"{title}: high": high, f"{title}: limited": mean.limited}
                row[f"{title}: members"] = f"{mean.found} of {mean.expected}"
                columns[title] = Column(
                    title,
                    title,
                    "mean",
                    low=f"{title}: low",
                    high=f"{title}: high",
                    members=f"{title}: members",
                    marker=f"{title}: limited",
                    shows=("language", title) if kind == "language" and name else None,
                )
            rows.append(row)
    columns = {"all": columns["all"], **columns}  # what is read first is not to be cut off on the right
    frame = pd.DataFrame(rows)
    if not any(mean.found for found in parts[0][1].values() for mean in found.values()):
        frame = frame[:0]
    note = (
        "Normalised scores: chance is 0, perfect is 100, below chance is negative. With 95 % intervals: rows are drawn anew by "
        "passage. A mean in brackets is incomplete, such as one over 3 of 9 members: it is not comparable with any other. "
        "A filter above leaves the means of what it chooses; there are none for two at once."
    )
    if kind == "language":
        note = "The same scores by language; “all” is that of the table above."
    return Table(f"means_by_{kind}", f"Means by {kind}", note, frame, [MODEL, *columns.values()])


def common_table(table: pd.DataFrame) -> Table:
    """`common_means` as a table."""
    return Table(
        "common_means",
        "Two models on their common tasks",
        "Means of normalised scores over the tasks of the suite that both models were run on, with equally many rows. The "
        "difference is tested on the same draws of rows for both; where rows were not logged, the reported errors are taken for "
        "independent of each other. p-values are corrected for the number of pairs (Holm). “few” stands where a task has fewer "
        f"than {FEWEST_CLUSTERS} independent rows or passages, which allow no interval. A filter above leaves the means of what "
        "it chooses.",
        table,
        [
            Column("first", "first"),
            Column("second", "second"),
            Column("tasks", "common tasks", "count"),
            Column("mean_first", "mean of first", "percent"),
            Column("mean_second", "mean of second", "percent"),
            Column("difference", "difference [95 %]", "points", low="low", high="high", few="few"),
            Column("p_holm", "p, corrected", "p"),
        ],
    )
