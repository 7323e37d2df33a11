"""Whether a model leans to a position or to long options, whatever they say (Guo et al. 2024, figure 3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import pstdev
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from lm_eval_sea.report.chart import Chart, Line, Mark, Panel, dots, scale_around
from lm_eval_sea.report.robustness import TITLES, in_order, setting_column
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, Figure, Section
from lm_eval_sea.report.tables import Column, Table, columns, mean_and_ends, with_interval
from lm_eval_sea.results.uncertainty import CONFIDENCE, FEWEST_CLUSTERS, Estimate, ratio_of_sums
from lm_eval_sea.tasks._shared.facts import ORDER

KEYS = ["model", "task", "dataset", "language", "prompt_language", "setting", "variant", "limited"]
_ANSWER = ["gold", "chosen", "gold_characters", "chosen_characters", "cluster"]


def recall_deviation(golds: Sequence[float], chosen: Sequence[float | None], draws: int = 1) -> tuple[float, float]:
    """RStd, the standard deviation of recall over positions, in percentage points (Zheng et al. 2024, arXiv:2309.03882).

        sqrt( Σ_k (r_k − r̄)² / K ),   r_k = 100 · share of the rows with gold position k on which k is chosen

    over the K positions that are right at least once; at most 50. Recalls of few rows differ by chance. So the second number is
    the 95 % quantile of RStd for a model without a preference that is right on a share a of the rows. The square of RStd is then
    about a (1 − a) / K times a weighted sum of χ², whose quantile is that of the scaled χ² with the same mean t and variance 2 u
    (Satterthwaite 1941):

        100 · sqrt( a (1 − a) / K · u / t · χ²(0.95; t² / u) )
        t = (1 − 1/K) Σ_k 1/n_k,   u = (1 − 2/K) Σ_k 1/n_k² + (Σ_k 1/n_k)² / K²,   n_k = rows with gold position k

    For a single position both are 0. With several `draws`, r_k and a are over all answers; n_k counts each row once, because its
    answers may be alike, so the quantile is rather too large.
    """
    totals = Counter(golds)
    hits = Counter(gold for gold, choice in zip(golds, chosen, strict=True) if gold == choice)
    right, positions = hits.total() / len(golds), len(totals)
    parts = [draws / total for total in totals.values()]
    mean = (1 - 1 / positions) * sum(parts)
    square = (1 - 2 / positions) * sum(part * part for part in parts) + (sum(parts) / positions) ** 2
    quantile = square / mean * special.chdtri(mean * mean / square, 1 - CONFIDENCE) if mean else 0.0
    most = math.sqrt(right * (1 - right) / positions * quantile)
    return pstdev(100 * hits[position] / total for position, total in totals.items()), 100 * most


def length_discrepancy(gold: Sequence[float], chosen: Sequence[float], clusters: Sequence[str]) -> Estimate:
    """By how much the chosen options are longer than the right ones, as a share of these; negative if shorter.

        (Σ_i c_i − Σ_i g_i) / Σ_i g_i

    c_i and g_i are the lengths of the chosen and of the right option of row i in Unicode code points. A ratio of sums: the mean
    of ratios would be above 0 even for a model that chooses blindly. There is no interval with fewer than `FEWEST_CLUSTERS`
    clusters, nor where all clusters are alike.
    """
    lengths = pd.DataFrame({"longer": np.subtract(chosen, gold), "gold": gold})
    sums = lengths.groupby(list(clusters)).sum()
    found = ratio_of_sums(list(zip(sums.longer, sums.gold, strict=True)))
    return found if found.stderr and len(sums) >= FEWEST_CLUSTERS else found._replace(low=None, high=None)


def _choices(scores: Scores) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """For each task with options to choose: its settings, and its answers of all draws with the columns `_ANSWER`."""
    tasks = scores.tasks[scores.tasks.setting != ORDER][KEYS]
    order = in_order(list(tasks.variant))
    about = ("model", "dataset", "language", "prompt_language", "setting")
    for task in sorted(tasks.to_dict("records"), key=lambda task: (*map(task.get, about), order.index(task["variant"]))):
        draws = scores.of[task["model"], task["task"]].each_draw
        frames = [draw.logged.frame[_ANSWER].dropna(subset=["gold", "gold_characters"]) for draw in draws if draw.logged]
        if any(map(len, frames)):
            yield task | {"draws": len(frames)}, pd.concat(frames).astype(dict.fromkeys(_ANSWER[:-1], float))


def bias_table(scores: Scores) -> pd.DataFrame:
    """One row per model and multiple-choice task: RStd (also by chance) and length discrepancy of the headline metric's choices.

    The length discrepancy is in per cent, with its 95 % interval. Rows without a choice (no letter in the answer) count as not
    recalled and have no length; `unanswered` is how many. The length discrepancy is None if no right option has text, RStd
    if no row has a choice or one position is always right.
    """
    rows = []
    for task, answers in _choices(scores):
        answered, golds = answers.dropna(subset="chosen_characters"), answers.gold.tolist()
        row = {**task, "rows": len(answers), "unanswered": int(answers.chosen.isna().sum())}
        if len(answered) and len(set(golds)) > 1:
            row["rstd"], row["rstd_by_chance"] = recall_deviation(golds, answers.chosen.tolist(), task["draws"])
        if answered.gold_characters.any():
            lengths = answered[["gold_characters", "chosen_characters", "cluster"]].to_dict("list").values()
            row |= mean_and_ends("length_discrepancy", length_discrepancy(*lengths), 100)
        rows.append(row)
    numbers = ["rstd", "rstd_by_chance", *(f"length_discrepancy{end}" for end in ("", "_low", "_high"))]
    return pd.DataFrame(rows, columns=[*KEYS, "rows", *numbers, "unanswered"]).astype(dict.fromkeys(numbers, "float64"))


def position_table(scores: Scores) -> pd.DataFrame:
    """One row per model, multiple-choice task and position: how often it is right, how often chosen. Position 1 is the first."""
    rows = []
    for task, answers in _choices(scores):
        counts = {side: Counter(answers[side].dropna().astype(int)) for side in ("gold", "chosen")}
        for position in range(1 + max(counts["gold"] | counts["chosen"])):
            own = {side: count[position] for side, count in counts.items()}
            shares = {f"{side}_share": 100 * count / len(answers) for side, count in own.items()}
            rows.append({**task, "position": position + 1, **own, **shares})
    return pd.DataFrame(rows, columns=[*KEYS, "position", "gold", "chosen", "gold_share", "chosen_share"])


def bias_section(scores: Scores) -> Section:
    """Positions and lengths that a model prefers."""
    positions, biases = position_table(scores), bias_table(scores)
    wide = _wide_positions(positions)
    keys = [MODEL, DATA_SET, LANGUAGE, PROMPT, *setting_column(biases), Column("variant", "variant")]
    text = (
        "RStd is the standard deviation of recall over the positions of the right option, in percentage points (Zheng et al. "
        "2024), at most 50. Even without a preference it is above 0, the more so the fewer the rows: in 95 % of cases it is then "
        "below “by chance”, so one line in twenty is above it by chance. Do not compare RStd over different numbers of rows. "
        "Length discrepancy says by how much the chosen options are longer (+) or shorter (−) than the right ones, in per cent "
        "of their characters, with a 95 % interval by passage. A model that guesses has one, too, if right options are longer "
        "or shorter than wrong ones. Both after figure 3 of Guo et al. 2024."
    )
    of_bias = "Choices of the headline metric; the length is that of the option's text, also where only its letter is ranked."
    of_positions = "How often an option is chosen, and in brackets how often it is right, in per cent of the rows."
    measures = [
        Column("rstd", "RStd", "percent", marker="limited"),
        Column("rstd_by_chance", "by chance", "percent", hint="RStd is below this in 95 % of cases if there is no preference"),
        with_interval("length_discrepancy", "length discrepancy (%) [95 %]", "points", marker="limited"),
        *columns("count", unanswered="no letter", rows="rows"),
    ]
    options = [Column(name, name, marker="limited") for name in wide.columns if name.startswith("option ")]
    parts = [
        _bias_figure(biases[biases.prompt_language != "en"], scores),
        Table("bias", "Bias to positions and lengths", of_bias, biases, [*keys, *measures]),
        _position_figure(positions[positions.prompt_language != "en"], scores),
        Table("positions", "Positions of the answers", of_positions, wide, [*keys, *options]),
    ]
    return Section("bias", "Bias", [text, *scores.of_seeds("the answers of all count, each as a row")], parts)


def _wide_positions(positions: pd.DataFrame) -> pd.DataFrame:
    """A row per model and task; a column per option."""
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for record in positions.to_dict("records"):
        row = rows.setdefault((record["model"], record["task"]), {name: record[name] for name in KEYS})
        place = record["position"]
        row[f"option {place}"] = f"{record['chosen_share']:.1f} ({record['gold_share']:.1f})"
        row |= {f"chosen_{place}": record["chosen"], f"gold_{place}": record["gold"]}
    return pd.DataFrame(list(rows.values()), columns=None if rows else KEYS)


def _bias_figure(table: pd.DataFrame, scores: Scores) -> Figure | None:
    """RStd and length discrepancy by variant, a dot for each model, data set and language; one variant makes no figure."""
    if table.variant.nunique() < 2 or table.rstd.isna().all():
        return None
    variants = {variant: TITLES.get(variant, variant) for variant in in_order(list(table.variant))}
    scales = {"rstd": ((0.0, 50.0), "RStd (percentage points)")}
    scales["length_discrepancy"] = (scale_around(table.length_discrepancy.dropna()), "length discrepancy (%)")
    panels = [Panel("", _lines(table, column, "variant", variants), *scale) for column, scale in scales.items()]
    return Figure.of_chart(
        "bias",
        "Bias by prompt variant, native prompts; a dot for each data set and language. Left: RStd. Right: length discrepancy.",
        Chart(panels, scores.models, columns=2),
    )


def _position_figure(table: pd.DataFrame, scores: Scores) -> Figure | None:
    """A panel per model and variant: by how much each position is chosen more often than it is right."""
    if table.empty:
        return None
    table = table.assign(lean=table.chosen_share - table.gold_share)
    scale = scale_around(table.lean)
    positions = {position: f"option {position}" for position in range(1, max(table.position) + 1)}
    panels = [
        Panel(
            f"{model}, {TITLES.get(variant, variant)}",
            _lines(group, "lean", "position", positions),
            scale,
            "chosen more often than right (% of rows)",
            {"model": model, "variant": variant},
        )
        for (model, variant), group in table.groupby(["model", "variant"], sort=False)
    ]
    return Figure.of_chart(
        "positions",
        "How much more often (to the right) or less often (to the left) an option is chosen than it is right, native prompts; "
        "a dot for each data set and language.",
        Chart(panels, scores.models, columns=3),
    )


def _lines(table: pd.DataFrame, column: str, by: str, labels: Mapping[Any, str]) -> list[Line]:
    """A line for each value of the column `by`, with a guide at 0; the page filters by that column if it is the variant."""
    return [
        Line(
            label,
            [Mark(0.0), *dots(table[table[by] == value], column, "model", "dataset", "language")],
            {by: value} if by == "variant" else {},
        )
        for value, label in labels.items()
    ]
