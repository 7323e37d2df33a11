"""How far a score depends on the wording of the instruction and on the exemplars.

After Mizrahi et al. 2024, "State of What Art? A Call for Multi-Prompt LLM Evaluation" (TACL): a model is judged by its scores
over several prompts.
"""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, Section
from lm_eval_sea.report.tables import Column, Table, columns
from lm_eval_sea.results.comparison import VARIATION

KINDS = {"p": "wording", "e": "exemplars"}  # a task without a setting is the first prompt of both
KEYS = ["model", "base", "dataset", "language", "prompt_language", "variant"]


def prompt_scores(headline: pd.DataFrame) -> pd.DataFrame:
    """The scores of tasks that a model was run on with several prompts, each with `base`, the plain task, and `varied`.

    A plain task stands once for each kind of variation that there is. Only scores on as many rows as those of the plain task
    count; without the plain task, the most rows of any prompt.
    """
    kinds = headline.setting.str.extract(f"^{VARIATION.pattern}$")[0].map(KINDS)
    named = [task.removesuffix(f"_{setting}") for task, setting in zip(headline.task, headline.setting, strict=True)]
    headline = headline.assign(base=named, varied=kinds)
    plain = headline[headline.setting == ""] if kinds.notna().any() else headline[:0]
    frame = pd.concat([headline[kinds.notna()], *(plain.assign(varied=kind) for kind in KINDS.values())])
    frame = frame.sort_index(kind="stable").reset_index(drop=True)  # as `headline` has them
    keys = [frame[name] for name in ("model", "base", "varied")]
    of_plain = frame.rows.where(frame.setting == "").groupby(keys).transform("max")
    frame = frame[frame.rows == of_plain.fillna(frame.rows.groupby(keys).transform("max"))]
    return frame[frame.groupby(["model", "base", "varied"]).task.transform("size") > 1]


def spread_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Of `prompt_scores`, a row a model, task and kind of variation: number of prompts, scores in per cent, best − worst."""
    table = scores.assign(plain=scores.score.where(scores.setting == "")).groupby([*KEYS, "varied"], sort=False)
    measures = {"mean": "mean", "worst": "min", "best": "max"}
    found = table.agg(
        prompts=("score", "size"),
        plain=("plain", "first"),
        **{name: ("score", measure) for name, measure in measures.items()},
        chance=("chance", "first"),
        limited=("limited", "any"),
    )
    found.insert(5, "spread", found.best - found.worst)
    return found.reset_index()


def prompts_section(scores: Scores) -> Section:
    """What other wordings and exemplars make of scores."""
    shown = [
        *(MODEL, DATA_SET, LANGUAGE, PROMPT),
        *columns("text", base="task", varied="varied"),
        Column("prompts", "prompts", "count"),
        *columns("percent", plain="plain", mean="mean", worst="worst", best="best", marker="limited"),
        *columns("percent", spread="spread", chance="chance"),
    ]
    note = "In per cent; the spread, best minus worst, in percentage points."
    text = (
        "The same questions after instructions in other words (p2, p3) or other exemplars (e1, e2, …), after Mizrahi et al. "
        "2024. Part of a spread is chance: two prompts on the same rows differ by about as much as the intervals of their "
        "scores say, or less."
    )
    spread = spread_table(prompt_scores(scores.headline))
    table = Table("prompt_spread", "Scores over prompts", note, spread, shown)
    return Section("prompts", "Robustness to the prompt", [text], [table])
