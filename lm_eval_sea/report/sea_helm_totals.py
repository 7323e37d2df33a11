"""SEA-HELM's totals of every model, for the first screen of a report on its tasks."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report.suite import Suite
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.runs import Runs, TaskRun
from lm_eval_sea.sea_helm.totals.evidence import gather, place_of
from lm_eval_sea.sea_helm.totals.hierarchy import ALL, SEA
from lm_eval_sea.sea_helm.totals.methods import METHODS
from lm_eval_sea.sea_helm.totals.suite import judges, read_suite
from lm_eval_sea.sea_helm.totals.totals import compute

# The first method is the newest, and the default of `lm-eval-sea score`; so is the first suite.
METHOD, SUITE = next(iter(METHODS)), "seahelm"


def totals_by_model(runs: Runs, notes: list[str]) -> pd.DataFrame | None:
    """One row per average, language and competency; a column per model, each with its standard error and whether it is complete.

    By the default method of `lm-eval-sea score`; all runs of a model count as seeds. A note names models that cannot be scored.
    None where no task of SEA-HELM was run.
    """
    by_model: dict[str, list[TaskRun]] = {}
    for task in runs.tasks:
        if place_of(task.facts):
            by_model.setdefault(runs.labels[task.run.model], []).append(task)
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for model, own in sorted(by_model.items()):
        try:
            totals = compute(gather(own), read_suite(SUITE), judges(), METHOD)
        except (ValueError, KeyError, TypeError) as error:
            notes.append(f"{model}: no totals of SEA-HELM ({error})")
            continue
        for place, node in sorted(totals.nodes.items(), key=lambda item: (item[0] not in (SEA, ALL), item[0])):
            if place.task or (place.group and place not in (SEA, ALL)):
                continue
            key = (place.language or place.group, place.competency)
            row = rows.setdefault(key, {"language": key[0], "competency": key[1] or "all"})
            row |= {model: node.score, f"{model}: error": node.error, f"{model}: incomplete": not node.complete}
    return pd.DataFrame(list(rows.values())) if rows else None


def totals_table(totals: pd.DataFrame, suite: Suite) -> Table:
    """`totals_by_model` as a table."""
    models = [name for name in totals.columns if f"{name}: error" in totals.columns]
    columns = [Column("language", "language"), Column("competency", "competency")]
    for model in models:
        columns.append(Column(model, model, "percent", marker=f"{model}: incomplete", shade=model, shows=("model", model)))
        columns.append(Column(f"{model}: error", "error", "decimals", shows=("model", model)))
    note = (
        "As on SEA-HELM's leaderboard: chance is 0, below chance is 0 too. † marks a total that lacks tasks, which the command "
        "“lm-eval-sea score” names."
    )
    return Table("sea_helm_totals", "SEA-HELM's totals", note, totals, columns, {"language": suite.languages})
