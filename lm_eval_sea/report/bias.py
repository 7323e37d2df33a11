"""Whether a model leans to a position or to long options, whatever they say (Guo et al. 2024, figure 3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.robustness import in_order

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
