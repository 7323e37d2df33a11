"""What the report says, section by section: tables from the modules of this package, with the text around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from lm_eval_sea.report import differences, generation, provenance, scores
from lm_eval_sea.report.choice_sections import bias_section, calibration_section, robustness_section
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.overview_section import overview_section
from lm_eval_sea.report.section import LANGUAGE, MODEL, ROWS, SCORE, TASK, Section
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.report.tables import Column, Table


def sections(frames: Frames, suite: Suite) -> list[Section]:
    """All sections but the one of samples."""
    headline = scores.headline_scores(frames)
    made = [
        overview_section(frames, headline, suite),
        robustness_section(frames, headline),
        bias_section(frames),
        calibration_section(frames, suite),
        _generation(frames),
        _uncertainty(frames, headline),
        _provenance(frames),
    ]
    names = {"language": suite.languages, "prompt_language": suite.languages, "dataset": suite.data_sets}
    return [_named(section, names) for section in made]


def _named(section: Section, names: Mapping[str, Mapping[str, str]]) -> Section:
    parts = [replace(part, names={**names, **part.names}) if isinstance(part, Table) else part for part in section.parts]
    return replace(section, parts=[part for part in parts if isinstance(part, str) or len(part.frame)])


def _generation(frames: Frames) -> Section:
    table = generation.generation_table(frames)
    used = [metric for metric in generation.METRICS if table[metric].notna().any()]
    return Section(
        "generation",
        "Generated answers",
        ["All metrics in per cent of the best value. Off-target answers are in another language or script than asked for."],
        [
            Table(
                "generation",
                "Metrics",
                "",
                table,
                [MODEL, TASK, *(Column(metric, metric, "percent", marker="limited") for metric in used), ROWS],
            ),
            "translation",
            Table(
                "translation",
                "Translation by direction",
                "chrF++ from English into the language and back; the difference is the "
                "former minus the latter. After figure 1 of Guo et al. 2024.",
                generation.translation_table(frames),
                [
                    MODEL,
                    LANGUAGE,
                    Column("prompt", "prompt"),
                    Column("from_english", "English → x", "percent"),
                    Column("into_english", "x → English", "percent"),
                    Column("difference", "difference", "points", marker="limited"),
                ],
                {"prompt": {"native": "in the language", "en": "English"}},
            ),
        ],
    )


def _uncertainty(frames: Frames, headline: pd.DataFrame) -> Section:
    return Section(
        "uncertainty",
        "Uncertainty",
        [
            "Rows that share a passage or premise are not independent: the clustered standard error counts them together (Miller "
            "2024), the plain one takes every row for itself. Both in percentage points. Of metrics that are made of all rows at "
            "once (BLEU, chrF++) the error is lm-eval's bootstrap.",
            "Two models are compared on the rows that both were asked. The p-values are corrected for the number of comparisons "
            "in the table (Holm): of those below 0.05 none is a false alarm with a probability of 95 %.",
        ],
        [
            Table(
                "scores",
                "Scores and standard errors",
                "",
                headline,
                [
                    MODEL,
                    TASK,
                    Column("metric", "metric"),
                    SCORE,
                    Column("stderr_plain", "error, plain", "error"),
                    Column("stderr", "error, clustered", "error"),
                    Column("clusters", "clusters", "count"),
                    ROWS,
                    Column("rows_total", "of", "count"),
                ],
            ),
            Table(
                "differences",
                "Differences between models",
                "First minus second, in percentage points, with a 95 % interval. Where the headline is made of all rows at once, "
                "“metric” is that of the single rows.",
                _with_settings(differences.differences_table(frames), frames),
                [
                    TASK,
                    Column("first", "first"),
                    Column("second", "second"),
                    Column("metric", "metric"),
                    Column("difference", "difference [95 %]", "points", low="low", high="high", marker="limited"),
                    Column("p_value", "p", "p"),
                    Column("p_holm", "p, corrected", "p"),
                    Column("rows", "rows", "count"),
                ],
            ),
        ],
    )


def _with_settings(table: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    settings = frames.tasks.groupby("task", sort=False).agg(
        {"dataset": "first", "language": "first", "variant": "first", "limited": "any"}
    )
    return table.merge(settings.reset_index(), on="task", how="left")


def _provenance(frames: Frames) -> Section:
    tasks = provenance.task_table(frames)
    warned = pd.DataFrame({"warning": [*provenance.warnings(frames, tasks), *frames.notes]})
    return Section(
        "provenance",
        "Provenance",
        ["How the numbers were made. “data” and “exemplars” are the beginnings of SHA-256 digests: equal digests, equal text."],
        [
            Table("warnings", "Notes and warnings", "", warned, [Column("warning", "what to know before comparing")]),
            Table(
                "runs",
                "Runs",
                "",
                frames.runs,
                [
                    MODEL,
                    Column("model_name", "full name"),
                    *(
                        Column(key, key.replace("_", " "))
                        for key in (
                            "date",
                            "backend",
                            "revision",
                            "dtype",
                            "softmax_dtype",
                            "arguments",
                            "limit",
                            "chat_template",
                            "system_instruction",
                            "generation",
                            "lm_eval",
                            "transformers",
                        )
                    ),
                ],
            ),
            Table(
                "provenance",
                "Tasks",
                "",
                tasks,
                [
                    MODEL,
                    TASK,
                    Column("pack", "pack"),
                    Column("version", "version"),
                    Column("prompt_book", "prompt book"),
                    Column("source", "source"),
                    Column("revision", "revision"),
                    Column("data", "data"),
                    Column("num_fewshot", "exemplars shown", "count"),
                    Column("exemplars", "exemplars"),
                    Column("signatures", "signatures"),
                ],
            ),
        ],
    )
