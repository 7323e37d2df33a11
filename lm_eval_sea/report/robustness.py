"""How much a score depends on the prompt: on its variant (Guo et al. 2024, table 3), on its wording and on its exemplars.

A model is judged by its scores over several prompts, as in Mizrahi et al. 2024, "State of What Art? A Call for Multi-Prompt LLM
Evaluation" (TACL).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import pandas as pd
from scipy import stats

from lm_eval_sea.report.chart import Chart, Line, Mark, Panel, dots
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, Figure, Section
from lm_eval_sea.report.tables import Column, Table, columns
from lm_eval_sea.results.comparison import VARIATION
from lm_eval_sea.results.uncertainty import CONFIDENCE
from lm_eval_sea.results.visible_text import some_names

# In the order of the paper's table; any other variant follows.
TITLES = {
    "to_ppl": "Tₒ",
    "tito_ppl": "TᵢTₒ",
    "litito_ppl": "LᵢTᵢTₒ",
    "litilo_ppl": "LᵢTᵢLₒ",
    "litilo_gen": "LᵢTᵢLₒ generated",
    "litiloto_ppl": "LᵢTᵢLₒTₒ",
}
VARIANTS = tuple(TITLES)
KEYS = ["model", "dataset", "language", "prompt_language", "setting", "num_fewshot"]
KINDS = {"p": "wording", "e": "exemplars"}  # a task without a setting is the first prompt of both
_SPREAD_BY_CHANCE = Column("by_chance", "by chance", "percent", hint="the spread of equally good prompts is below this")
_ABOUT = ["model", "base", "dataset", "language", "prompt_language", "variant", "num_fewshot"]
_EXEMPLARS = Column("num_fewshot", "exemplars", "count")
_BY_CHANCE = (
    "Part of a spread is chance: the spread of as many equally good prompts is below “by chance” in at least 95 % of cases, "
    "because their answers to the same rows are alike; so up to one line in twenty is above it by chance. The fewer the rows "
    "and the more prompts, the further apart are the best and the worst. So compare spreads only over the same numbers of "
    "prompts and rows."
)


def in_order(variants: Sequence[str]) -> list[str]:
    """Variants as the paper lists them, then the others by name."""
    return sorted(set(variants), key=lambda variant: (VARIANTS.index(variant) if variant in VARIANTS else len(VARIANTS), variant))


def spread_by_chance(errors: pd.Series) -> float:
    """The 95 % quantile of the spread of equally good prompts, from the standard errors of their scores.

        q(0.95; k, ∞) · √( Σ e² / k )

    with the quantile q of the studentised range of k independent scores (Tukey 1949) and their standard errors e. Prompts ask the
    same rows, and if their answers agree, the spread is smaller. NaN for one prompt, or if an error is unknown.
    """
    count = len(errors)
    return float(_range_quantile(count) * math.sqrt(errors.pow(2).mean())) if count > 1 and errors.notna().all() else math.nan


@cache
def _range_quantile(count: int) -> float:
    return float(stats.studentized_range.ppf(CONFIDENCE, count, math.inf))


def robustness_table(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per model, data set, language, prompt language, setting and number of exemplars; a column per variant, in per cent.

    Only scores on the most rows of any variant count. `spread` is the largest minus the smallest score over the variants, in
    percentage points, beside `by_chance`; None for one variant.
    """
    scores = scores[scores.dataset.isin(scores[scores.variant.isin(VARIANTS)].dataset)]  # data sets of multiple choice
    scores = scores[~(scores.rows < scores.groupby(KEYS, dropna=False).rows.transform("max"))]  # results may not say how many
    variants, groups = in_order(list(scores.variant)), scores.groupby(KEYS, sort=False, dropna=False)
    table = groups.agg(chance=("chance", "first"), rows=("rows", "min"), limited=("limited", "any"))
    table[variants] = scores.groupby([*KEYS, "variant"], dropna=False).score.last().unstack().reindex(table.index)[variants]
    spread = table[variants].max(axis=1) - table[variants].min(axis=1)
    table["spread"] = spread.where(table[variants].count(axis=1) > 1)
    table["by_chance"] = (
        scores.drop_duplicates([*KEYS, "variant"], keep="last").groupby(KEYS, dropna=False).stderr.agg(spread_by_chance)
    )
    return table.reset_index()[[*KEYS, *variants, "spread", "by_chance", "chance", "rows", "limited"]]


def setting_column(table: pd.DataFrame) -> list[Column]:
    """The column of settings, unless all are empty."""
    return [Column("setting", "setting")] if table.setting.any() else []


def prompt_label(in_english: bool, setting: str) -> str:
    """What a figure adds to data set and language if the prompt is not the plain one."""
    return (", English prompt" if in_english else "") + (f", {setting}" if setting else "")


