"""The page's tables on parallel tests: the same answer in several languages, and errors that two languages share."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import pandas as pd

from lm_eval_sea.report.languages.tables import (
    ENGLISH,
    Comparison,
    Condition,
    consistency_rows,
    error_rows,
    load_comparisons,
    with_corrected_p_values,
)
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, MODEL, Section
from lm_eval_sea.report.tables import Column, Table, columns
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.power import LEVEL
from lm_eval_sea.results.types import ResultsError
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS

_MOST_LANGUAGES = 4  # of whose errors all pairs are compared on the page


def languages_section(scores: Scores) -> Section:
    """Both tables; without rows where no parallel test was run in two languages."""
    labels = {task.run.model: model for (model, _), task in scores.of.items()}
    tasks = [task for task in scores.of.values() if task.facts.parallel and task.samples is not None]
    comparisons: Mapping[Condition, Comparison] = {}
    with contextlib.suppress(ResultsError):  # there are no such tasks
        comparisons, _ = load_comparisons(Runs([], tasks, [], []))
    pairs = [
        row
        for condition, comparison in comparisons.items()
        for row in error_rows({condition: comparison}, ENGLISH if len(comparison.answers) > _MOST_LANGUAGES else "")
    ]
    consistent = pd.DataFrame([_named(row, labels) for row in consistency_rows(comparisons, [], every=False)])
    errors = pd.DataFrame(with_corrected_p_values([_named(row, labels) for row in pairs]))
    if len(errors):
        shares = ["wrong_first", "wrong_second", "wrong_in_both", "by_chance", "same_wrong", "excess", "low", "high"]
        errors[shares] = errors[shares].astype(float) * 100
        errors["tells"] = errors.p_holm.astype(float) < LEVEL
    if len(consistent):
        consistent[["accuracy", "consistency", "low", "high", "ac3"]] *= 100
    about = [MODEL, DATA_SET, *columns("text", setting="setting", variant="variant", prompt="prompt")]
    of_consistency = [
        *about,
        *columns("count", languages="languages", of="of"),
        Column("questions", "questions", "count", marker="limited"),
        Column("accuracy", "accuracy", "percent"),
        Column("consistency", "same answer [95 %]", "score", low="low", high="high", marker="limited"),
        Column("ac3", "AC3", "percent"),
    ]
    of_errors = [
        *(*about, *columns("text", first="first", second="second"), Column("questions", "questions", "count", marker="limited")),
        *columns("percent", wrong_first="wrong in the first", wrong_second="in the second", wrong_in_both="in both"),
        Column("by_chance", "by chance", "percent"),
        Column("excess", "difference", "points", low="low", high="high", marker="limited", strong="tells"),
        Column("p_holm", "p", "p"),
        Column("same_wrong", "same wrong option", "percent", hint=f"of {FEWEST_CLUSTERS} or more questions wrong in both"),
    ]
    same = (
        "Share of questions with the same answer, right or wrong (SeaEval's consistency), for two languages and for all. Guesses "
        "among four options are the same in two languages on 25 % of the questions, and a model that always prefers one "
        "option gives the same answer far more often: look at the accuracy, too."
    )
    shared = (
        "Share of questions wrong in both, and what independent errors would give. Questions that are hard in every "
        "language make the difference positive. Bold: it differs from 0, corrected for all lines of this table (Holm), with "
        f"its own error rate of 5 %. With more than {_MOST_LANGUAGES} languages only pairs with English are here; "
        "report --languages writes all."
    )
    text = "Questions that a parallel test asks in each language, paired by id; intervals are clustered by passage."
    parts = [
        Table("consistency", "The same answer in several languages", same, consistent, of_consistency),
        Table("errors", "Errors that two languages share", shared, errors, of_errors),
    ]
    said = [text, *scores.of_seeds("the answers of the last count")]
    return Section("consistency", "One question in several languages", said, parts)


def _named(row: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    return {**row, "model": labels[row["model"]], "dataset": row["data_set"]}
