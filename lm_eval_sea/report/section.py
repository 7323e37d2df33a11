"""The shape of a section, its figures, and the columns that most tables have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import matplotlib.figure
import pandas as pd

from lm_eval_sea.report.chart import Chart, draw
from lm_eval_sea.report.tables import FILTERS, Column, Table

MODEL, TASK = Column("model", "model"), Column("task", "task")
DATA_SET, LANGUAGE, PROMPT = Column("dataset", "data set"), Column("language", "language"), Column("prompt_language", "prompt")
ROWS = Column("rows", "rows", "count", marker="limited")
SCORE = Column("score", "score [95 %]", "score", low="low", high="high", marker="limited", few="few", contradicted="contradicted")


@dataclass(frozen=True)
class Figure:
    """A figure: a chart, or else a picture."""

    name: str
    caption: str
    draw: Callable[[], matplotlib.figure.Figure]
    shows: pd.DataFrame | None = None  # the rows in a picture, by whose columns `FILTERS` the page filters it
    chart: Chart | None = None  # what the page shows instead of the picture, and filters mark by mark

    @classmethod
    def of_chart(cls, name: str, caption: str, chart: Chart) -> Figure:
        """A figure of lines with marks; if its caption tells of intervals and a dot has none, this is added."""
        dots = (mark for panel in chart.panels for line in panel.lines for mark in line.marks if mark.series)
        if "interval" in caption and any(mark.low is None for mark in dots):
            caption += " A dot without a line has no known interval."
        return cls(name, caption, lambda: draw(chart), chart=chart)

    def keys(self, names: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
        """What a picture shows, by the columns that the page filters by; `names` has the names of their values."""
        shows = {} if self.shows is None else self.shows
        values = {name: map(str, shows[name]) for name in FILTERS if name in shows}
        return {name: sorted({names.get(name, {}).get(value, value) for value in own}) for name, own in values.items()}


@dataclass(frozen=True)
class Section:
    """A part of the report."""

    name: str
    title: str
    text: Sequence[str]  # paragraphs
    parts: Sequence[Table | Figure | None]  # in order; None and tables without rows are left out
    lead: str = ""  # the answer, in a sentence
    after: Sequence[str] = ()  # paragraphs after the parts

    @property
    def shown(self) -> list[Table | Figure]:
        """The parts that have something to show."""
        return [part for part in self.parts if isinstance(part, Figure) or (part is not None and len(part.frame))]

    @property
    def tables(self) -> list[Table]:
        """Its tables."""
        return [part for part in self.shown if isinstance(part, Table)]

    @property
    def figures(self) -> list[Figure]:
        """Its figures."""
        return [part for part in self.shown if isinstance(part, Figure)]
