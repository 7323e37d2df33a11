"""Scores on rows that were written in a language beside those on rows that were translated into it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import LANGUAGE, MODEL, Section
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.rows import mean_draws
from lm_eval_sea.results.uncertainty import spread_of

MEANS = ("native", "translated", "difference")
COLUMNS = ("model", "language", "native", "native_tasks", "translated", "translated_tasks", "difference", "limited")
ENDS = tuple(f"{name}_{end}" for name in MEANS for end in ("low", "high"))


def native_table(headline: pd.DataFrame, origins: Mapping[str, str], draws: Mapping[tuple[str, str], np.ndarray]) -> pd.DataFrame:
    """One row a model and language that has both kinds: means of normalised scores, unweighted, and how many tasks they go over.

    Only of tasks whose answers are chosen, which have a chance level: their scores are on one scale. English is left out, for
    its rows are what the translations were made of.

    Args:
        headline: see `scores.headline_scores`.
        origins: task → "native", or what else; see `Suite.origins`.
        draws: (model, task) → its normalised score on each draw of rows; a mean of a task without has no interval.
    """
    chosen = headline[(headline.chance > 0) & (headline.language != "en") & headline.task.isin(list(origins))]
    rows = []
    for (model, language), found in chosen.groupby(["model", "language"], sort=True):
        is_native = found.task.map(origins) == "native"
        native, translated = found[is_native], found[~is_native]
        if native.empty or translated.empty:
            continue
        means = {"native": native.normalised.mean(), "translated": translated.normalised.mean()}
        parts = {"native": native, "translated": translated}
        drawn = {name: mean_draws(draws.get((model, task)) for task in part.task) for name, part in parts.items()}
        if drawn["native"] is not None and drawn["translated"] is not None:
            drawn["difference"] = drawn["native"] - drawn["translated"]
        spreads = {name: spread_of(array) for name, array in drawn.items() if array is not None}
        ends = {f"{name}_{end}": getattr(spread, end) for name, spread in spreads.items() for end in ("low", "high")}
        rows.append(
            {
                "model": model,
                "language": language,
                **means,
                **ends,
                "native_tasks": len(native),
                "translated_tasks": len(translated),
                "difference": means["native"] - means["translated"],
                "limited": bool(found.limited.any()),
            }
        )
    return pd.DataFrame(rows, columns=[*COLUMNS, *ENDS]).astype(dict.fromkeys(ENDS, "float64"))


def _mean(name: str, title: str, kind: str) -> Column:
    return Column(name, f"{title} [95 %]", kind, low=f"{name}_low", high=f"{name}_high", marker="limited")


def native_section(scores: Scores) -> Section:
    """The table, and how far it can be read."""
    return Section(
        "native",
        "Native and translated rows",
        [
            "Means of normalised scores (chance is 0, perfect is 100) over the tasks of a language whose answers are chosen, on "
            "rows that were written in the language and on rows that were translated into it. A model whose place among models "
            "is better on translated rows than on native ones may owe it to what translations carry over from English, such as "
            "subjects and ways of speaking.",
            "The two means are of different tasks, so their difference is no measure of translation: it moves with how hard the "
            "tasks are, and that of one model says nothing. Compare models on the same tasks, not languages.",
        ],
        [
            Table(
                "native",
                "Native and translated rows",
                "Over how many tasks stands behind each mean; docs/coverage.md has the origin of each data set. The intervals "
                "tell of other rows of the same tasks, not of other tasks.",
                native_table(scores.headline, scores.suite.origins, scores.draws),
                [
                    MODEL,
                    LANGUAGE,
                    _mean("native", "native", "score"),
                    Column("native_tasks", "tasks", "count"),
                    _mean("translated", "translated", "score"),
                    Column("translated_tasks", "tasks", "count"),
                    _mean("difference", "native − translated", "points"),
                ],
            )
        ],
    )
