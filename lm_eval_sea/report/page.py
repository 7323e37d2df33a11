"""The report as HTML files that need no network and no server: the answer, a page per topic, and samples in their own files.

Whatever comes from runs is untrusted: Jinja2 escapes it, samples are packed as compressed JSON and inserted as text, and the
pages' security policy allows only their own script and those of files beside them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from lm_eval_sea import __version__
from lm_eval_sea.report.provenance import WARNINGS, advice, lines_of, lost_answers
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import Section
from lm_eval_sea.report.tables import FILTERS, Table
from lm_eval_sea.results.table import collapsed_text
from lm_eval_sea.results.visible_text import counted, visible, with_texts

# matplotlib's names of markers → those of the page, which draws them in the same way
_MARKERS = {"o": "circle", "s": "square", "^": "up", "D": "diamond", "v": "down", "P": "plus", "X": "cross", "*": "star"}
_NAMED = 3  # models or runs that are named
LONGEST = 500  # rows of a table on a page
_SHARED = ("prompt", "references", "title")  # parts of a row that all models share
_FIRST, _SAMPLES = "report.html", "pages/samples.html"
_ASSETS = Path(__file__).resolve().parent / "assets"


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
    return environment.get_template("report.html.j2")


def render_pages(scores: Scores, sections: Sequence[Section], pictures: Mapping[str, bytes]) -> dict[str, str]:
    """The pages and the files of samples: path → text. The first section is report.html, each other one its own page.

    `pictures` are the figures as PNG, by name; the page draws charts itself.
    """
    tables = [table for section in sections for table in section.tables]
    files, packed = _samples(scores)
    of_page = {_FIRST: sections[0], **{f"pages/{section.name}.html": section for section in sections[1:]}}
    titles = {path: section.title for path, section in of_page.items()} | ({_SAMPLES: "Samples"} if packed else {})
    script = (_ASSETS / "report.js").read_text(encoding="utf-8")
    many = f"{counted(len(scores.models), 'model')}, {counted(scores.tasks.task.nunique(), 'task')}"
    shared = {
        "version": __version__,
        "title": f"Evaluation report: {', '.join(scores.models) if len(scores.models) <= _NAMED else many}",
        "pictures": pictures,
        "names": scores.suite.names,
        "longest": LONGEST,
        "notices": notices(scores),
        "notes": sum(len(table.frame) for table in tables if table.name == WARNINGS),
        "markers": _MARKERS,
        "is_table": lambda part: isinstance(part, Table),
        "style": (_ASSETS / "report.css").read_text(encoding="utf-8"),
        "script": script,
        "script_digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    for path in titles:
        root = "" if path == _FIRST else "../"
        files[path] = _template().render(
            section=of_page.get(path),
            packed=packed if path == _SAMPLES else [],
            pages=[{"address": root + other, "title": title, "here": other == path} for other, title in titles.items()],
            root=root,
            samples_page=root + _SAMPLES,
            **shared,
        )
    return files


def notices(scores: Scores) -> list[str]:
    """What limits the numbers, in a line each; they follow the first section."""
    limited = "Some tasks were run on only a part of their rows. Their numbers are marked †."
    lines = [limited] if scores.tasks.limited.any() else []
    collapsed = _some(lines_of(scores.of.items(), collapsed_text), "more runs give the same answer to nearly everything.")
    lost = _some(lost_answers(scores), "more scores have lost answers: see Generated answers.")
    return [*lines, *lost, *advice(scores), *collapsed]


def _some(lines: Sequence[str], more: str) -> list[str]:
    shown = list(lines[:_NAMED])
    return [*shown, f"{len(lines) - _NAMED} {more}"] if len(lines) > _NAMED else shown


def _samples(scores: Scores) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """A file per task, and what the page says about each model's rows in it."""
    tasks = {(task["model"], task["task"]): task for task in scores.tasks.to_dict("records")}
    totals = {key: len(rows.keys) for key, rows in scores.logged.items()}
    names, files, about = scores.suite.names, {}, []
    for number, (task, of_models) in enumerate(scores.shown()):
        spaced = len({count for (_, name), count in totals.items() if name == task}) == 1  # over all rows
        files[f"samples/{number}.js"] = f'receiveSamples("{number}", "{_packed(of_models)}");\n'
        for model, rows in of_models.items():
            facts = tasks[model, task]
            entry = {name: facts[name] for name in ("model", "task", "language")}
            entry["keys"] = {name: names.get(name, {}).get(facts[name], facts[name]) for name in FILTERS if facts[name]}
            entry |= {"metric": facts["headline"], "file": os.path.basename(facts["samples"]), "at": number}
            # If models have different rows, common ones come first.
            about.append(entry | {"shown": len(rows), "total": totals.get((model, task), 0), "spaced": spaced})
    return files, about


def _packed(of_models: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """What `sample_row.shown` gives for the rows of a task, as base64 of zlib of JSON; what all models share is there once."""
    prompts = [row["prompt"] for rows in of_models.values() for row in rows if "prompt" in row]
    prefix = os.path.commonprefix(prompts).rpartition("\n")[0] if len(prompts) > 1 else ""  # instruction and exemplars
    shared: dict[str, dict[str, Any]] = {}
    models: dict[str, list[dict[str, Any]]] = {}
    for model, rows in of_models.items():
        models[model] = []
        for row in rows:
            short = {**row, "prompt": row["prompt"][len(prefix) :]} if "prompt" in row else dict(row)
            common = shared.setdefault(f"{row['number']}\n{row['id']}", {name: short[name] for name in _SHARED if name in short})
            models[model].append({name: part for name, part in short.items() if name not in common or common[name] != part})
    content = with_texts({"prefix": prefix, "shared": shared, "models": models}, visible)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
