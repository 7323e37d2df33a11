"""Whether a model leans to a position or to long options, whatever they say (Guo et al. 2024, figure 3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import matplotlib.figure
import pandas as pd

from lm_eval_sea.report.analysis import Analysis
from lm_eval_sea.report.figure_style import Theme, add_legend, bar_handles, new_figure, styles
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.robustness import setting_column
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, Figure, Section
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.report.variants import in_order, variant_label

KEYS = ["model", "task", "dataset", "language", "prompt_language", "setting", "variant", "limited"]


def recall_deviation(golds: Sequence[int], chosen: Sequence[int | None]) -> float:
    """RStd, the standard deviation of recall over positions, in percentage points (Zheng et al. 2024, arXiv:2309.03882).

        sqrt( Σ_k (r_k − r̄)² / K ),   r_k = 100 · share of the rows with gold position k on which k is chosen

    over the K positions that are right at least once. 0 for a model without a preference; at most 50.

    Raises:
        ValueError: without rows.
    """
    totals = Counter(golds)
    if not totals:
        raise ValueError("no rows, so no recall")
    hits = Counter(gold for gold, choice in zip(golds, chosen, strict=True) if gold == choice)
    recalls = [100 * hits[position] / total for position, total in totals.items()]
    mean = math.fsum(recalls) / len(recalls)
    return math.sqrt(math.fsum((recall - mean) ** 2 for recall in recalls) / len(recalls))


def length_discrepancy(gold: Sequence[int], chosen: Sequence[int]) -> float:
    """By how much the chosen options are longer than the right ones, in per cent; negative if shorter.

        100 · (Σ_i c_i − Σ_i g_i) / Σ_i g_i

    c_i and g_i are the lengths of the chosen and of the right option of row i in Unicode code points. A ratio of sums: the mean
    of ratios would be above 0 even for a model that chooses blindly.

    Raises:
        ValueError: without a right option that has text.
    """
    if not sum(gold):
        raise ValueError("no right option has text")
    return 100 * (sum(chosen) - sum(gold)) / sum(gold)


def _choices(frames: Frames) -> pd.DataFrame:
    """The rows whose options can be chosen, with the settings of their task."""
    samples = frames.samples[["model", "task", "gold", "chosen"]].copy()
    for name in ("gold_characters", "chosen_characters"):
        samples[name] = frames.samples.get(name)
    samples = samples[samples.gold.notna() & samples.gold_characters.notna()]
    choices = samples.merge(frames.tasks[KEYS], on=["model", "task"])
    order = choices.variant.map({variant: place for place, variant in enumerate(in_order(list(choices.variant)))})
    keys = ["model", "dataset", "language", "prompt_language", "setting"]
    return choices.assign(order=order).sort_values([*keys, "order"], kind="stable").drop(columns="order")


def bias_table(frames: Frames) -> pd.DataFrame:
    """One row a model and multiple-choice task: RStd and length discrepancy of the headline metric's choices.

    Rows without a choice (no letter in the answer) count as not recalled and have no length; `unanswered` is how many.
    """
    rows = []
    for key, group in _choices(frames).groupby(KEYS, sort=False):
        chosen = [None if pd.isna(choice) else int(choice) for choice in group.chosen]
        answered = group[group.chosen_characters.notna()]
        rows.append(
            {
                **dict(zip(KEYS, key, strict=True)),
                "rows": len(group),
                "rstd": recall_deviation([int(gold) for gold in group.gold], chosen) if len(answered) else None,
                "length_discrepancy": length_discrepancy(list(answered.gold_characters), list(answered.chosen_characters))
                if len(answered)
                else None,
                "unanswered": chosen.count(None),
            }
        )
    return pd.DataFrame(rows, columns=[*KEYS, "rows", "rstd", "length_discrepancy", "unanswered"])


def position_table(frames: Frames) -> pd.DataFrame:
    """One row a model, multiple-choice task and position: how often it is right, how often chosen. Position 1 is the first."""
    rows = []
    for key, group in _choices(frames).groupby(KEYS, sort=False):
        golds, chosen = Counter(group.gold.astype(int)), Counter(group.chosen.dropna().astype(int))
        for position in range(max(*golds, *chosen, 0) + 1):
            rows.append(
                {
                    **dict(zip(KEYS, key, strict=True)),
                    "position": position + 1,
                    "gold": golds[position],
                    "chosen": chosen[position],
                    "gold_share": 100 * golds[position] / len(group),
                    "chosen_share": 100 * chosen[position] / len(group),
                }
            )
    return pd.DataFrame(rows, columns=[*KEYS, "position", "gold", "chosen", "gold_share", "chosen_share"])


def bias_section(analysis: Analysis) -> Section:
    """Positions and lengths that a model leans to."""
    positions = position_table(analysis.frames)
    wide = _wide_positions(positions)
    biases = bias_table(analysis.frames)
    keys = [MODEL, DATA_SET, LANGUAGE, PROMPT, *setting_column(biases), Column("variant", "variant")]
    return Section(
        "bias",
        "Bias",
        [
            "RStd is the standard deviation of recall over the positions of the right option, in percentage points (Zheng et al. "
            "2024): 0 without a preference, at most 50. Length discrepancy says by how much the chosen options are longer (+) "
            "or shorter (−) than the right ones, in per cent of their characters. Both after figure 3 of Guo et al. 2024."
        ],
        [
            _bias_figure(biases[biases.prompt_language != "en"], analysis.models),
            Table(
                "bias",
                "Bias to positions and lengths",
                "Choices of the headline metric; the length is that of the option's text, also where only its letter is ranked.",
                biases,
                [
                    *keys,
                    Column("rstd", "RStd", "percent", marker="limited"),
                    Column("length_discrepancy", "length discrepancy (%)", "points"),
                    Column("unanswered", "no letter", "count"),
                    Column("rows", "rows", "count"),
                ],
            ),
            _position_figure(positions[positions.prompt_language != "en"], analysis.models),
            Table(
                "positions",
                "Positions of the answers",
                "How often an option is chosen, and in brackets how often it is right, in per cent of the rows.",
                wide,
                [*keys, *(Column(name, name) for name in wide.columns if name.startswith("option "))],
            ),
        ],
    )


def _wide_positions(positions: pd.DataFrame) -> pd.DataFrame:
    rows: dict[tuple, dict[str, object]] = {}
    for record in positions.to_dict("records"):
        row = rows.setdefault((record["model"], record["task"]), {name: record[name] for name in KEYS})
        row[f"option {record['position']}"] = f"{record['chosen_share']:.1f} ({record['gold_share']:.1f})"
        row[f"chosen_{record['position']}"], row[f"gold_{record['position']}"] = record["chosen"], record["gold"]
    return pd.DataFrame(list(rows.values()), columns=None if rows else KEYS)


def _bias_figure(table: pd.DataFrame, models: Sequence[str]) -> Figure | None:
    """RStd and length discrepancy by variant, bars by model; a single variant of a single model needs no figure."""
    if table[["model", "variant"]].drop_duplicates().shape[0] < 2 or table.rstd.isna().all():
        return None
    worst = table.loc[table.rstd.idxmax()]
    return Figure(
        "bias",
        "Bias by prompt variant, mean over data sets and languages, native prompts. Left: RStd. Right: length discrepancy.",
        lambda theme: _draw_biases(table, models, theme),
        f"Bars by variant and model. The largest RStd is {worst.rstd:.0f} points, of {worst.model} on {worst.task}; the "
        f"median is {table.rstd.median():.0f}. Length discrepancies go from {table.length_discrepancy.min():+.0f} to "
        f"{table.length_discrepancy.max():+.0f} per cent.",
        table,
    )


def _draw_biases(table: pd.DataFrame, models: Sequence[str], theme: Theme) -> matplotlib.figure.Figure:
    variants = in_order(list(table.variant))
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
        axis.set_xticks(range(len(variants)), [variant_label(variant) for variant in variants], fontsize=7)
        axis.set_ylabel(label, fontsize=8)
        axis.grid(axis="x", visible=False)
    add_legend(figure, theme, bar_handles(models, theme), 3)
    return figure


def _position_figure(table: pd.DataFrame, models: Sequence[str]) -> Figure | None:
    """A panel per model and variant: how often each position is chosen and right, over the rows of all data sets."""
    if table.empty:
        return None
    shares = table.groupby(["model", "variant", "position"])[["chosen", "gold"]].sum()
    lean = (shares.chosen - shares.gold) / shares.gold.groupby(["model", "variant"]).transform("sum")
    model, variant, position = lean.idxmax()
    return Figure(
        "positions",
        "Share of rows on which the option at a position is chosen (bars) and right (line), all data sets, native prompts.",
        lambda theme: _draw_positions(table, models, theme),
        f"Bars of how often each position is chosen, with a line of how often it is right. The strongest lean is that of {model} "
        f"to position {position} in {variant}: {100 * lean.max():.0f} per cent of the rows more than right.",
        table,
    )


def _draw_positions(table: pd.DataFrame, models: Sequence[str], theme: Theme) -> matplotlib.figure.Figure:
    variants = in_order(list(table.variant))
    models = [model for model in models if model in set(table.model)]
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
            axis.set_title(variant_label(variant).replace("\n", " "), fontsize=8)
        if variant == variants[0]:
            axis.set_ylabel(f"{model}\n% of rows", fontsize=8)
        if model == models[-1]:
            axis.set_xlabel("position", fontsize=8)
    return figure
