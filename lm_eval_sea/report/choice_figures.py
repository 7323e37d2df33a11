"""The figures on answers that are chosen: prompt variants, bias, calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from lm_eval_sea.report import calibration, robustness
from lm_eval_sea.report.choice_sections import VARIANT_TITLES
from lm_eval_sea.report.figure_style import Theme, add_legend, bar_handles, model_handle, new_figure, styles
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.suite import Suite, task_title


def prompt_variants(native: pd.DataFrame, suite: Suite, models: Sequence[str], theme: Theme) -> Figure | None:
    """A panel a data set and language: score by variant."""
    table = robustness.robustness_table(native)
    variants = [name for name in robustness.VARIANTS if name in table]
    panels = list(table.groupby(["dataset", "language"], sort=False)) if len(variants) > 1 else []
    if not panels:
        return None
    columns = min(3, len(panels))
    figure, axes = new_figure(
        theme, -(-len(panels) // columns), columns, 2.6 * columns + 0.4, 2.1 * -(-len(panels) // columns) + 0.5
    )
    style = styles(models)
    for axis, ((dataset, language), group) in zip(axes, panels, strict=False):
        axis.axhline(group.chance.iloc[0], color=theme.ink, linestyle=":", linewidth=1)
        for row in group.to_dict("records"):
            look = style[row["model"]]
            values = [row[variant] for variant in variants]
            axis.plot(range(len(variants)), values, color=look.colour, marker=look.marker, linestyle=look.line, markersize=4.5)
        axis.set_title(f"{suite.data_sets.get(dataset, dataset)}: {suite.languages.get(language, language)}", fontsize=8.5)
        axis.set_xticks(range(len(variants)), [_variant_label(variant) for variant in variants], fontsize=7)
        axis.set_xlim(-0.3, len(variants) - 0.7)
        axis.set_ylim(-3, 103)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    for axis in axes[::columns]:
        axis.set_ylabel("accuracy (%)", fontsize=8)
    add_legend(figure, theme, [model_handle(model, style[model]) for model in models], 3)
    return figure


def _variant_label(variant: str) -> str:
    """The paper's symbol of a variant, for drawing."""
    symbol = VARIANT_TITLES.get(variant, variant)
    for small, letter in (("ₒ", "$_o$"), ("ᵢ", "$_i$")):
        symbol = symbol.replace(small, letter)
    return symbol.replace(" generated", "\ngen.")


def biases_by_variant(table: pd.DataFrame, models: Sequence[str], theme: Theme) -> Figure | None:
    """RStd and length discrepancy by variant, bars by model."""
    variants = robustness.in_order(list(table.variant))
    if not variants:
        return None
    figure, axes = new_figure(theme, 1, 2, 8.4, 3.2)
    style = styles(models)
    width = 0.8 / len(models)
    for axis, (column, label) in zip(
        axes, (("rstd", "RStd (percentage points)"), ("length_discrepancy", "length discrepancy (%)")), strict=True
    ):
        for number, model in enumerate(models):
            means = [table[(table.model == model) & (table.variant == variant)][column].mean() for variant in variants]
            places = [place + width * (number - (len(models) - 1) / 2) for place in range(len(variants))]
            look = style[model]
            axis.bar(places, means, width * 0.92, color=look.colour, hatch=look.hatch, edgecolor=theme.paper, linewidth=0.4)
        axis.axhline(0, color=theme.ink, linewidth=0.8)
        axis.set_xticks(range(len(variants)), [_variant_label(variant) for variant in variants], fontsize=7)
        axis.set_ylabel(label, fontsize=8)
        axis.grid(axis="x", visible=False)
    add_legend(figure, theme, bar_handles(models, theme), 3)
    return figure


def positions(table: pd.DataFrame, models: Sequence[str], theme: Theme) -> Figure | None:
    """A panel a model and variant: how often each position is chosen and right, over the rows of all data sets."""
    table = table[table.prompt_language != "en"]
    variants = robustness.in_order(list(table.variant))
    models = [model for model in models if model in set(table.model)]
    if not variants:
        return None
    figure, axes = new_figure(theme, len(models), len(variants), 1.5 * len(variants) + 0.8, 1.5 * len(models) + 0.4)
    style = styles(models)
    for axis, (model, variant) in zip(axes, [(model, variant) for model in models for variant in variants], strict=True):
        found = table[(table.model == model) & (table.variant == variant)]
        counts = found.groupby("position")[["gold", "chosen"]].sum()
        if counts.gold.sum():
            share = 100 * counts / counts.gold.sum()
            axis.bar(share.index, share.chosen, 0.75, color=style[model].colour)
            axis.step(
                [*(share.index - 0.5), share.index[-1] + 0.5], [*share.gold, share.gold.iloc[-1]], where="post", color=theme.ink
            )
        if not counts.chosen.sum():
            axis.text(0.5, 0.6, "no letters" if len(found) else "not run", transform=axis.transAxes, ha="center", fontsize=7.5,
                      color=theme.ink)  # fmt: skip
        axis.set_ylim(0, 100)
        axis.set_xlim(0.4, max(table.position) + 0.6)
        axis.set_xticks(range(1, max(table.position) + 1))
        axis.grid(axis="x", visible=False)
        if model == models[0]:
            axis.set_title(_variant_label(variant).replace("\n", " "), fontsize=8)
        if variant == variants[0]:
            axis.set_ylabel(f"{model}\n% of rows", fontsize=8)
        if model == models[-1]:
            axis.set_xlabel("position", fontsize=8)
    return figure


_SHOWN_METHODS: Mapping[str, str] = {"acc": "none", "acc_cc": "contextual", "acc_pmi": "PMI", "acc_bc": "batch"}


def before_and_after(frames: Frames, suite: Suite, models: Sequence[str], theme: Theme) -> Figure | None:
    """A panel a model: accuracy of each method on the classification tasks of the suite."""
    table = calibration.calibration_table(frames)
    settings = frames.tasks[(frames.tasks.variant == "classification") & frames.tasks.task.isin(suite.members)]
    table = table.merge(settings[["model", "task", "dataset", "language", "chance", "source_language"]], on=["model", "task"])
    names = [name for name in suite.members if name in set(table.task)]
    if not names:
        return None
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


def label_shares(frames: Frames, suite: Suite, models: Sequence[str], theme: Theme) -> Figure | None:
    """A panel a classification task of the suite: shares of the labels, right and chosen by each model before and after."""
    table = calibration.label_table(frames, suite.english_labels)
    names = [name for name in suite.members if name in set(table.task)]
    if not names:
        return None
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
