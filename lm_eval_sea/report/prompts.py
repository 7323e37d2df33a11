"""How far a score depends on the wording of the instruction and on the exemplars.

After Mizrahi et al. 2024, "State of What Art? A Call for Multi-Prompt LLM Evaluation" (TACL): a model is judged by its scores
over several prompts.
"""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, Section
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.comparison import VARIATION

KINDS = {"p": "wording", "e": "exemplars"}  # a task without a setting is the first prompt of both
KEYS = ["model", "base", "dataset", "language", "prompt_language", "variant"]


def prompt_scores(headline: pd.DataFrame) -> pd.DataFrame:
    """The scores of tasks that a model was run on with several prompts, each with `base`, the plain task, and `varied`.

    A plain task stands once for each kind of variation that there is. Only scores on as many rows as those of the plain task
    count; without the plain task, the most rows of any prompt.

    Args:
        headline: `scores.headline_scores`.
    """
    if not headline.setting.str.fullmatch(VARIATION).any():
        headline = headline[:0]
    found = []
    for row in headline.to_dict("records"):
        match = VARIATION.fullmatch(row["setting"])
        if match:
            found.append(row | {"base": row["task"].removesuffix(f"_{row['setting']}"), "varied": KINDS[match[1]]})
        elif not row["setting"]:
            found += [row | {"base": row["task"], "varied": kind} for kind in KINDS.values()]
    frame = pd.DataFrame(found, columns=[*headline.columns, "base", "varied"])
    kept = []
    for _, group in frame.groupby(["model", "base", "varied"], sort=False):
        plain = group[group.setting == ""]
        rows = (group if plain.empty else plain).rows.max()
        alike = group[group.rows == rows]
        if len(alike) > 1:
            kept.append(alike)
    return pd.concat(kept, ignore_index=True) if kept else frame[:0]


def spread_table(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per model, task and kind of variation: number of prompts, plain score, mean, worst, best, best − worst; per cent.

    Args:
        scores: `prompt_scores`.
    """
    rows = []
    for key, group in scores.groupby([*KEYS, "varied"], sort=False):
        plain = group.score[group.setting == ""]
        rows.append(
            {
                **dict(zip([*KEYS, "varied"], key, strict=True)),
                "prompts": len(group),
                "plain": plain.iloc[0] if len(plain) else None,
                "mean": group.score.mean(),
                "worst": group.score.min(),
                "best": group.score.max(),
                "spread": group.score.max() - group.score.min(),
                "chance": group.chance.iloc[0],
                "limited": bool(group.limited.any()),
            }
        )
    columns = [*KEYS, "varied", "prompts", "plain", "mean", "worst", "best", "spread", "chance", "limited"]
    return pd.DataFrame(rows, columns=columns)


def prompts_section(scores: Scores) -> Section:
    """What other wordings and exemplars make of scores."""
    found = prompt_scores(scores.headline)
    percent = {"plain": "plain", "mean": "mean", "worst": "worst", "best": "best"}
    return Section(
        "prompts",
        "Robustness to the prompt",
        [
            "The same questions after instructions in other words (p2, p3) or other exemplars (e1, e2, …), after Mizrahi et al. "
            "2024. Part of a spread is chance: two prompts on the same rows differ by about as much as the intervals of their "
            "scores say, or less."
        ],
        [
            Table(
                "prompt_spread",
                "Scores over prompts",
                "In per cent; the spread, best minus worst, in percentage points.",
                spread_table(found),
                [
                    MODEL,
                    DATA_SET,
                    LANGUAGE,
                    PROMPT,
                    Column("base", "task"),
                    Column("varied", "varied"),
                    Column("prompts", "prompts", "count"),
                    *(Column(key, title, "percent", marker="limited") for key, title in percent.items()),
                    Column("spread", "spread", "percent"),
                    Column("chance", "chance", "percent"),
                ],
            ),
        ],
    )
