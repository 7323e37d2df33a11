"""A chart of lines with marks on a scale, described once, both for the page, which filters it, and for a picture.

Every mark says which rows of the runs it stands for, so that the page's filters can hide the others. So no mark is a mean over
data sets, languages or models, which filters could not change. Colour-blind readers can tell the colours apart, and each colour
has its own marker and line style.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import matplotlib.figure
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from lm_eval_sea.results.types import grouped

MOST_MARKS = 1500  # of a figure; one with more shows nothing beyond its table
Keys = Mapping[str, str]  # filter → its value

# Okabe and Ito 2008, with grey for the yellow and the black, which vanish on white and on dark paper.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")
INK = "#1a1a1a"
DOTS_PER_INCH = 150


@dataclass(frozen=True)
class Style:
    """How one series is drawn."""

    colour: str
    marker: str
    line: str


def styles(names: Sequence[str]) -> Mapping[str, Style]:
    """A style for each name; neighbours differ in everything."""
    kinds = (_COLOURS, _MARKERS, _LINES)
    return {name: Style(*(kind[place % len(kind)] for kind in kinds)) for place, name in enumerate(names)}


def new_figure(
    panels: int, columns: int, width: float, height: float, height_ratios: Sequence[float] | None = None
) -> tuple[matplotlib.figure.Figure, list[Axes]]:
    """A figure and the axes of its panels, in the order of reading; sizes in inches, rows of equal height by default."""
    figure = matplotlib.figure.Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")
    axes = list(figure.subplots(-(-panels // columns), columns, squeeze=False, height_ratios=height_ratios).flat)
    for place, axis in enumerate(axes):
        axis.set_visible(place < panels)
        axis.set_facecolor("white")  # overrides a user's matplotlibrc: ink on black cannot be seen
        axis.spines[["top", "right"]].set_visible(False)
        axis.spines[:].set_color(INK)
        axis.tick_params(colors=INK, labelsize=8)
        for label in (axis.xaxis.label, axis.yaxis.label, axis.title):
            label.set_color(INK)
        axis.grid(color="#c8c8c8", linewidth=0.5, alpha=0.7)
        axis.set_axisbelow(True)
    return figure, axes[:panels]


def add_legend(figure: matplotlib.figure.Figure, looks: Mapping[str, Style], *, lines: bool) -> None:
    """A legend above the axes; `lines` says whether lines connect the points."""
    handles = []
    for name, look in looks.items():
        handles.append(Line2D([], [], color=look.colour, marker=look.marker, markersize=5, label=name))
        handles[-1].set(linestyle=look.line if lines else "")
    look_of_box = {"fontsize": 8, "facecolor": "white", "edgecolor": "white", "labelcolor": INK}
    figure.legend(handles=handles, loc="outside upper left", ncols=4, **look_of_box)


def keys_of(row: Mapping[str, Any], *names: str) -> dict[str, str]:
    """The filters among `names` that a row has values for."""
    return {name: str(row[name]) for name in names if row.get(name)}


@dataclass(frozen=True)
class Mark:
    """One thing on a line: a dot at `value` with the interval `low` to `high`, or without a series a guide, such as chance."""

    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""  # decides its look
    keys: Keys = field(default_factory=dict)

    def text(self, names: Mapping[str, Mapping[str, str]]) -> str:
        """The tooltip; a guide has none. `names` has the names of the values of filters."""
        interval = "" if self.low is None or self.high is None else f" [{self.low:.1f}, {self.high:.1f}]"
        place = ", ".join(names.get(name, {}).get(value, value) for name, value in self.keys.items() if name != "model")
        return f"{self.series}: {self.value:.1f}{interval}" + (f" ({place})" if place else "")


def dots(rows: pd.DataFrame, value: str, *keys: str, series: str = "model", ends: tuple[str, str] | None = None) -> list[Mark]:
    """A dot for each row that has a value; the other arguments name the columns of its filters, series and interval."""
    low, high = ends or ("", "")
    return [
        Mark(row[value], _known(row.get(low)), _known(row.get(high)), row[series], keys_of(row, *keys))
        for row in rows.to_dict("records")
        if _known(row[value]) is not None
    ]


def _known(value: float | None) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


@dataclass(frozen=True)
class Line:
    """One line with its marks."""

    label: str
    marks: Sequence[Mark]
    keys: Keys = field(default_factory=dict)


@dataclass(frozen=True)
class Panel:
    """Lines on one scale."""

    title: str
    lines: Sequence[Line]
    scale: tuple[float, float] = (0.0, 100.0)
    axis: str = ""  # what the scale is
    keys: Keys = field(default_factory=dict)

    def place(self, value: float) -> float:
        """Where a value is on the scale, from 0 to 100."""
        low, high = self.scale
        return 100 * min(1.0, max(0.0, (value - low) / (high - low)))

    @cached_property
    def marked(self) -> set[str]:
        """The series that have marks here."""
        return {mark.series for line in self.lines for mark in line.marks}

    def present(self, series: Sequence[str]) -> list[str]:
        """Those of a chart's series that have marks here."""
        return [name for name in series if name in self.marked]

    @property
    def ticks(self) -> list[float]:
        """Round values on the scale."""
        low, high = self.scale
        return [float(tick) for tick in MaxNLocator(5).tick_values(low, high) if low <= tick <= high]


