"""How far a score of multiple choice depends on the prompt (Guo et al. 2024, table 3)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lm_eval_sea.report.frames import Frames

# In the order of the paper's table; any other variant follows.
VARIANTS = ("to_ppl", "tito_ppl", "litito_ppl", "litilo_ppl", "litilo_gen", "litiloto_ppl")
RANKED, GENERATED = "litilo_ppl", "litilo_gen"
KEYS = ["model", "dataset", "language", "prompt_language", "setting"]


def in_order(variants: Sequence[str]) -> list[str]:
    """Variants as the paper lists them, then the others by name."""
    return sorted(set(variants), key=lambda variant: (VARIANTS.index(variant) if variant in VARIANTS else len(VARIANTS), variant))


def multiple_choice(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of data sets that come in several variants."""
    with_variants = scores[scores.variant.isin(VARIANTS)].dataset.unique()
    return scores[scores.dataset.isin(with_variants)]


def robustness_table(scores: pd.DataFrame) -> pd.DataFrame:
    """One row a model, data set, language, prompt language and setting; a column a variant with its score in per cent.

    `spread` is the largest minus the smallest score over the variants that were run, in percentage points; None for one variant.

    Args:
        scores: `scores.headline_scores`.
    """
    scores = multiple_choice(scores)
    variants = in_order(list(scores.variant))
    rows = []
    for key, group in scores.groupby(KEYS, sort=False):
        values = dict(zip(group.variant, group.score, strict=True))
        rows.append(
            {
                **dict(zip(KEYS, key, strict=True)),
                **{variant: values.get(variant) for variant in variants},
                "spread": max(values.values()) - min(values.values()) if len(values) > 1 else None,
                "chance": group.chance.iloc[0],
                "rows": group.rows.min(),
                "limited": bool(group.limited.any()),
            }
        )
    return pd.DataFrame(rows, columns=[*KEYS, *variants, "spread", "chance", "rows", "limited"])


def mismatch_rate(generated: Sequence[int | None], ranked: Sequence[int | None]) -> float:
    """Share of rows, in per cent, on which the letter written is not the letter ranked first; no letter is a mismatch.

    Raises:
        ValueError: without rows.
    """
    pairs = list(zip(generated, ranked, strict=True))
    if not pairs:
        raise ValueError("no rows to compare")
    return 100 * sum(a is None or b is None or a != b for a, b in pairs) / len(pairs)


def mismatch_table(frames: Frames) -> pd.DataFrame:
    """One row a model, data set, language, prompt language and setting with `litilo_gen` and `litilo_ppl` on the same rows."""
    tasks = frames.tasks[frames.tasks.variant.isin((RANKED, GENERATED)) & frames.tasks.of_pack]
    by_task = dict(list(frames.samples.groupby(["model", "task"], sort=False)))
    rows = []
    for key, group in tasks.groupby(KEYS, sort=False):
        names = dict(zip(group.variant, group.task, strict=True))
        found = [by_task.get((key[0], names.get(variant))) for variant in (GENERATED, RANKED)]
        if any(frame is None for frame in found):
            continue
        both = found[0].merge(found[1], on=["doc_id", "id"], suffixes=("_generated", "_ranked"))
        if both.empty:
            continue
        choices = [
            [None if pd.isna(choice) else int(choice) for choice in both[f"chosen_{kind}"]] for kind in ("generated", "ranked")
        ]
        rows.append(
            {
                **dict(zip(KEYS, key, strict=True)),
                "rows": len(both),
                "mismatch": mismatch_rate(*choices),
                "unanswered": 100 * choices[0].count(None) / len(both),
                "limited": bool(group.limited.any()),
            }
        )
    return pd.DataFrame(rows, columns=[*KEYS, "rows", "mismatch", "unanswered", "limited"])
