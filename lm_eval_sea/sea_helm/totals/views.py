"""The three views of SEA-HELM's totals (overall, language, detailed) as text, CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from lm_eval_sea.catalogue.whole_files import write_whole
from lm_eval_sea.results.visible_text import csv_text, one_line, visible, with_texts
from lm_eval_sea.sea_helm.totals.hierarchy import ALL, SEA, Place
from lm_eval_sea.sea_helm.totals.totals import Node, Totals

VIEWS = ("overall", "language", "detailed")
_INCOMPLETE = "*"
_NOT_IN_SUITE = "†"
_COLUMNS = {"low": "2.5 %", "high": "97.5 %", "standard_error": "s.e. over questions", "published_error": "published s.e."}


def view_of(place: Place) -> str:
    """The view in which a node stands: languages and averages over them, competencies, or groups and tasks."""
    if place in (SEA, ALL) or not place.competency:
        return "overall"
    return "detailed" if place.task or place.group else "language"


def _record(node: Node, totals: Totals) -> dict[str, Any]:
    place = node.place
    average = place in (SEA, ALL)
    metric, value = node.headline or (None, None)
    return {
        "view": view_of(place),
        "language": place.group if average else place.language,
        "competency": place.competency,
        "group": "" if average else place.group,
        "task": place.task,
        **{name: value for name, value in vars(node).items() if name not in ("place", "headline")},
        "metric": metric,
        "metric_value": value,
        **_made_by(totals),
    }


def _records(totals: Totals) -> list[dict[str, Any]]:
    """One per node, sorted by view; averages over languages come first. Scores and errors in points of 0 to 100.

    Each names model, method, suite and the suite's version.
    """
    nodes = sorted(
        totals.nodes.values(), key=lambda node: (VIEWS.index(view_of(node.place)), bool(node.place.language), node.place)
    )
    return [with_texts(_record(node, totals), visible) for node in nodes]


def _made_by(totals: Totals) -> dict[str, str]:
    suite = {"suite": totals.suite.name, "suite_version": totals.suite.version}
    return {"model": visible(totals.model), "method": totals.method, **suite}


def as_csv(totals: Totals) -> str:
    """A header line, a line for each node, and one for each note; the column `view` tells views and notes apart."""
    nodes = [record | {"note": None} for record in _records(totals)]
    notes = [dict.fromkeys(nodes[0]) | {"view": "note", **_made_by(totals), "note": note} for note in totals.notes]
    return csv_text([*nodes, *notes])


def as_json(totals: Totals) -> str:
    """Model, method, suite, notes, and the nodes of each view."""
    views: dict[str, list[dict[str, Any]]] = {view: [] for view in VIEWS}
    for record in _records(totals):
        views[record.pop("view")].append(record)
    return json.dumps({**_made_by(totals), "notes": totals.notes, **views}, ensure_ascii=False, indent=2) + "\n"


def as_text(totals: Totals) -> str:
    """The three views as aligned columns, and the notes; control characters in names are made visible."""
    nodes = pd.DataFrame(_records(totals)).astype({"runs": "Int64", "rows": "Int64"})
    errors = [column for column in _COLUMNS if nodes[column].notna().any()]
    nodes["score"] = [_score(*node) for node in zip(nodes.score, nodes.complete, nodes.in_suite, strict=True)]
    overall, language, detailed = (nodes[nodes.view == view] for view in VIEWS)
    competencies = language.pivot(index="language", columns="competency", values="score")
    detailed = detailed.assign(
        task=[" ".join(filter(None, names)) for names in zip(detailed.group, detailed.task, strict=True)],
        metric_value=detailed.metric_value.map("{:.4g}".format, na_action="ignore"),
        **{column: detailed[column].astype(object).map(str, na_action="ignore") for column in ("runs", "rows")},
    )
    columns = ["language", "competency", "task", "score", *errors, "runs", "rows", "metric", "metric_value"]
    parts = [
        f"{one_line(totals.model)}: SEA-HELM, suite {totals.suite.name} {totals.suite.version}, method {totals.method}, points "
        "of 0 to 100",
        _lines(overall[["language", "score", *errors]]),
        "Competencies",
        _lines(competencies.reset_index()),
        "Tasks, with lm-eval's own metric",
        _lines(detailed[columns]),
        "\n".join(_footnotes(totals)),
    ]
    return visible("\n\n".join(filter(None, parts))) + "\n"


def _score(score: float | None, complete: bool, in_suite: bool) -> str:
    if pd.isna(score):
        return "missing"
    return f"{score:.2f}{_NOT_IN_SUITE if not in_suite else ' ' if complete else _INCOMPLETE}"


def _lines(table: pd.DataFrame) -> str:
    if table.empty:
        return "none"
    return str(table.rename(columns=_COLUMNS).to_string(index=False, na_rep="", float_format="{:.2f}".format))


def _footnotes(totals: Totals) -> list[str]:
    nodes = totals.nodes.values()
    marks = [f"{_INCOMPLETE} incomplete: the mean of what is there"] * any(node.in_suite and not node.complete for node in nodes)
    marks += [f"{_NOT_IN_SUITE} not in the suite: enters no mean"] * any(not node.in_suite for node in nodes)
    return marks + [f"- {note}" for note in totals.notes]


WRITERS: dict[str, Callable[[Totals], str]] = {".json": as_json, ".csv": as_csv, ".txt": as_text}


def write(totals: Totals, path: Path) -> None:
    """Writes the totals in the format of the file's suffix, one of `WRITERS`; after an `OSError` the file is unchanged."""
    write_whole(path, WRITERS[path.suffix](totals))
