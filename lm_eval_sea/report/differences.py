"""Whether one model is better than another: paired differences on the same rows."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.scores import percent
from lm_eval_sea.results.uncertainty import holm, paired_difference

COLUMNS = ["task", "first", "second", "metric", "difference", "stderr", "low", "high", "p_value", "p_holm", "rows", "clusters"]


def differences_table(frames: Frames) -> pd.DataFrame:
    """One row a task and pair of models: first − second in percentage points on the rows that both were asked.

    Rows are the same where number and id are. `p_value` is that of `uncertainty.paired_difference`, clustered; `p_holm` is
    corrected over all rows of this table that can be tested. Where the headline is made of all rows at once, the metric of
    single rows counts (`item_metric`); tasks without one (BLEU, chrF++) are not here.
    """
    scored = frames.samples[frames.samples.score.notna()]
    named = {task["task"]: (task["headline"], task["item_metric"]) for task in frames.tasks.to_dict("records")}
    rows = []
    for task, group in scored.groupby("task", sort=False):
        by_model = dict(list(group.groupby("model", sort=False)))
        headline, item_metric = named[task]
        metric = headline if f"score_{headline}" in group and group[f"score_{headline}"].notna().all() else item_metric
        factor = percent(metric)
        for first, second in combinations(sorted(by_model), 2):
            both = by_model[first].merge(by_model[second], on=["doc_id", "id"], suffixes=("_first", "_second"))
            if both.empty:
                continue
            result = paired_difference(
                [factor * score for score in both.score_first],
                [factor * score for score in both.score_second],
                list(both.cluster_first),
            )
            rows.append(
                {
                    "task": task,
                    "first": first,
                    "second": second,
                    "metric": metric,
                    "difference": result.mean,
                    "stderr": result.stderr,
                    "low": result.low if result.stderr else None,  # rows that are all alike say nothing of the others
                    "high": result.high if result.stderr else None,
                    "p_value": result.p_value,
                    "rows": result.rows,
                    "clusters": result.clusters,
                }
            )
    table = pd.DataFrame(rows, columns=COLUMNS)
    tested = [position for position, p_value in enumerate(table.p_value) if not pd.isna(p_value)]
    corrected: list[float | None] = [None] * len(table)
    for position, p_value in zip(tested, holm([float(table.p_value[position]) for position in tested]), strict=True):
        corrected[position] = p_value
    return table.assign(p_holm=pd.Series(corrected, index=table.index, dtype="float64"))
