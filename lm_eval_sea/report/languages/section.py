"""The page's tables on parallel tests: the same answer in several languages, and errors that two languages share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
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
from lm_eval_sea.results.visible_text import visible

_MOST_LANGUAGES = 4  # of whose errors all pairs are compared on the page
_ABOUT = [MODEL, DATA_SET, *columns("text", setting="setting", variant="variant", prompt="prompt")]
_QUESTIONS = Column("questions", "questions", "count", marker="limited")


def languages_section(scores: Scores) -> Section:
    """Both tables; without rows where no parallel test was run in two languages."""
    labels = {task.run.model: model for (model, _), task in scores.of.items()}
    tasks = [task.each_draw[-1] for task in scores.of.values() if task.facts.parallel and task.samples is not None]
    comparisons: Mapping[Condition, Comparison] = {}
    notes: list[str] = []
    with contextlib.suppress(ResultsError):  # there are no such tasks
        comparisons, notes = load_comparisons(Runs([], tasks, [], []))
    text = "Questions that a parallel test asks in each language, paired by id; intervals are clustered by passage."
    said = [text, *scores.of_last_seed(), *(f"{note}." for note in map(visible, notes) if note not in scores.notes)]
    parts = [_consistency_table(comparisons, labels), _errors_table(comparisons, labels)]
    return Section("consistency", "One question in several languages", said, parts)


def _consistency_table(comparisons: Mapping[Condition, Comparison], labels: Mapping[str, str]) -> Table:
    frame = pd.DataFrame(_named(consistency_rows(comparisons, [], every=False), labels))
    if len(frame):
        frame[["accuracy", "consistency", "low", "high", "ac3"]] *= 100
    shown = [
        *(*_ABOUT, *columns("count", languages="languages", of="of"), _QUESTIONS),
        Column("accuracy", "accuracy", "percent"),
        Column("consistency", "same answer [95 %]", "score", low="low", high="high", marker="limited", few="few"),
        Column("ac3", "AC3", "percent"),
    ]
    note = (
        "Share of questions with the same answer, right or wrong (SeaEval's consistency), for two languages and for all. Guesses "
        "among four options are the same in two languages on 25 % of the questions, and a model that always prefers one "
        "option gives the same answer far more often: look at the accuracy, too. “few” marks shares of fewer than "
        f"{FEWEST_CLUSTERS} independent questions or passages."
    )
    return Table("consistency", "The same answer in several languages", note, frame, shown)


def _errors_table(comparisons: Mapping[Condition, Comparison], labels: Mapping[str, str]) -> Table:
    pairs = [
        row
        for condition, comparison in comparisons.items()
        for row in error_rows({condition: comparison}, ENGLISH if len(comparison.answers) > _MOST_LANGUAGES else "")
    ]
    frame = pd.DataFrame(with_corrected_p_values(_named(pairs, labels)))
    if len(frame):
        shares = ["wrong_first", "wrong_second", "wrong_in_both", "by_chance", "same_wrong", "excess", "low", "high"]
        frame[shares] = frame[shares].astype(float) * 100
        frame["tells"] = frame.p_holm.astype(float) <= LEVEL
    shown = [
        *(*_ABOUT, *columns("text", first="first", second="second"), _QUESTIONS),
        *columns("percent", wrong_first="wrong in the first", wrong_second="in the second", wrong_in_both="in both"),
        Column("by_chance", "by chance", "percent"),
        Column("excess", "difference", "points", low="low", high="high", marker="limited", few="few", strong="tells"),
        Column("p_holm", "p", "p"),
        Column("same_wrong", "same wrong option", "percent", hint=f"of {FEWEST_CLUSTERS} or more questions wrong in both"),
    ]
    note = (
        "Share of questions wrong in both, and what independent errors would give. Questions that are hard in every "
        "language make the difference positive. Bold: it differs from 0, corrected for all lines of this table (Holm), with "
        f"its own error rate of 5 %. With more than {_MOST_LANGUAGES} languages only pairs with English are here; "
        "report --languages writes all."
    )
    return Table("errors", "Errors that two languages share", note, frame, shown)


def _named(rows: Iterable[Mapping[str, Any]], labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows with the names by which the page knows models and data sets."""
    return [{**row, "model": labels[row["model"]], "dataset": row["data_set"]} for row in rows]
