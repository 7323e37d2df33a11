"""Writes the report: pages, the same in Markdown, figures and tables."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import matplotlib
from tqdm import tqdm

from lm_eval_sea.report.latex import citation, escaped, latex, made_of
from lm_eval_sea.report.markdown import render_markdown
from lm_eval_sea.report.means import BY_TASK
from lm_eval_sea.report.overview import totals_by_model
from lm_eval_sea.report.page import notices, render_pages
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.section import Figure
from lm_eval_sea.report.sections import sections
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.visible_text import counted, csv_text
from lm_eval_sea.results.written_folder import WrittenFolder

DEFAULT_ROWS = 50  # of each model and task on the page of samples
MOST_ROWS = 12_000  # of all together, by default
FEWEST_ROWS = 5
MANIFEST = ".lm_eval_sea_report.json"
_UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # matplotlib's metadata; the same figure is the same file


@dataclass(frozen=True)
class Written:
    """What a report was made of."""

    page: Path
    many: str  # models and tasks
    rows: int
    notes: list[str]


def write_report(
    runs: Runs,
    out: Path,
    *,
    shown_rows: int | None = None,
    all_runs: bool = False,
    steps: bool = False,
    published: bool = False,
    weigh: str = BY_TASK,
    paper: bool = False,
) -> Written:
    """Writes report.html, pages/, samples/, report.md, figures/*.png and tables/*.csv; removes what an earlier report left there.

    If a model has several runs of a task, one counts, except in SEA-HELM's totals and with `all_runs`. The page of samples has
    `shown_rows` of each model and task: by default 50, or fewer if all would exceed `MOST_ROWS`. With `steps` the models are
    checkpoints of one training run. `paper` adds tables as LaTeX, figures as SVG and PDF, and a line that names tasks, versions
    and data sets. Raises `ResultsError` if there is no task.
    """
    chosen = runs.apart() if all_runs else runs.best()
    if shown_rows is None:
        shown_rows = min(DEFAULT_ROWS, max(FEWEST_ROWS, MOST_ROWS // max(1, len(chosen.tasks))))
    scores = scores_of(chosen, weigh=weigh, shown_rows=shown_rows)
    totals = totals_by_model(runs.by_seed(), scores.notes)
    made = sections(scores, totals, steps=steps, published=published)
    tables = [table for section in made for table in section.tables]
    folder = WrittenFolder(out, MANIFEST)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph ")  # one for each letter that the font of figures lacks
        pictures = _write_figures([figure for section in made for figure in section.figures], folder, vector=paper)
    for table in tables:
        known = table.frame.astype(object).where(table.frame.notna(), None)
        folder.write(f"tables/{table.name}.csv", csv_text(known.to_dict("records")))
        if paper:
            folder.write(f"tables/{table.name}.tex", latex(table, made_of(scores)))
    if paper:
        folder.write("tables/citation.tex", f"{escaped(citation(scores))}\n")
    folder.write("report.md", render_markdown(made, notices(scores)))
    pages = {path: folder.write(path, text) for path, text in render_pages(scores, made, pictures).items()}
    folder.finish()
    many = f"{counted(scores.runs.model.nunique(), 'model')}, {counted(scores.tasks.task.nunique(), 'task')}"
    return Written(pages["report.html"], many, sum(len(rows.keys) for rows in scores.logged.values()), scores.notes)


def _write_figures(figures: Sequence[Figure], folder: WrittenFolder, *, vector: bool) -> dict[str, bytes]:
    """Draws the figures; returns their pictures as PNG."""
    pictures = {}
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    for figure in tqdm(figures, desc="figures", unit="figure", leave=False):
        images = {kind: _image(figure, kind) for kind in (("png", "svg", "pdf") if vector else ("png",))}
        pictures[figure.name] = images["png"]
        for kind, image in images.items():
            folder.write(f"figures/{figure.name}.{kind}", image)
    return pictures


def _image(figure: Figure, kind: str) -> bytes:
    """The figure in a format; drawn anew for each, because saving it in one format moves its parts in the next."""
    image = BytesIO()
    # a $ in a model's name must not begin a formula, nor ids in an SVG be random
    with matplotlib.rc_context({"text.parse_math": False, "svg.hashsalt": figure.name}):
        figure.draw().savefig(image, format=kind, facecolor="white", metadata=_UNDATED.get(kind))
    return image.getvalue()
