"""The sections of the report."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from lm_eval_sea.report.bias import bias_section
from lm_eval_sea.report.calibration import calibration_section
from lm_eval_sea.report.chart import MOST_MARKS
from lm_eval_sea.report.contamination import contamination_section
from lm_eval_sea.report.forms import forms_section
from lm_eval_sea.report.generation import generation_section
from lm_eval_sea.report.languages.section import languages_section
from lm_eval_sea.report.native import native_section
from lm_eval_sea.report.overview import means_section, overview_section, scores_section
from lm_eval_sea.report.provenance import provenance_section
from lm_eval_sea.report.published import published_section
from lm_eval_sea.report.robustness import prompts_section, robustness_section
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import Figure, Section
from lm_eval_sea.report.tables import Table
from lm_eval_sea.report.texts import texts_section
from lm_eval_sea.report.thoughts import thoughts_section


def sections(
    scores: Scores, totals: pd.DataFrame | None = None, *, steps: bool = False, published: bool = False
) -> list[Section]:
    """All sections that have something to show, except the samples. The flags are those of `write_report`."""
    made = [
        overview_section(scores, totals, steps=steps),
        scores_section(scores),
        means_section(scores),
        *([published_section(scores)] if published else []),
        native_section(scores),
        robustness_section(scores),
        prompts_section(scores),
        bias_section(scores),
        calibration_section(scores),
        generation_section(scores),
        thoughts_section(scores),
        forms_section(scores),
        contamination_section(scores),
        languages_section(scores),
        texts_section(scores),
        provenance_section(scores),
    ]

    def final(part: Table | Figure) -> Table | Figure | None:
        if isinstance(part, Table):
            return replace(part, names={**scores.suite.names, **part.names})
        return part if part.chart is None or part.chart.size <= MOST_MARKS else None

    found = [replace(section, parts=[part for shown in section.shown if (part := final(shown))]) for section in made]
    return [section for section in found if section.parts]