def robustness_section(scores: Scores) -> Section:
    """What other prompts do to the scores."""
    table = robustness_table(scores.headline)
    variants = [name for name in in_order(list(scores.headline.variant)) if name in table.columns]
    shown = [
        *(MODEL, DATA_SET, LANGUAGE, PROMPT, *setting_column(table)),
        *(Column(name, TITLES.get(name, name), "percent", hint=name, marker="limited") for name in variants),
        Column("spread", "spread", "percent", hint="largest minus smallest, percentage points"),
        _SPREAD_BY_CHANCE,
        Column("chance", "chance", "percent"),
        _EXEMPLARS,
    ]
    text = (
        "The same questions in different prompts (Guo et al. 2024, table 3). T is the text of an option, L its letter; i is "
        "what the prompt shows, o what the answer is. A spread larger than chance is a sign that a score depends on the "
        f"prompt as well as on the model. {_BY_CHANCE}"
    )
    note = "In per cent; spread in percentage points. Only variants with the same number of exemplars are compared, on most rows."
    several = table[table.spread.notna()]
    native = scores.headline[scores.headline.prompt_language != "en"]
    parts = [
        _figure(robustness_table(native), scores),
        Table("robustness", "Accuracy by prompt variant", note, several, shown),
    ]
    return Section("robustness", "Robustness of multiple choice", [text], parts)


def _figure(table: pd.DataFrame, scores: Scores) -> Figure | None:
    variants = [name for name in VARIANTS if name in table]
    several = table[table.spread.notna()]
    if several.empty:
        return None
    panels = []
    for (dataset, language, setting), group in several.groupby(["dataset", "language", "setting"], sort=False):
        chance, keys = Mark(group.chance.iloc[0]), {"dataset": dataset, "language": language}
        lines = [Line(TITLES[name], [chance, *dots(group, name, "model")], {"variant": name}) for name in variants]
        title = scores.suite.title_of(dataset, language) + prompt_label(False, setting)
        panels.append(Panel(title, lines, axis="accuracy (%)", keys=keys))
    return Figure.of_chart(
        "robustness",
        "Accuracy of the same questions in the prompt variants, native prompts; the grey bar is chance.",
        Chart(panels, scores.models, columns=3),
    )


def prompt_scores(headline: pd.DataFrame) -> pd.DataFrame:
    """The scores of tasks that a model was run on with several prompts, each with `base`, the plain task, and `varied`.

    A plain task appears once for each kind of variation. Only prompts with the same number of exemplars are compared, and of
    these only scores on as many rows as those of the plain task; without the plain task, those on the most rows of any prompt.
    """
    kinds = headline.setting.str.extract(f"^{VARIATION.pattern}$")[0].map(KINDS)
    named = [task.removesuffix(f"_{setting}") for task, setting in zip(headline.task, headline.setting, strict=True)]
    headline = headline.assign(base=named, varied=kinds)
    plain = headline[headline.setting == ""]
    frame = pd.concat([headline[kinds.notna()], *(plain.assign(varied=kind) for kind in KINDS.values())])
    frame = frame.sort_index(kind="stable").reset_index(drop=True)  # the order of `headline`
    keys = ["model", "base", "varied", "num_fewshot"]
    of_plain = frame.assign(rows=frame.rows.where(frame.setting == "")).groupby(keys, dropna=False).rows.transform("max")
    frame = frame[frame.rows == of_plain.fillna(frame.groupby(keys, dropna=False).rows.transform("max"))]
    return frame[frame.groupby(keys, dropna=False).task.transform("size") > 1]


def not_compared(headline: pd.DataFrame) -> list[str]:
    """A line on the tasks with other prompts that `prompt_scores` leaves out; none if there are none."""
    varied = headline[headline.setting.str.fullmatch(VARIATION.pattern)]
    compared = prompt_scores(headline)
    left_out = {*zip(varied.model, varied.task, strict=True)} - {*zip(compared.model, compared.task, strict=True)}
    named = some_names([f"{task} of {model}" for model, task in sorted(left_out)])
    why = "the plain task was not run on as many rows with as many exemplars"
    return [f"Robustness to the prompt lacks {named}: {why}"] if left_out else []


def spread_table(scores: pd.DataFrame) -> pd.DataFrame:
    """From `prompt_scores`, a row per model, task, kind of variation and number of exemplars; scores in per cent."""
    table = scores.assign(plain=scores.score.where(scores.setting == "")).groupby([*_ABOUT, "varied"], sort=False, dropna=False)
    found = table.agg(
        prompts=("score", "size"),
        plain=("plain", "first"),
        mean=("score", "mean"),
        worst=("score", "min"),
        best=("score", "max"),
        chance=("chance", "first"),
        limited=("limited", "any"),
        by_chance=("stderr", spread_by_chance),
    )
    found.insert(5, "spread", found.best - found.worst)
    return found.reset_index()


def prompts_section(scores: Scores) -> Section:
    """What other wordings and exemplars do to scores."""
    shown = [
        *(MODEL, DATA_SET, LANGUAGE, PROMPT),
        *columns("text", base="task", varied="varied"),
        Column("prompts", "prompts", "count"),
        *columns("percent", plain="plain", mean="mean", worst="worst", best="best", marker="limited"),
        Column("spread", "spread", "percent"),
        _SPREAD_BY_CHANCE,
        Column("chance", "chance", "percent"),
        _EXEMPLARS,
    ]
    note = "In per cent; the spread, best minus worst, in percentage points."
    text = (
        "The same questions with instructions in other words (p2, p3) or other exemplars (e1, e2, …), as in Mizrahi et al. "
        f"2024. {_BY_CHANCE}"
    )
    spread = spread_table(prompt_scores(scores.headline))
    table = Table("prompt_spread", "Scores over prompts", note, spread, shown)
    return Section("prompts", "Robustness to the prompt", [text], [table])