@dataclass(frozen=True)
class Chart:
    """Panels whose marks belong to the same series."""

    panels: Sequence[Panel]
    series: Sequence[str] = ()  # in the same order in all charts, so that they look the same
    series_are_models: bool = True
    columns: int = 1  # panels side by side, if there is room

    @property
    def size(self) -> int:
        """How many marks there are."""
        return sum(len(line.marks) for panel in self.panels for line in panel.lines)

    @cached_property
    def legend(self) -> Mapping[str, Style]:
        """The series that have marks, and how they look."""
        seen = set[str]().union(*(panel.marked for panel in self.panels))
        return {name: look for name, look in styles(self.series).items() if name in seen}

    def offset(self, mark: Mark, panel: Panel) -> float:
        """How far a dot stands below the middle of its line, −0.3 to 0.3, so that series do not hide each other."""
        present = panel.present(self.series)
        return 0.6 * (present.index(mark.series) / (len(present) - 1) - 0.5) if mark.series and len(present) > 1 else 0.0


def scale_around(values: Iterable[float]) -> tuple[float, float]:
    """A scale around 0 that holds all values, and at least −20 to 20."""
    end = max([20.0, *(abs(value) for value in values)])
    return -end, end


def draw(chart: Chart) -> matplotlib.figure.Figure:
    """The chart as a picture."""
    columns = min(chart.columns, len(chart.panels))
    grid = [chart.panels[start : start + columns] for start in range(0, len(chart.panels), columns)]
    most = [max(len(panel.lines) for panel in row) for row in grid]
    height = sum(0.26 * number + 0.75 for number in most) + 0.4 + 0.2 * (len(chart.legend) // 4)
    figure, axes = new_figure(len(chart.panels), columns, max(7.5, 3.6 * columns), height, [number + 2 for number in most])
    for axis, panel in zip(axes, chart.panels, strict=True):
        _draw_panel(axis, chart, panel)
    if chart.legend:
        add_legend(figure, chart.legend, lines=False)
    return figure


def _draw_panel(axis: Axes, chart: Chart, panel: Panel) -> None:
    marks = ((place, mark) for place, line in enumerate(panel.lines) for mark in line.marks)
    by_series = grouped((mark.series, (place + chart.offset(mark, panel), mark)) for place, mark in marks)
    for series, placed in by_series.items():  # all alike at once: matplotlib takes as long for one as for many
        ys, values = [y for y, _ in placed], [mark.value for _, mark in placed]
        if not series:
            axis.vlines(values, [y - 0.4 for y in ys], [y + 0.4 for y in ys], color=INK, alpha=0.4, linewidth=2, zorder=0)
        else:
            look = chart.legend[series]
            ends = [(y, mark.low, mark.high) for y, mark in placed if mark.low is not None and mark.high is not None]
            if ends:
                axis.hlines(*zip(*ends, strict=True), color=look.colour, linewidth=1)
            axis.plot(values, ys, marker=look.marker, color=look.colour, markersize=4.5, linestyle="")
    axis.set_yticks(range(len(panel.lines)), [line.label for line in panel.lines], fontsize=7)
    axis.set_ylim(len(panel.lines) - 0.5, -0.5)
    low, high = panel.scale
    margin = 0.02 * (high - low)
    axis.set_xlim(low - margin, high + margin)
    axis.set_title(panel.title, fontsize=8.5)
    axis.set_xlabel(panel.axis, fontsize=8)
