"""Writes the report: a page, the same in Markdown, figures and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from tqdm import tqdm

from lm_eval_sea.report.figure_style import DARK, LIGHT
from lm_eval_sea.report.figures import figures
from lm_eval_sea.report.frames import load
from lm_eval_sea.report.markdown import render_markdown
from lm_eval_sea.report.page import Picture, render_page
from lm_eval_sea.report.sections import sections
from lm_eval_sea.report.suite import read_suite


@dataclass(frozen=True)
class Written:
    """What a report was made of."""

    page: Path
    models: int
    tasks: int
    rows: int
    notes: list[str]


def write_report(paths: Iterable[Path | str], out: Path, *, shown_rows: int) -> Written:
    """Writes report.html, report.md, figures/*.png and tables/*.csv.

    Args:
        paths: runs; see `run_files.find_runs`.
        out: folder to make or complete.
        shown_rows: how many rows of each model and task the page shows.

    Raises:
        RunFilesError: if there is nothing to read.
    """
    frames = load(paths, shown_rows=shown_rows)
    suite = read_suite()
    parts = sections(frames, suite)
    for folder in ("figures", "tables"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    pictures = {}
    for name, (caption, draw) in tqdm(figures(frames, suite).items(), desc="figures", unit="figure"):
        drawn = [draw(theme) for theme in (LIGHT, DARK)]
        if None not in drawn:
            pictures[name] = Picture(caption, *map(_png, drawn))
            (out / "figures" / f"{name}.png").write_bytes(pictures[name].light)
    for table in (table for section in parts for table in section.tables):
        table.frame.to_csv(out / "tables" / f"{table.name}.csv", index=False)
    (out / "report.md").write_text(render_markdown(parts, pictures), encoding="utf-8")
    page = out / "report.html"
    page.write_text(render_page(frames, parts, pictures), encoding="utf-8")
    return Written(page, frames.runs.model.nunique(), frames.tasks.task.nunique(), len(frames.samples), frames.notes)


def _png(figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", facecolor=figure.get_facecolor())
    return buffer.getvalue()
