"""The sections on answers that are chosen: robustness, bias, calibration."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report import bias, calibration, robustness
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, TASK, Section
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.report.tables import Column, Table

VARIANT_TITLES = {
    "to_ppl": "Tₒ",
    "tito_ppl": "TᵢTₒ",
    "litito_ppl": "LᵢTᵢTₒ",
    "litilo_ppl": "LᵢTᵢLₒ",
    "litilo_gen": "LᵢTᵢLₒ generated",
    "litiloto_ppl": "LᵢTᵢLₒTₒ",
}


def robustness_section(frames: Frames, headline: pd.DataFrame) -> Section:
    """What other prompts make of the scores."""
    table = robustness.robustness_table(headline)
    variants = [name for name in robustness.in_order(list(headline.variant)) if name in table.columns]
    mismatches = robustness.mismatch_table(frames)
    columns = [MODEL, DATA_SET, LANGUAGE, PROMPT, *_setting(table)]
    columns += [Column(name, VARIANT_TITLES.get(name, name), "percent", hint=name, marker="limited") for name in variants]
    columns += [Column("spread", "spread", "percent", hint="largest minus smallest, percentage points")]
    columns += [Column("chance", "chance", "percent")]
    return Section(
        "robustness",
        "Robustness of multiple choice",
        [
            "The same questions in different prompts (Guo et al. 2024, table 3). T is the text of an option, L its letter; i is "
            "what the prompt shows, o what the answer is. A large spread "
            "says that a score is as much of the prompt as of the model."
        ],
        [
            "robustness",
            Table("robustness", "Accuracy by prompt variant", "In per cent; spread in percentage points.", table, columns),
            Table(
                "mismatch",
                "Letters written and letters ranked",
                "Share of rows, in per cent, on which the generated letter is not the one with the lowest perplexity; an answer "
                "without a letter is a mismatch, too.",
                mismatches,
                [
                    MODEL,
                    DATA_SET,
                    LANGUAGE,
                    PROMPT,
                    *_setting(mismatches),
                    Column("mismatch", "mismatch", "percent", marker="limited"),
                    Column("unanswered", "no letter", "percent"),
                    Column("rows", "rows", "count"),
                ],
            ),
        ],
    )


def _setting(table: pd.DataFrame) -> list[Column]:
    """The column of settings, where there is one to name."""
    return [Column("setting", "setting")] if table.setting.any() else []


def bias_section(frames: Frames) -> Section:
    """Positions and lengths that a model leans to."""
    positions = bias.position_table(frames)
    wide = _wide_positions(positions)
    biases = bias.bias_table(frames)
    keys = [MODEL, DATA_SET, LANGUAGE, PROMPT, *_setting(biases), Column("variant", "variant")]
    return Section(
        "bias",
        "Bias",
        [
            "RStd is the standard deviation of recall over the positions of the right option, in percentage points (Zheng et al. "
            "2024): 0 without a preference, at most 50. Length discrepancy says by how much the chosen options are longer (+) "
            "or shorter (−) than the right ones, in per cent of their characters. Both after figure 3 of Guo et al. 2024."
        ],
        [
            "bias",
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
            "positions",
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
        row = rows.setdefault((record["model"], record["task"]), {name: record[name] for name in bias.KEYS})
        row[f"option {record['position']}"] = f"{record['chosen_share']:.1f} ({record['gold_share']:.1f})"
        row[f"chosen_{record['position']}"], row[f"gold_{record['position']}"] = record["chosen"], record["gold"]
    return pd.DataFrame(list(rows.values()), columns=None if rows else bias.KEYS)


def calibration_section(frames: Frames, suite: Suite) -> Section:
    """Choices before and after calibration."""
    table = calibration.calibration_table(frames).merge(
        frames.tasks[["model", "task", "dataset", "language", "variant", "limited"]]
    )
    labels = calibration.label_table(frames, suite.english_labels).merge(
        frames.tasks[["model", "task", "dataset", "language", "limited"]]
    )
    methods = [method for method in calibration.METHODS if labels[method].notna().any()]
    return Section(
        "calibration",
        "Calibration",
        [
            "A base model often answers one label for nearly every row. The methods take off what it would say without the row "
            "(Guo et al. 2024, tables 5 and 7 to 9); what each of them is stands in the README "
            "under “Classification and calibration”."
        ],
        [
            "calibration",
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
            "labels",
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
