"""What the report says, section by section."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from lm_eval_sea.report.analysis import Analysis
from lm_eval_sea.report.bias import bias_section
from lm_eval_sea.report.calibration_section import calibration_section
from lm_eval_sea.report.generation import generation_section
from lm_eval_sea.report.native import native_section
from lm_eval_sea.report.overview import comparison_section, overview_section
from lm_eval_sea.report.prompts import prompts_section
from lm_eval_sea.report.provenance import provenance_section
from lm_eval_sea.report.published import published_section
from lm_eval_sea.report.robustness import robustness_section
from lm_eval_sea.report.section import Figure, Section
from lm_eval_sea.report.tables import Table


def sections(
    analysis: Analysis, totals: pd.DataFrame | None = None, *, steps: bool = False, published: bool = False
) -> list[Section]:
    """All sections that have something to show, but the one of samples.

    Args:
        analysis: the numbers.
        totals: SEA-HELM's totals, if its tasks were run.
        steps: whether the models are checkpoints of one training run.
        published: whether to show published numbers beside the runs.
    """
    made = [
        overview_section(analysis, totals, steps=steps),
        comparison_section(analysis),
        *([published_section(analysis.frames)] if published else []),
        native_section(analysis),
        robustness_section(analysis),
        prompts_section(analysis),
        bias_section(analysis),
        calibration_section(analysis),
        generation_section(analysis),
        provenance_section(analysis),
    ]
    suite = analysis.suite
    names = {"language": suite.languages, "prompt_language": suite.languages, "dataset": suite.data_sets}

    def named(part: Table | Figure) -> Table | Figure:
        if isinstance(part, Table):
            return replace(part, names={**names, **part.names})
        shows = part.shows.replace({name: dict(names[name]) for name in names if name in part.shows})
        return replace(part, shows=shows, chart=part.chart and part.chart.named(names))

    return [replace(section, parts=[named(part) for part in section.shown]) for section in made if section.shown]
