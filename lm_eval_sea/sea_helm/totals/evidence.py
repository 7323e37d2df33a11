"""What runs of lm-eval say of SEA-HELM's tasks: the rows of each task as all runs of one model scored them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from lm_eval_sea.results.provenance import provenance_of
from lm_eval_sea.results.row_count import row_count_note, unknown_size_note
from lm_eval_sea.results.run_files import Run, TaskResult, is_number, read_samples
from lm_eval_sea.results.task_score import chance_of
from lm_eval_sea.sea_helm import published_order, row_scores
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.task_score import TaskRows

SUITE = "sea_helm"
# A row's metric → its greatest value.
NATIVE_MAXIMUM = {"correct": 1.0, "f1": 1.0, "pass": 1.0, "rougeL": 100.0}


class EvidenceError(ValueError):
    """The runs cannot be scored together; one line that says what and how to mend it."""


@dataclass
class Evidence:
    """The tasks that can be scored, and what is wrong with the others."""

    rows: dict[Place, TaskRows] = field(default_factory=dict)
    headlines: dict[Place, tuple[str, float]] = field(default_factory=dict)  # name and mean over runs of lm-eval's own metric
    without_samples: set[Place] = field(default_factory=set)
    without_scores: set[Place] = field(default_factory=set)  # the answers are there, and what scores them has not been asked
    notes: list[str] = field(default_factory=list)
    unequal: set[Place] = field(default_factory=set)  # fewer runs than other tasks, or of several versions
    base_model: bool = False  # whether the runs showed exemplars without a chat template


def place_of(metadata: Mapping[str, Any]) -> Place | None:
    """Where a task stands in the hierarchy; None if it is not one of SEA-HELM's, or a ranking twin or lite task of one."""
    if metadata.get("suite") != SUITE or metadata.get("variant") == "ppl" or "subset" in metadata:
        return None
    names = [
        metadata.get("language"),
        metadata.get("competency"),
        metadata.get("score_group") or "",
        metadata.get("sea_helm_task"),
    ]
    if not all(isinstance(name, str) for name in names) or not isinstance(metadata.get("headline_metric"), str):
        return None  # a file that was changed: its task has no place
    return Place(*map(str, names))


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
    shown = [task.num_fewshot for tasks in found.values() for task in tasks]
    evidence.base_model = templates == {None} and any(shown)
    if len(templates) > 1:
        evidence.notes.append("runs with different chat templates, or with one and without, are mixed")
        evidence.unequal |= set(found)
    most = max(map(len, found.values()))
    for place, results in tqdm(sorted(found.items()), desc="Reading samples", unit="task"):
        _gather_task(place, results, most, evidence)
    sizes = unknown_size_note({results[0].name: results[0].metadata for _, results in sorted(found.items())})
    evidence.notes += filter(None, [sizes])
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
    if notes := list(dict.fromkeys(filter(None, (row_count_note(result, result.metadata) for result in results)))):
        evidence.notes += notes
        evidence.unequal.add(place)
    headline = results[0].metadata["headline_metric"]
    values = [result.metrics[headline].value for result in results if headline in result.metrics]
    if values:
        evidence.headlines[place] = (headline, float(np.mean(values)))
    named = [result.metadata.get("item_metric") for result in results]
    if wrong := [each for each in named if each is not None and not (isinstance(each, str) and each)]:
        raise EvidenceError(f"{name}: item_metric of its results is {wrong[0]!r}; expected the name of a score")
    scored = [_scores_beside(result) for result in results]
    if results[0].metadata.get("item_metric") is None and not any(scored):
        if any(result.samples for result in results):
            evidence.without_scores.add(place)
        return
    found = [
        (result, table)
        for result, beside in zip(results, scored, strict=True)
        if result.samples and (table := _table(result.samples, result.metadata.get("item_metric"), beside, evidence.notes))
    ]
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
        best = _best(place, results[0], [beside for beside in scored if beside], evidence)
        evidence.rows[place] = _task_rows(results[0].metadata, best, [[table[row] for row in shared] for table in tables])


