"""The section on calibration: tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.figure
import pandas as pd

from lm_eval_sea.report import calibration
from lm_eval_sea.report.analysis import Analysis
from lm_eval_sea.report.figure_style import Theme, add_legend, bar_handles, model_handle, new_figure, styles
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
    gains = (by_method.acc_cc - by_method.acc).dropna() if {"acc", "acc_cc"} <= set(by_method) else pd.Series(dtype=float)
    seen = f"Contextual calibration gains {gains.mean():+.0f} points on average, from {gains.min():+.0f} to {gains.max():+.0f}."
    return Figure(
        "calibration",
        "Accuracy before and after calibration; the grey bar is chance.",
        lambda theme: _draw_methods(table, suite, models, theme),
        f"Points for each method, one line per task, one panel per model. {seen if len(gains) else ''}".strip(),
        table,
    )


def _draw_methods(table: pd.DataFrame, suite: Suite, models: Sequence[str], theme: Theme) -> matplotlib.figure.Figure:
    names = [name for name in suite.members if name in set(table.task)]
    models = [model for model in models if model in set(table.model)]
    columns = min(3, len(models))
    lines = -(-len(models) // columns)
    figure, axes = new_figure(theme, lines, columns, 3.2 * columns + 1.6, (0.34 * len(names) + 0.8) * lines + 0.4)
    style = styles(list(_SHOWN_METHODS))
    for number, (axis, model) in enumerate(zip(axes, models, strict=False)):
        for place, name in enumerate(names):
            found = table[(table.model == model) & (table.task == name)].set_index("method")
            values = {method: found.accuracy[method] for method in _SHOWN_METHODS if method in found.index}
            if not values:
                continue
            axis.plot([min(values.values()), max(values.values())], [place] * 2, color=theme.faint, linewidth=2, zorder=1)
            axis.plot(
                [100 * found.chance.iloc[0]] * 2, [place - 0.4, place + 0.4], color=theme.ink, alpha=0.4, linewidth=2, zorder=0
            )
            for method, value in values.items():
                y = place + 0.16 * (list(_SHOWN_METHODS).index(method) - 1.5)  # so that equal ones can be told apart
                axis.plot(value, y, marker=style[method].marker, color=style[method].colour, markersize=5, linestyle="")
        titles = [task_title(table[table.task == name].iloc[0], suite) for name in names]
        axis.set_yticks(range(len(names)), titles if number % columns == 0 else [""] * len(names))
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.set_xlim(-2, 102)
        axis.set_title(model, fontsize=8.5)
        axis.set_xlabel("accuracy (%)", fontsize=8)
    for axis in axes[len(models) :]:
        axis.set_visible(False)
    handles = [model_handle(title, style[method]) for method, title in _SHOWN_METHODS.items()]
    for handle in handles:
        handle.set_linestyle("")
    add_legend(figure, theme, handles, 4)
    return figure


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
    return Figure(
        "labels",
        "Labels: right, chosen without calibration (log-likelihood), and after contextual calibration; native prompts.",
        lambda theme: _draw_labels(table, analysis, theme),
        f"Stacked bars of the shares of the labels, one panel per task.{seen}",
        table,
    )


def _draw_labels(table: pd.DataFrame, analysis: Analysis, theme: Theme) -> matplotlib.figure.Figure:
    frames, suite, models = analysis.frames, analysis.suite, analysis.models
    names = [name for name in suite.members if name in set(table.task)]
    columns = min(2, len(names))
    lines = -(-len(names) // columns)
    bars = 1 + 2 * len(models)
    figure, axes = new_figure(theme, lines, columns, 4.6 * columns, lines * (0.2 * bars + 1.15))
    for axis, name in zip(axes, names, strict=False):
        rows = _label_bars(table[table.task == name], models)
        words = list(table[table.task == name].drop_duplicates("label").meaning)
        style = styles(words)
        for place, (_, counts) in enumerate(rows):
            left = 0.0
            for word, count in zip(words, counts, strict=False):
                share = 100 * count / max(1, sum(counts))
                axis.barh(place, share, 0.8, left=left, color=style[word].colour, hatch=style[word].hatch, edgecolor=theme.paper)
                left += share
        axis.set_yticks(range(len(rows)), [title for title, _ in rows], fontsize=7)
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_xlim(0, 100)
        row = frames.tasks[frames.tasks.task == name].iloc[0]
        axis.set_title(task_title(row, suite), fontsize=8.5)
        axis.set_xlabel("% of rows", fontsize=8)
        axis.grid(visible=False)
        axis.legend(handles=bar_handles(words, theme), fontsize=6.5, loc="upper left", bbox_to_anchor=(1, 1.02), frameon=False,
                    labelcolor=theme.ink, handlelength=1.2)  # fmt: skip
    for axis in axes[len(names) :]:
        axis.set_visible(False)
    return figure


def _label_bars(table: pd.DataFrame, models: Sequence[str]) -> list[tuple[str, list[float]]]:
    """What is right, then for each model the choices before and after contextual calibration; one count a label."""
    by_model = dict(list(table.groupby("model", sort=False)))
    bars = [("right", list(next(iter(by_model.values()))[calibration.GOLD]))]
    for model in models:
        for method, title in (("acc", "before"), ("acc_cc", "after")):
            if model in by_model and by_model[model][method].notna().all():
                bars.append((f"{model}, {title}", list(by_model[model][method])))
    return bars
