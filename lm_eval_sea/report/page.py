"""The report as one HTML file that needs no network.

Whatever comes from runs is untrusted: Jinja2 escapes it, samples are packed as compressed JSON and put in place as text, and the
page's security policy lets no script run but its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from lm_eval_sea import __version__
from lm_eval_sea.report.provenance import WARNINGS, collapsed_answers
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import Section
from lm_eval_sea.report.tables import FILTERS, Table
from lm_eval_sea.results.visible_text import visible

# matplotlib's names of markers and hatches → those of the page, which draws them in the same way.
_MARKERS = {"o": "circle", "s": "square", "^": "up", "D": "diamond", "v": "down", "P": "plus", "X": "cross", "*": "star"}
_HATCHES = {"": "none", "//": "rising", "..": "dots", "xx": "crossed", "\\\\": "falling", "++": "grid"}
_PATTERNS = {
    "none": "",
    "rising": "M-1 9L9-1",
    "dots": "M4 3v2M0 -1v2M8 -1v2M0 7v2M8 7v2",
    "crossed": "M-1 9L9-1M-1-1L9 9",
    "falling": "M-1-1L9 9",
    "grid": "M4 0v8M0 4h8",
}
_ASSETS = Path(__file__).resolve().parent / "assets"


@dataclass(frozen=True)
class Picture:
    """A figure as PNG, for light and for dark pages; charts, which the page has as they are, are drawn light alone."""

    light: bytes
    dark: bytes | None


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,  # what is no `Markup` comes from runs
    )
    environment.filters["data_uri"] = lambda png: "data:image/png;base64," + base64.b64encode(png).decode()
    environment.filters["visible"] = visible
    return environment.get_template("report.html.j2")


def render_page(scores: Scores, sections: Sequence[Section], pictures: Mapping[str, Picture]) -> str:
    """The text of report.html.

    Args:
        scores: of the runs; `scores.shown` is what the section of samples shows.
        sections: all other sections.
        pictures: figures by name.
    """
    script = (_ASSETS / "report.js").read_text(encoding="utf-8")
    tasks = {(task["model"], task["task"]): task for task in scores.tasks.to_dict("records")}
    names = next((table.names for section in sections for table in section.tables), {})
    totals = scores.samples.groupby(["model", "task"]).size()
    counts = totals.groupby("task").nunique()
    unequal = set(counts[counts > 1].index)
    packed = [
        _packed(rows, tasks[key], int(totals.get(key, 0)), key[1] not in unequal, names)
        for key, rows in sorted(scores.shown.items())
    ]
    return _template().render(
        version=__version__,
        sections=sections,
        pictures=pictures,
        models=sorted(scores.tasks.model.unique()),
        limited=bool(scores.tasks.limited.any()),
        collapsed=[visible(line) for line in collapsed_answers(scores)],
        notes=sum(len(table.frame) for section in sections for table in section.tables if table.name == WARNINGS),
        packed=packed,
        markers=_MARKERS,
        hatches=_HATCHES,
        patterns=_PATTERNS,
        is_table=lambda part: isinstance(part, Table),
        style=(_ASSETS / "report.css").read_text(encoding="utf-8"),
        script=script,
        script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _packed(
    rows: Sequence[Mapping[str, Any]], task: Mapping[str, Any], total: int, spaced: bool, names: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """The rows of a model and task that the page shows, compressed: base64 of zlib of JSON.

    Args:
        rows: `sample_row.shown` of each.
        task: a row of the frame `tasks`.
        total: of how many rows they were chosen.
        spaced: whether evenly spaced over all; else those that other models have, too, come first.
        names: column → value → what the page calls it.
    """
    prompts = [row["prompt"] for row in rows if "prompt" in row]
    prefix = _common_lines(prompts)
    short = [{**row, "prompt": row["prompt"][len(prefix) :]} if "prompt" in row else row for row in rows]
    text = json.dumps(_visible_parts({"prefix": prefix, "rows": short}), ensure_ascii=False, separators=(",", ":"))
    return {
        **{name: task[name] for name in ("model", "task", "language")},
        "keys": {name: names.get(name, {}).get(task[name], task[name]) for name in FILTERS if task[name]},
        "metric": task["headline"],
        "file": os.path.basename(task["samples"]),
        "shown": len(rows),
        "total": total,
        "spaced": spaced,
        "data": base64.b64encode(zlib.compress(text.encode())).decode(),
    }


def _visible_parts(value: Any) -> Any:
    """The same with all texts made `visible`."""
    if isinstance(value, dict):
        return {key: _visible_parts(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_visible_parts(part) for part in value]
    return visible(value) if isinstance(value, str) else value


def _common_lines(texts: Sequence[str]) -> str:
    """The whole lines that all texts begin with: instruction and exemplars, which need to be kept once only."""
    if len(texts) < 2:
        return ""
    return os.path.commonprefix(list(texts)).rpartition("\n")[0]
