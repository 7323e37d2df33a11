"""What the form of the answer gains or loses: options ranked, an answer read, an answer constrained."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lm_eval_sea.report.chart import DOT, MOST_MARKS, Chart, Line, Mark, Panel, keys_of
from lm_eval_sea.report.robustness import setting_column
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, ROWS, Figure, Section
from lm_eval_sea.report.tables import Column, Table, mean_and_ends, with_interval
from lm_eval_sea.results.comparison import corrected
from lm_eval_sea.results.forms import compared, pairs_of, same_questions, setting_of
from lm_eval_sea.results.power import LEVEL


def forms_table(scores: Scores) -> pd.DataFrame:
    """One row a model, data set, language, prompt language and pair of forms, in per cent; `p` is corrected for all (Holm)."""
    rows: list[dict[str, Any]] = []
    for model in scores.models:
        tasks = [task for (name, _), task in scores.of.items() if name == model and task.facts.of_pack]
        for forms in same_questions([*scores.beside.get(model, ()), *tasks]):
            for first, second in pairs_of(forms):
                one, other = forms[first], forms[second]
                found = compared(one.logged, other.logged) if one.logged is not None and other.logged is not None else None
                if found is None:
                    continue
                difference = found.difference
                rows.append(
                    {
                        **{"model": model, "dataset": one.facts.pool, "language": one.facts.language},
                        **{"prompt_language": one.facts.prompt_language, "setting": setting_of(one)},
                        **{"first": first, "second": second},
                        **{"rows": difference.rows, "limited": one.limited or other.limited},
                        **mean_and_ends("first_score", found.first, 100),
                        **mean_and_ends("second_score", found.second, 100),
                        **mean_and_ends("agreement", found.agreement, 100),
                        **{"gained": 100 * found.gained, "lost": 100 * found.lost, "unread": 100 * found.unread},
                        **mean_and_ends("difference", difference, 100),
                        "p": difference.p_value,
                    }
                )
    p_values = corrected({place: row["p"] for place, row in enumerate(rows)})
    table = pd.DataFrame([row | {"p": p_values[place]} for place, row in enumerate(rows)])
    return table.assign(tells=table.p.astype("float64") < LEVEL) if rows else table


def forms_section(scores: Scores) -> Section:
    """The table, and one panel a model."""
    table = forms_table(scores)
    return Section(
        "forms",
        "Forms of the answer",
        [
            "The same rows, answered in several forms by the same model: options ranked (named by the variant; behind the chat "
            "template where it says so), a letter written (litilo_gen), the answer read from what the model writes, or one of "
            "the options by the engine's constraint. Gained are rows that are right in the second form alone, lost those "
            "right in the first alone.",
            "Compare two models in one form only: a ranked score of a base model beside a read score of a chat model says as "
            "much of the forms as of the models. p is that of the paired test by passage, corrected for all lines of this table "
            "(Holm).",
        ],
        [
            _figure(table),
            Table(
                "forms",
                "Two forms on the same rows",
                "In bold: a difference that survives the correction.",
                table,
                [
                    MODEL,
                    DATA_SET,
                    LANGUAGE,
                    PROMPT,
                    *(setting_column(table) if len(table) else []),
                    Column("first", "first form"),
                    Column("second", "second form"),
                    with_interval("first_score", "first [95 %]", "score", marker="limited"),
                    with_interval("second_score", "second [95 %]", "score"),
                    with_interval("agreement", "same choice", "score"),
                    Column("gained", "gained", "percent"),
                    Column("lost", "lost", "percent"),
                    Column("unread", "no answer", "percent", hint="in the second form"),
                    with_interval("difference", "second − first", "points", strong="tells"),
                    Column("p", "p", "p"),
                    ROWS,
                ],
            ),
        ],
    )


def _figure(table: pd.DataFrame) -> Figure | None:
    """A panel a model: accuracy in each form, a line a data set and language."""
    if table.empty:
        return None
    about = ["model", "dataset", "language", "prompt_language", "setting"]
    sides = [
        table[[*about, side, *(f"{side}_score{end}" for end in ("", "_low", "_high"))]].set_axis(
            [*about, "form", "score", "low", "high"], axis=1
        )
        for side in ("first", "second")
    ]
    shown = pd.concat(sides).drop_duplicates([*about, "form"])
    if len(shown) > MOST_MARKS:
        return None
    forms = list(dict.fromkeys(shown.form))
    panels = []
    for model, of_model in shown.groupby("model", sort=False):
        lines = []
        for (dataset, language, prompt, setting), group in of_model.groupby(about[1:], sort=False):
            marks = [
                Mark(DOT, row["score"], row["low"], row["high"], series=row["form"], keys=keys_of(row, "dataset", "language"))
                for row in group.to_dict("records")
            ]
            label = f"{dataset}, {language}" + (", English prompt" if prompt == "en" != language else "")
            label += f", {setting}" if setting else ""
            lines.append(Line(label, marks, {"dataset": str(dataset), "language": str(language)}))
        panels.append(Panel(str(model), lines, axis="accuracy", keys={"model": str(model)}))
    most = table.loc[table.difference.abs().idxmax()]
    return Figure.of_chart(
        "forms",
        "Accuracy on the same rows by form of the answer, with 95 % intervals.",
        Chart(panels, forms, series_are_models=False),
        f"Points by data set, language and form. The largest difference is that of {most.model} on {most.dataset} in "
        f"{most.language}: {most.difference:+.0f} points from {most['first']} to {most['second']}.",
        shown,
    )
