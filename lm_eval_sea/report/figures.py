"""The figures of the report. A function gets frames and a theme and returns a figure, or None where there is nothing to draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lm_eval_sea.report import bias, choice_figures, generation, scores
from lm_eval_sea.report.figure_style import Theme, add_legend, model_handle, new_figure, styles
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.suite import Suite, task_title


def figures(frames: Frames, suite: Suite) -> dict[str, tuple[str, Callable[[Theme], Figure | None]]]:
    """Name → what the figure shows, and what draws it."""
    headline = scores.headline_scores(frames)
    native = headline[headline.prompt_language != "en"]
    models = sorted(frames.tasks.model.unique())
    biases = bias.bias_table(frames)
    translation = generation.translation_table(frames)
    return {
        "overview": (
            "Headline scores of the suite with 95 % intervals; the grey bar is chance.",
            lambda theme: overview(headline, suite, models, theme),
        ),
        "robustness": (
            "Accuracy of the same questions in the prompt variants, native prompts; the dotted line is chance.",
            lambda theme: choice_figures.prompt_variants(native, suite, models, theme),
        ),
        "bias": (
            "Bias by prompt variant, mean over data sets and languages, native prompts. Left: RStd. Right: length discrepancy.",
            lambda theme: choice_figures.biases_by_variant(biases[biases.prompt_language != "en"], models, theme),
        ),
        "positions": (
            "Share of rows on which the option at a position is chosen (bars) and right (line), all data sets, native prompts.",
            lambda theme: choice_figures.positions(bias.position_table(frames), models, theme),
        ),
        "calibration": (
            "Accuracy before and after calibration; the grey bar is chance.",
            lambda theme: choice_figures.before_and_after(frames, suite, models, theme),
        ),
        "labels": (
            "Labels: right, chosen without calibration (log-likelihood), and after contextual calibration; native prompts.",
            lambda theme: choice_figures.label_shares(frames, suite, models, theme),
        ),
        "translation": (
            "chrF++ by direction; hatched: English prompts.",
            lambda theme: directions(translation, suite, models, theme),
        ),
    }


def overview(headline: pd.DataFrame, suite: Suite, models: Sequence[str], theme: Theme) -> Figure | None:
    """Scores of the members of the suite, one line each, with intervals and chance."""
    found = headline[headline.task.isin(suite.members)]
    names = [name for name in suite.members if name in set(found.task)]
    if not names:
        return None
    figure, [axis] = new_figure(theme, 1, 1, 7.5, 1.2 + 0.24 * len(names))
    style = styles(models)
    step = 0.7 / len(models)
    for place, name in enumerate(names):
        for row in found[found.task == name].itertuples():
            y = place + step * (models.index(row.model) - (len(models) - 1) / 2)
            look = style[row.model]
            if not pd.isna(row.low):
                axis.plot([row.low, row.high], [y, y], color=look.colour, linewidth=1)
            axis.plot(row.score, y, marker=look.marker, color=look.colour, markersize=4.5, linestyle="")
            if row.chance:
                axis.plot([row.chance] * 2, [place - 0.4, place + 0.4], color=theme.ink, alpha=0.4, linewidth=2, zorder=0)
    axis.set_yticks(range(len(names)), [task_title(found[found.task == name].iloc[0], suite) for name in names])
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set_xlim(-2, 102)
    axis.set_xlabel("headline score (%)", fontsize=8)
    add_legend(figure, theme, [model_handle(model, style[model]) for model in models], 3)
    return figure


def directions(table: pd.DataFrame, suite: Suite, models: Sequence[str], theme: Theme) -> Figure | None:
    """chrF++ from and into English: bars by model, hatched for English prompts."""
    if table.empty:
        return None
    languages = list(dict.fromkeys(table.language))
    figure, axes = new_figure(theme, 1, 2, 8.4, 3.2)
    style = styles(models)
    width = 0.84 / (2 * len(models))
    for axis, (column, title) in zip(axes, (("from_english", "English → x"), ("into_english", "x → English")), strict=True):
        for number, (model, prompt) in enumerate(
            (model, prompt) for model in models for prompt in ("native", generation.ENGLISH)
        ):
            found = table[(table.model == model) & (table.prompt == prompt)].set_index("language")[column]
            places = [place + width * (number - len(models) + 0.5) for place in range(len(languages))]
            axis.bar(places, [found.get(language) or 0 for language in languages], width * 0.92, color=style[model].colour,
                     hatch="" if prompt == "native" else "////", edgecolor=theme.paper, linewidth=0.4)  # fmt: skip
        axis.set_xticks(range(len(languages)), [suite.languages.get(language, language) for language in languages])
        axis.set_title(title, fontsize=8.5)
        axis.set_ylim(0, 1.08 * max(table[["from_english", "into_english"]].max().max(), 1))
        axis.set_ylabel("chrF++", fontsize=8)
        axis.grid(axis="x", visible=False)
    handles = [Patch(facecolor=style[model].colour, label=model) for model in models]
    handles.append(Patch(facecolor=theme.faint, hatch="////", edgecolor=theme.paper, label="English prompts"))
    add_legend(figure, theme, handles, 4)
    return figure
