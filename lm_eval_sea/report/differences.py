"""Whether one model is better than another: paired differences on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from lm_eval_sea.report.means import corrected
from lm_eval_sea.report.sample_row import Key
from lm_eval_sea.report.section import TASK
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.rows import Rows
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.score import RowStatistics, scale_of
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS, Test, cluster_weights, normal_test, paired_difference, spread_of

COLUMNS = ["task", "first", "second", "metric", "test", "difference", "stderr", "low", "high", "p_value", "rows", "clusters"]
BY_ROWS, BY_DRAWS = "t test", "bootstrap"


def differences_table(tasks: pd.DataFrame, samples: pd.DataFrame, of: Mapping[Key, TaskRun]) -> pd.DataFrame:
    """One row a task and pair of models: first − second in percentage points on the rows that both were asked.

    Rows are the same where number and id are, in whatever order. Where every row has a score, the test is that of
    `uncertainty.paired_difference`, clustered; where all rows make the score together (BLEU, chrF++, balanced accuracy), rows are
    drawn by cluster, the same for both models. Where neither is possible the metric of single rows counts (`item_metric`).
    `p_holm` is corrected over all rows of this table that can be tested. Of fewer than `uncertainty.FEWEST_CLUSTERS` clusters
    there is the difference alone, and `few` is true.
    """
    settings = {(task["model"], task["task"]): task for task in tasks.to_dict("records")}
    by_task: dict[str, list[str]] = {}
    rows_of = {key: task.logged for key, task in of.items() if task.logged is not None}
    for model, task in rows_of:
        by_task.setdefault(task, []).append(model)
    items = _item_scores(samples)
    rows = []
    for task, models in by_task.items():
        for first, second in combinations(sorted(models), 2):
            own, one, other = settings[first, task], rows_of[first, task], rows_of[second, task]
            found = _difference(one, other, own["dataset"])
            if found is None:
                scores = items.get((first, task), {}), items.get((second, task), {})
                found = _item_difference(scores[0], scores[1], one, own["item_metric"])
            if found is not None:
                rows.append({"task": task, "first": first, "second": second, **found})
    table = pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(["stderr", "low", "high", "p_value"], "float64"))
    return table.assign(p_holm=corrected(table.p_value), few=table.clusters < FEWEST_CLUSTERS)


def _difference(first: Rows, second: Rows, pool: str) -> dict[str, Any] | None:
    if first.metric != second.metric:
        return None
    place_of = [{key: place for place, key in enumerate(rows.keys)} for rows in (first, second)]
    common = [key for key in place_of[0] if key in place_of[1]]
    if not common:
        return None
    chosen = [[place[key] for key in common] for place in place_of]
    clusters = [first.clusters[place] for place in chosen[0]]
    if first.scores is not None and second.scores is not None:
        scores = [[own[place] for place in places] for own, places in zip((first.scores, second.scores), chosen, strict=True)]
        return _tested(first.metric, scores[0], scores[1], clusters)
    if first.statistics is None or second.statistics is None:
        return None
    statistics = (first.statistics, second.statistics)
    parts = [RowStatistics(own.values[places], own.score) for own, places in zip(statistics, chosen, strict=True)]
    if parts[0].values.shape != parts[1].values.shape:
        return None
    weights = cluster_weights(pool, clusters)
    difference = parts[0].of_all_rows - parts[1].of_all_rows
    spread = spread_of(parts[0].of_draws(weights) - parts[1].of_draws(weights))
    test = normal_test(difference, spread.stderr) if len(set(clusters)) >= FEWEST_CLUSTERS else Test(None, None, None)
    return {
        "metric": first.metric,
        "test": BY_DRAWS,
        "difference": 100 * difference,
        "stderr": _percent(spread.stderr),
        "low": None if test.low is None else 100 * max(-1.0, test.low),
        "high": None if test.high is None else 100 * min(1.0, test.high),
        "p_value": test.p_value,
        "rows": len(common),
        "clusters": len(set(clusters)),
    }


def _item_scores(samples: pd.DataFrame) -> dict[tuple[str, str], dict[tuple[str, str], float]]:
    """(model, task) → row → its score by the metric of single rows, in the metric's own unit."""
    found: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    scored = samples[samples.score.notna()]
    for row in scored[["model", "task", "doc_id", "id", "score"]].itertuples(index=False):
        found.setdefault((row.model, row.task), {})[str(row.doc_id), str(row.id)] = row.score
    return found


def _item_difference(
    first: dict[tuple[str, str], float], second: dict[tuple[str, str], float], logged: Rows, metric: str
) -> dict[str, Any] | None:
    clusters = dict(zip(logged.keys, logged.clusters, strict=True))
    common = [key for key in first if key in second and key in clusters]
    scale = scale_of(metric)
    scores = [[own[key] / scale for key in common] for own in (first, second)]
    if not common or not all(0 <= score <= 1 for own in scores for score in own):
        return None
    return _tested(metric, scores[0], scores[1], [clusters[key] for key in common])


def _tested(metric: str, first: Sequence[float], second: Sequence[float], clusters: Sequence[str]) -> dict[str, Any]:
    result = paired_difference(first, second, clusters)
    return {
        "metric": metric,
        "test": BY_ROWS,
        "difference": 100 * result.mean,
        "stderr": _percent(result.stderr),
        "low": _percent(result.low),
        "high": _percent(result.high),
        "p_value": result.p_value,
        "rows": result.rows,
        "clusters": result.clusters,
    }


def _percent(share: float | None) -> float | None:
    return None if share is None or np.isnan(share) else 100 * share


def differences_section_table(table: pd.DataFrame, tasks: pd.DataFrame) -> Table:
    """`differences_table` with the settings by which the page filters."""
    settings = tasks.groupby("task", sort=False).agg(
        {"dataset": "first", "language": "first", "variant": "first", "limited": "any"}
    )
    return Table(
        "differences",
        "Differences between models",
        "First minus second, in percentage points, on the rows that both were asked. “few” stands where fewer than "
        f"{FEWEST_CLUSTERS} independent rows or passages allow no interval.",
        table.merge(settings.reset_index(), on="task", how="left"),
        [
            TASK,
            Column("first", "first"),
            Column("second", "second"),
            Column("metric", "metric"),
            Column("difference", "difference [95 %]", "points", low="low", high="high", marker="limited", few="few"),
            Column("test", "test"),
            Column("p_value", "p", "p"),
            Column("p_holm", "p, corrected", "p"),
            Column("rows", "rows", "count"),
        ],
    )
