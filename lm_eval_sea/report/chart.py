"""A chart of lines with marks on a scale, described once: the page shows and filters it, and a picture is drawn of it.

Every mark says which rows of the runs it stands for, so that the page's filters hide the others. That is why no mark is a mean
over data sets, languages or models: hiding a part of what it was made of would leave it as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import matplotlib.figure
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from lm_eval_sea.report.figure_style import Style, Theme, add_legend, bar_handles, model_handle, new_figure, styles

DOT, BAR, GUIDE = "dot", "bar", "guide"
MOST_MARKS = 1500  # of a figure; what has more shows nothing that its table does not
Keys = Mapping[str, str]  # filter → its value


def keys_of(row: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Those of a row's filters that it has."""
    return {name: str(row[name]) for name in names if row.get(name)}


@dataclass(frozen=True)
class Mark:
    """One thing on a line: a dot at `value` with the interval `low` to `high`, a bar from `low` to `value`, or a guide there."""

    kind: str
    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""  # by which it looks; a guide, such as chance, has none
    keys: Keys = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What a reader is told who points at it."""
        if self.kind == GUIDE:
            return f"{self.value:.1f}"
        if self.kind == BAR:
            return f"{self.series}: {self.value - (self.low or 0):.1f}"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.1f}, {self.high:.1f}]"
        place = ", ".join(value for name, value in self.keys.items() if name != "model")
        return f"{self.series}: {self.value:.1f}{interval}" + (f" ({place})" if place else "")


def dots(rows: pd.DataFrame, value: str, *keys: str, series: str = "model", ends: tuple[str, str] | None = None) -> list[Mark]:
    """A dot for each row that has a value; of columns that filter, that say how it looks, and with both ends of its interval."""
    low, high = ends or ("", "")
    return [
        Mark(DOT, row[value], _known(row.get(low)), _known(row.get(high)), row[series], keys_of(row, *keys))
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
    series: Sequence[str] | None = None  # where they are its own and not those of the chart

    def place(self, value: float) -> float:
        """Where a value is on the scale, from 0 to 100."""
        low, high = self.scale
        return 100 * min(1.0, max(0.0, (value - low) / (high - low)))

    def present(self, series: Sequence[str]) -> list[str]:
        """Those of a chart's series that have marks here."""
        return [name for name in series if name in self._present]

    @cached_property
    def _present(self) -> set[str]:
        return {mark.series for line in self.lines for mark in line.marks}

    @property
    def ticks(self) -> list[float]:
        """Round values on the scale."""
        low, high = self.scale
        return [float(tick) for tick in MaxNLocator(5).tick_values(low, high) if low <= tick <= high]


@dataclass(frozen=True)
class Chart:
    """Panels whose marks belong to the same series."""

    panels: Sequence[Panel]
    series: Sequence[str] = ()  # by their order they look alike in all charts
    series_are_models: bool = True
    columns: int = 1  # of panels side by side, where there is room

    @property
    def size(self) -> int:
        """How many marks there are."""
        return sum(len(line.marks) for panel in self.panels for line in panel.lines)

    @property
    def legend(self) -> Mapping[str, Style]:
        """The series that have marks in panels without series of their own, and how they look."""
        seen = {mark.series for panel in self.panels if panel.series is None for line in panel.lines for mark in line.marks}
        return {name: look for name, look in styles(self.series).items() if name in seen}

    def looks(self, panel: Panel) -> Mapping[str, Style]:
        """How each series of a panel looks."""
        return styles(panel.series if panel.series is not None else self.series)

    def offset(self, mark: Mark, panel: Panel) -> float:
        """By which part of a line a dot stands below its middle, −0.3 to 0.3, so that series do not hide each other."""
        present = panel.present(self.series)
        return 0.6 * (present.index(mark.series) / (len(present) - 1) - 0.5) if mark.kind == DOT and len(present) > 1 else 0.0

    def named(self, names: Mapping[str, Mapping[str, str]]) -> Chart:
        """The same with the values of filters as the page calls them."""

        def titled(keys: Keys) -> dict[str, str]:
            return {key: names.get(key, {}).get(value, value) for key, value in keys.items()}

        def of_line(line: Line) -> Line:
            marks = [replace(mark, keys=titled(mark.keys)) for mark in line.marks]
            return replace(line, keys=titled(line.keys), marks=marks)

        panels = [replace(panel, keys=titled(panel.keys), lines=[of_line(line) for line in panel.lines]) for panel in self.panels]
        return replace(self, panels=panels)


def scale_around(values: Iterable[float], least: float) -> tuple[float, float]:
    """A scale with 0 in its middle that has all values, and at least −`least` to `least`."""
    end = max([least, *(abs(value) for value in values)])
    return -end, end


def draw(chart: Chart, theme: Theme) -> matplotlib.figure.Figure:
    """The chart as a picture."""
    columns = min(chart.columns, len(chart.panels))
    grid = [chart.panels[start : start + columns] for start in range(0, len(chart.panels), columns)]
    most = [max(len(panel.lines) for panel in row) for row in grid]
    height = sum(0.26 * number + 0.75 for number in most) + 0.4 + 0.2 * (len(chart.legend) // 4)
    figure, axes = new_figure(theme, len(grid), columns, max(7.5, 3.6 * columns), height, [number + 2 for number in most])
    for axis, panel in zip(axes, chart.panels, strict=False):
        _draw_panel(axis, chart, panel, theme)
    for axis in axes[len(chart.panels) :]:
        axis.set_visible(False)
    if chart.legend:
        handles = [model_handle(name, look) for name, look in chart.legend.items()]
        for handle in handles:
            handle.set_linestyle("")
        add_legend(figure, theme, handles, 4)
    return figure


def _draw_panel(axis: Axes, chart: Chart, panel: Panel, theme: Theme) -> None:
    looks, marks = chart.looks(panel), defaultdict(list)
    for place, line in enumerate(panel.lines):
        for mark in line.marks:
            marks[mark.kind, mark.series].append((place + chart.offset(mark, panel), mark))
    for (kind, series), placed in marks.items():  # all alike at once: matplotlib takes as long for one as for many
        ys, values = [y for y, _ in placed], [mark.value for _, mark in placed]
        if kind == GUIDE:
            axis.vlines(values, [y - 0.4 for y in ys], [y + 0.4 for y in ys], color=theme.ink, alpha=0.4, linewidth=2, zorder=0)
            continue
        look = looks[series]
        if kind == BAR:
            starts = [mark.low or 0.0 for _, mark in placed]
            widths = [value - start for value, start in zip(values, starts, strict=True)]
            axis.barh(ys, widths, 0.8, left=starts, color=look.colour, hatch=look.hatch, edgecolor=theme.paper)
            continue
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
    if panel.series is not None:
        axis.legend(handles=bar_handles(panel.series, theme), fontsize=6.5, loc="upper left", bbox_to_anchor=(1, 1.02),
                    frameon=False, labelcolor=theme.ink, handlelength=1.2)  # fmt: skip
