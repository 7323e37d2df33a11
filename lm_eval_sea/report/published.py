"""Published numbers of public models beside the runs: `lm-eval-sea report --published`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from lm_eval_sea.report.published_numbers import Place, PublishedNumber, published_numbers
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import MODEL, TASK, Section
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.score import TaskScore

OFFICIAL, OWN = "official", "the pack's"
_SETTINGS = ("backend", "dtype", "softmax_dtype", "arguments", "batch_size")
_COLUMNS = [
    *("model", "model_name", "task", "language", "dataset", "metric", "score", "low", "high", "few", "limited", "rows"),
    *("exemplars", "settings", "published_model", "published", "published_metric", "difference", "errors", "prompts"),
    *("place", "source"),
]


def published_section(scores: Scores) -> Section:
    """Published numbers beside the scores of the same tasks and metrics; those of the same model with the difference.

    Runs under a chat template or with another number of exemplars do not correspond to a published number and are left out, with
    a note.

    Args:
        scores: of the runs; its notes get a line for each run that is left out.
    """
    table = published_table(scores, published_numbers())
    same = table[table.published_model == table.model_name]
    others = table[table.published_model != table.model_name].drop_duplicates(["task", "published_model", "place"])
    if table.empty:
        scores.notes.append("--published: no task of these runs corresponds to a published number")
    return Section(
        "published",
        "Published numbers",
        [
            "A run stands beside a published number where task, metric and number of exemplars correspond. “Asked with” says "
            "whose prompts the run used: the official ones (lm-eval-sea make --official) or the pack's, other texts. "
            "Sailor's README has numbers of predecessors of the official prompts. The published runs were in float16, padded in "
            "batches, with max_length=4096; docs/compare_with_papers.md says what else differs.",
            "“In errors” is the difference in standard errors of this run's score over rows. Both are of the same rows, so "
            "it is a measure of size and no test: a small one does not show that the two runs were made alike, nor a large one "
            "that the models differ.",
        ],
        [_same_model(same), _other_models(others)],
    )


def _same_model(same: pd.DataFrame) -> Table:
    note = "Difference: this run minus the published number, in percentage points. † marks a run on a part of the rows."
    columns = [
        MODEL,
        TASK,
        Column("metric", "metric"),
        Column("score", "this run [95 %]", "score", low="low", high="high", marker="limited", few="few"),
        Column("published", "published", "score"),
        Column("difference", "difference", "points"),
        Column("errors", "in errors", "points", hint="standard errors of this run's score; no test"),
        Column("rows", "rows", "count", marker="limited"),
        Column("exemplars", "exemplars", "count"),
        Column("prompts", "asked with"),
        Column("settings", "settings of this run"),
        Column("place", "published in"),
    ]
    return Table("published_same_model", "The same model", note, same, columns)


def _other_models(others: pd.DataFrame) -> Table:
    note = "What was published for other models on these tasks. No difference is taken: models and prompts differ at once."
    columns = [
        TASK,
        Column("metric", "metric"),
        Column("published_model", "model"),
        Column("published", "published", "score"),
        Column("place", "published in"),
    ]
    of_number = ["task", "language", "dataset", "metric", "published_model", "published", "published_metric", "place", "source"]
    return Table("published_other_models", "Other models", note, others[of_number], columns)


def published_table(scores: Scores, numbers: list[PublishedNumber]) -> pd.DataFrame:
    """One row per run of a task, metric and published number that correspond; all numbers in per cent.

    `errors` is the difference over the standard error of the run's score: clustered where rows share a passage, of their
    contributions where all rows make the score together. It is missing without an error, or with fewer than ten independent rows.
    `model_name` is `published_model` where they are the same model.

    Args:
        scores: of the runs; its notes get a line for each run whose settings do not correspond.
        numbers: what was published.
    """
    runs = {(run["model"], run["date"]): run for run in scores.runs.to_dict("records")}
    by_task: dict[str, list[tuple[PublishedNumber, Place, str]]] = {}
    for number in numbers:
        for place, prompts in ((number.official, OFFICIAL), (number.own, OWN)):
            if place is not None:
                by_task.setdefault(place.task, []).append((number, place, prompts))
    rows = [
        row
        for task in scores.tasks.to_dict("records")
        for row in _rows(scores, task, runs[task["model"], task["date"]], by_task.get(task["task"], []))
    ]
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"errors": "float64"})


def _rows(
    scores: Scores, task: Mapping[str, Any], run: Mapping[str, Any], places: list[tuple[PublishedNumber, Place, str]]
) -> Iterator[dict[str, Any]]:
    by_metric: dict[str, TaskScore | None] = {}
    for number, place, prompts in places:
        # the official tasks have their exemplars in the instruction
        if prompts == OWN and task["num_fewshot"] != number.exemplars:
            scores.notes.append(
                f"{task['task']}: {task['num_fewshot']} exemplars, {number.place} has {number.exemplars}; not laid beside"
            )
            return
        if not pd.isna(run["chat_template"]):
            scores.notes.append(f"{task['task']}: made under a chat template, {number.place} is not; not laid beside")
            return
        if place.metric not in by_metric:
            by_metric[place.metric] = _score(scores, task, place.metric)
        score = by_metric[place.metric]
        if score is None:
            continue
        difference = score.score - number.number
        yield {
            **{name: task[name] for name in ("model", "task", "language", "dataset", "rows")},
            "limited": bool(task["limited"]),
            "model_name": number.model if _is_of(run["model_name"], number.model) else run["model_name"],
            "metric": place.metric,
            "score": score.score,
            "low": score.low,
            "high": score.high,
            "few": score.few,
            "exemplars": number.exemplars,
            "settings": ", ".join(f"{name}={run[name]}" for name in _SETTINGS if not pd.isna(run[name])),
            "published_model": number.model,
            "published": number.number,
            "difference": difference,
            "errors": difference / score.stderr if score.stderr and not score.few else None,
            "prompts": prompts,
            "place": f"{number.source}: {number.place}",
            "source": number.url,
            "published_metric": number.metric,
        }


def _is_of(name: str, model: str) -> bool:
    """Whether a run is of a model of the hub, by its name there or a folder that ends in it."""
    return name == model or name.replace("\\", "/").endswith(f"/{model}")


def _score(scores: Scores, task: Mapping[str, Any], metric: str) -> TaskScore | None:
    """The score of a task by any of its metrics; None where the results lack it."""
    of_task = scores.of[task["model"], task["task"]]
    if metric not in of_task.scores:
        return None
    score = of_task.score_by(metric, of_task.logged_by(metric))
    scores.notes.extend(note for note in of_task.notes if note not in scores.notes)
    return score
