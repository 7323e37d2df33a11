"""The section on calibration: tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from lm_eval_sea.report import calibration
from lm_eval_sea.report.analysis import Analysis
from lm_eval_sea.report.chart import BAR, DOT, GUIDE, Chart, Line, Mark, Panel
from lm_eval_sea.report.section import MODEL, TASK, Figure, Section
from lm_eval_sea.report.suite import Suite, task_title
from lm_eval_sea.report.tables import Column, Table

_SHOWN_METHODS: Mapping[str, str] = {"acc": "none", "acc_cc": "contextual", "acc_pmi": "PMI", "acc_bc": "batch"}


def calibration_section(analysis: Analysis) -> Section:
    """Choices before and after calibration."""
    frames, suite = analysis.frames, analysis.suite
    table = calibration.calibration_table(frames).merge(
        frames.tasks[["model", "task", "dataset", "language", "variant", "limited"]]
    )
    labels = calibration.label_table(frames, suite.english_labels).merge(
        frames.tasks[["model", "task", "dataset", "language", "limited"]]
    )
    settings = frames.tasks[["model", "task", "chance", "source_language"]]
    drawn = table[(table.variant == "classification") & table.task.isin(suite.members)].merge(settings)
    methods = [method for method in calibration.METHODS if labels[method].notna().any()]
    return Section(
        "calibration",
        "Calibration",
        [
            "A base model often answers one label for nearly every row. The methods take off what it would say without the row "
            "(Guo et al. 2024, tables 5 and 7 to 9); what each of them is stands in docs/scores.md."
        ],
        [
            _methods_figure(drawn, suite, analysis.models),
            Table(
                "calibration",
                "Before and after",
                "“changed” is the share of rows that another label is chosen for than by the uncalibrated log-likelihood.",
                table,
                [
                    MODEL,
                    TASK,
                    Column("method", "method"),
                    Column("accuracy", "accuracy", "percent", marker="limited"),
                    Column("macro_f1", "macro-F1", "percent"),
                    Column("changed", "changed", "percent"),
                    Column("rows", "rows", "count"),
                ],
                {"method": calibration.METHODS},
            ),
            _labels_figure(labels[labels.task.isin(suite.members)], analysis),
            Table(
                "labels",
                "Labels chosen",
                "Rows by label: right, and chosen by each method.",
                labels,
                [
                    MODEL,
                    TASK,
                    Column("label", "label"),
                    Column("meaning", "in English"),
                    Column(calibration.GOLD, "right", "count", marker="limited"),
                    *(Column(method, calibration.METHODS[method], "count") for method in methods),
                ],
            ),
        ],
    )


def _methods_figure(table: pd.DataFrame, suite: Suite, models: Sequence[str]) -> Figure | None:
    """A panel per model: accuracy of each method on the classification tasks of the suite."""
    if table.empty:
        return None
    by_method = table.pivot_table(index=["model", "task"], columns="method", values="accuracy")
    gains = (by_method.acc_bc - by_method.acc).dropna() if {"acc", "acc_bc"} <= set(by_method) else pd.Series(dtype=float)
    seen = f"Batch calibration gains {gains.mean():+.0f} points on average, from {gains.min():+.0f} to {gains.max():+.0f}."
    return Figure.of_chart(
        "calibration",
        "Accuracy before and after calibration; the grey bar is chance.",
        Chart(
            [_methods_panel(table[table.model == model], model, suite) for model in models if model in set(table.model)],
            list(_SHOWN_METHODS.values()),
            series_are_models=False,
            columns=2,
        ),
        f"Points for each method, one line per task, one panel per model. {seen if len(gains) else ''}".strip(),
        table,
    )


def _methods_panel(table: pd.DataFrame, model: str, suite: Suite) -> Panel:
    lines = []
    for name in (name for name in suite.members if name in set(table.task)):
        rows = table[table.task == name]
        found = dict(zip(rows.method, rows.accuracy, strict=True))
        marks = [Mark(DOT, found[method], series=title) for method, title in _SHOWN_METHODS.items() if method in found]
        row = rows.iloc[0]
        keys = {"dataset": row.dataset, "language": row.language, "variant": row.variant}
        lines.append(Line(task_title(row, suite), [Mark(GUIDE, 100 * row.chance), *marks], keys))
    return Panel(model, lines, axis="accuracy (%)", keys={"model": model})


def _labels_figure(table: pd.DataFrame, analysis: Analysis) -> Figure | None:
    """A panel per classification task of the suite: shares of the labels, right and chosen by each model before and after."""
    if table.empty:
        return None
    shares = table.assign(share=table.acc / table.groupby(["model", "task"])[calibration.GOLD].transform("sum"))
    most = shares.loc[shares.share.idxmax()] if shares.share.notna().any() else None
    seen = (
        f" The most one-sided is {most.model} on {most.task}: {100 * most.share:.0f} per cent “{most.label}”."
        if most is not None
        else ""
    )
    names = [name for name in analysis.suite.members if name in set(table.task)]
    return Figure.of_chart(
        "labels",
        "Labels: right, chosen without calibration (log-likelihood), and after batch calibration; native prompts.",
        Chart([_labels_panel(table[table.task == name], analysis) for name in names], series_are_models=False, columns=2),
        f"Stacked bars of the shares of the labels, one panel per task.{seen}",
        table,
    )


def _labels_panel(table: pd.DataFrame, analysis: Analysis) -> Panel:
    words = list(table.drop_duplicates("label").meaning)
    lines = []
    for model, title, counts in _label_bars(table, analysis.models):
        ends = [100 * sum(counts[: place + 1]) / max(1, sum(counts)) for place in range(len(counts))]
        marks = [
            Mark(BAR, end, begin, series=word) for word, begin, end in zip(words, [0.0, *ends], ends, strict=False) if end > begin
        ]
        lines.append(Line(title, marks, {"model": model} if model else {}))
    task = analysis.frames.tasks[analysis.frames.tasks.task == table.task.iloc[0]].iloc[0]
    keys = {"dataset": task.dataset, "language": task.language}
    return Panel(task_title(task, analysis.suite), lines, axis="% of rows", keys=keys, series=words)


def _label_bars(table: pd.DataFrame, models: Sequence[str]) -> list[tuple[str, str, list[float]]]:
    """What is right, then for each model the choices before and after batch calibration: model, title, a count per label."""
    by_model = dict(list(table.groupby("model", sort=False)))
    bars = [("", "right", list(next(iter(by_model.values()))[calibration.GOLD]))]
    for model in models:
        for method, title in (("acc", "before"), ("acc_bc", "after")):
            if model in by_model and by_model[model][method].notna().all():
                bars.append((model, f"{model}, {title}", list(by_model[model][method])))
    return bars
