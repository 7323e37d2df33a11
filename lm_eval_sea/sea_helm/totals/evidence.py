"""What runs of lm-eval say of SEA-HELM's tasks: the rows of each task as all runs of one model scored them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tqdm import tqdm

from lm_eval_sea.results.provenance import provenance_of
from lm_eval_sea.results.run_files import Run, TaskResult, read_samples
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.task_score import TaskRows

SUITE = "sea_helm"
_PER_CENT = ("rougeL",)  # scores of rows from 0 to 100; those of the others are from 0 to 1


class EvidenceError(ValueError):
    """The runs cannot be scored together; one line that says what and how to mend it."""


@dataclass
class Evidence:
    """The tasks that can be scored, and what is wrong with the others."""

    rows: dict[Place, TaskRows] = field(default_factory=dict)
    headlines: dict[Place, tuple[str, float]] = field(default_factory=dict)  # name and mean over runs of lm-eval's own metric
    without_samples: set[Place] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    unequal: set[Place] = field(default_factory=set)  # fewer runs than other tasks, or of several versions


def place_of(metadata: Mapping[str, Any]) -> Place | None:
    """Where a task stands in the hierarchy; None if it is not one of SEA-HELM's, or a ranking twin."""
    if metadata.get("suite") != SUITE or metadata.get("variant") == "ppl":
        return None
    return Place(metadata["language"], metadata["competency"], metadata.get("score_group") or "", metadata["sea_helm_task"])


def gather(runs: Sequence[Run]) -> Evidence:
    """Reads the samples of all tasks of SEA-HELM.

    Args:
        runs: of one model; several runs of a task are seeds.

    Raises:
        EvidenceError: if there is no task of SEA-HELM, or none with samples.
    """
    evidence = Evidence()
    found: dict[Place, list[TaskResult]] = {}
    for run in runs:
        for task in run.tasks.values():
            if place := place_of(task.metadata):
                found.setdefault(place, []).append(task)
    if not found:
        raise EvidenceError(
            "these runs have no task of SEA-HELM; run some, such as sea_helm_id, with --output_path and --log_samples"
        )
    models = sorted({run.model for run in runs if any(map(place_of, _metadata(run)))})
    if len(models) > 1:
        evidence.notes.append(f"runs of {len(models)} models are mixed: {', '.join(models)}")
        evidence.unequal |= set(found)
    templates = {run.config.get("chat_template_sha") for run in runs if any(map(place_of, _metadata(run)))}
    if len(templates) > 1:
        evidence.notes.append("runs with different chat templates, or with one and without, are mixed")
        evidence.unequal |= set(found)
    most = max(map(len, found.values()))
    for place, results in tqdm(sorted(found.items()), desc="Reading samples", unit="task"):
        _gather_task(place, results, most, evidence)
    if not evidence.rows:
        raise EvidenceError("none of the tasks of SEA-HELM has samples; run them with --log_samples")
    return evidence


def _metadata(run: Run) -> list[Mapping[str, Any]]:
    return [task.metadata for task in run.tasks.values()]


def _gather_task(place: Place, results: Sequence[TaskResult], most: int, evidence: Evidence) -> None:
    name = results[0].name
    for what, values in _settings(results).items():
        different = sorted(set(map(str, values)))
        if len(different) > 1:
            evidence.notes.append(f"{name}: runs of several {what} are mixed: {', '.join(different)}")
            evidence.unequal.add(place)
    if len(results) < most:
        evidence.notes.append(f"{name}: {len(results)} of {most} runs")
        evidence.unequal.add(place)
    partial = [result for result in results if result.rows and result.rows_total and result.rows < result.rows_total]
    if partial:
        evidence.notes.append(f"{name}: {partial[0].rows} of {partial[0].rows_total} rows were evaluated (--limit)")
        evidence.unequal.add(place)
    headline = results[0].metadata["headline_metric"]
    values = [result.metrics[headline].value for result in results if headline in result.metrics]
    if values:
        evidence.headlines[place] = (headline, float(np.mean(values)))
    if results[0].metadata.get("item_metric") is None:
        return
    found = [(result, table) for result in results if result.samples and (table := _table(result, evidence.notes))]
    tables = [table for _, table in found]
    if not tables:
        evidence.without_samples.add(place)
        evidence.notes.append(f"{name}: no samples; run it with --log_samples")
        return
    fewer = [f"{len(table)} of {result.rows} rows" for result, table in found if result.rows and len(table) < result.rows]
    fewer += [f"{len(tables)} of {len(results)} runs"] * (len(tables) < len(results))
    if fewer:
        evidence.notes.append(f"{name}: samples of {', '.join(fewer)} only")
        evidence.unequal.add(place)
    shared = [row for row in tables[0] if all(row in table for table in tables)]
    if len(shared) < max(map(len, tables)):
        evidence.notes.append(f"{name}: the runs have different rows; the {len(shared)} that all have are scored")
        evidence.unequal.add(place)
    if shared:
        evidence.rows[place] = _task_rows(results[0].metadata, [[table[row] for row in shared] for table in tables])


def _settings(results: Sequence[TaskResult]) -> dict[str, list[Any]]:
    """What must be the same in all runs of a task: what it is called in messages → its value in each run that tells it."""
    settings = {
        "versions of the task": [result.version for result in results],
        "numbers of exemplars": [result.num_fewshot for result in results],
        "versions of the rows (data_sha256)": [provenance_of(result.metadata).data_sha256 for result in results],
    }
    return {what: [value for value in values if value is not None] for what, values in settings.items()}


def _table(result: TaskResult, notes: list[str]) -> dict[Any, dict[str, Any]]:
    """The rows of one samples file by their number in the data set."""
    metric = result.metadata["item_metric"]
    columns = ["doc_id", metric, "doc.label", "doc.cluster", "doc.phenomenon"]
    table = {}
    for row in read_samples(result.samples, columns, notes):
        if row[metric] is None or not np.isfinite(row[metric]):
            raise EvidenceError(f"{result.samples}: row {row['doc_id']} has no number for {metric!r}; run the task again")
        table[row["doc_id"]] = row | {"score": float(row[metric])}
    return table


def _task_rows(metadata: Mapping[str, Any], runs: Sequence[Sequence[Mapping[str, Any]]]) -> TaskRows:
    rows = runs[0]
    labels = [row["doc.label"] for row in rows]
    phenomena = [row["doc.phenomenon"] for row in rows]
    return TaskRows(
        scores=np.array([[row["score"] for row in run] for run in runs]),
        labels=tuple(tuple(label) if isinstance(label, list) else label for label in labels),
        clusters=tuple(str(row["doc.cluster"]) for row in rows),
        phenomena=tuple(phenomena) if all(phenomena) else None,
        is_label_task=bool(metadata.get("labels")),
        chance=float(metadata["chance"]),
        best=100.0 if metadata["item_metric"] in _PER_CENT else 1.0,
    )