def _settings(results: Sequence[TaskResult]) -> dict[str, list[Any]]:
    """What must be the same in all runs of a task: what it is called in messages → its value in each run that tells it."""
    settings: dict[str, list[Any]] = {
        "versions of the task": [result.version for result in results],
        "numbers of exemplars": [result.num_fewshot for result in results],
        "versions of the rows (data_sha256)": [provenance_of(result.metadata).data_sha256 for result in results],
    }
    return {what: [value for value in values if value is not None] for what, values in settings.items()}


def _scores_beside(result: TaskResult) -> row_scores.RowScores | None:
    """The scores that a judge or a metric model gave a task that lm-eval has no score of, if there are any."""
    if result.samples is None or result.metadata.get("item_metric") is not None:
        return None
    for kind in (row_scores.JUDGED, row_scores.METRICX):
        path = row_scores.path_beside(result.samples, kind)
        if path.exists():
            try:
                return row_scores.read(path)
            except row_scores.RowScoresError as error:
                raise EvidenceError(str(error)) from error
    return None


def _best(place: Place, result: TaskResult, beside: Sequence[row_scores.RowScores], evidence: Evidence) -> float:
    """The score of a perfect row, notes on who gave the scores being taken down."""
    if beside:
        scorers = sorted({scores.scorer for scores in beside})
        if len(scorers) > 1:
            evidence.notes.append(f"{result.name}: scores by several models are mixed: {', '.join(scorers)}")
            evidence.unequal.add(place)
        evidence.notes += dict.fromkeys(f"{result.name}: {note}" for scores in beside for note in (scores.scorer, *scores.notes))
        return beside[0].best
    metric = str(result.metadata["item_metric"])
    if metric not in NATIVE_MAXIMUM:
        known = ", ".join(NATIVE_MAXIMUM)
        raise EvidenceError(f"{result.name}: the scale of {metric!r} is not known, only that of {known}; run the pack's own task")
    return NATIVE_MAXIMUM[metric]


def _table(samples: Path, metric: str | None, beside: row_scores.RowScores | None, notes: list[str]) -> dict[Any, dict[str, Any]]:
    """The rows of one samples file by their number in the data set, in published order: SEA-HELM draws them by their place.

    Args:
        samples: the file.
        metric: the column of the scores; None where they are not among the samples.
        beside: where the scores are, if not among the samples; rows that have none are left out.
        notes: gets a line if rows cannot be read.
    """
    if metric is None and beside is None:
        return {}
    columns = ["doc_id", "doc.label", "doc.cluster", "doc.phenomenon", published_order.COLUMN, *([metric] if metric else [])]
    table = {}
    for row in published_order.in_published_order(read_samples(samples, columns, notes)):
        if not isinstance(row["doc_id"], int | str):
            raise EvidenceError(f"{samples}: a row has no doc_id; run the task again")
        score: Any = row[str(metric)] if beside is None else beside.scores.get(row["doc_id"])
        if beside is not None and score is None:
            continue
        if not is_number(score):
            raise EvidenceError(f"{samples}: row {row['doc_id']} has no number for {metric!r}; run the task again")
        table[row["doc_id"]] = {**row, "score": float(score)}
    return table


def _text(label: Any) -> str | None:
    return None if label is None else str(label)


def _task_rows(metadata: Mapping[str, Any], best: float, runs: Sequence[Sequence[Mapping[str, Any]]]) -> TaskRows:
    rows = runs[0]
    labels = [row["doc.label"] for row in rows]
    phenomena = [row["doc.phenomenon"] for row in rows]
    return TaskRows(
        scores=np.array([[row["score"] for row in run] for run in runs]),
        labels=tuple(tuple(map(str, label)) if isinstance(label, list) else _text(label) for label in labels),
        clusters=tuple(str(row["doc.cluster"]) for row in rows),
        phenomena=tuple(map(str, phenomena)) if all(phenomena) else None,
        is_label_task=bool(metadata.get("labels")),
        chance=chance_of(metadata),
        best=best,
    )
