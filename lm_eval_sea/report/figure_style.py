"""How the figures look: colours that colour-blind readers can tell apart, with a marker and a line style beside each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

# Okabe and Ito 2008, with grey for the yellow and the black, which vanish on white and on dark paper.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")
_HATCHES = ("", "//", "..", "xx", "\\\\", "++")
DOTS_PER_INCH = 150


@dataclass(frozen=True)
class Theme:
    """Colours of paper and ink."""

    paper: str
    ink: str
    faint: str


LIGHT = Theme("#ffffff", "#1a1a1a", "#c8c8c8")
DARK = Theme("#16181d", "#e8e8e8", "#4a4e57")


@dataclass(frozen=True)
class Style:
    """How one series is drawn."""

    colour: str
    marker: str
    line: str
    hatch: str


def styles(names: Sequence[str]) -> Mapping[str, Style]:
    """A style for each name; neighbours differ in everything."""
    return {
        name: Style(
            _COLOURS[place % len(_COLOURS)],
            _MARKERS[place % len(_MARKERS)],
            _LINES[place % len(_LINES)],
            _HATCHES[place % len(_HATCHES)],
        )
        for place, name in enumerate(names)
    }


def new_figure(
    theme: Theme, rows: int, columns: int, width: float, height: float, height_ratios: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """A figure with a grid of axes, in the order of reading; width and height in inches, rows of equal height by default."""
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, facecolor=theme.paper, layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, height_ratios=height_ratios).flat)
    for axis in axes:
        axis.set_facecolor(theme.paper)
        for side, spine in axis.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(theme.ink)
        axis.tick_params(colors=theme.ink, labelsize=8)
        axis.xaxis.label.set_color(theme.ink)
        axis.yaxis.label.set_color(theme.ink)
        axis.title.set_color(theme.ink)
        axis.grid(color=theme.faint, linewidth=0.5, alpha=0.7)
        axis.set_axisbelow(True)
    return figure, axes


def add_legend(figure: Figure, theme: Theme, handles: Sequence[Line2D | Patch], columns: int) -> None:
    """A legend above the axes."""
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        fontsize=8,
        facecolor=theme.paper,
        edgecolor=theme.paper,
        labelcolor=theme.ink,
    )


def model_handle(model: str, look: Style) -> Line2D:
    """The legend entry of a series of points."""
    handle = Line2D([], [], color=look.colour, marker=look.marker, markersize=5, label=model)
    handle.set(linestyle=look.line)
    return handle


def bar_handles(names: Sequence[str], theme: Theme) -> list[Patch]:
    """The legend entries of bars."""
    style = styles(names)
    return [Patch(facecolor=style[name].colour, hatch=style[name].hatch, edgecolor=theme.paper, label=name) for name in names]
