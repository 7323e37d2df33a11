"""Runs of two models on a few tasks of the pack, planted so that every number of the report can be computed by hand."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.make.on_demand import select
from lm_eval_sea.report.scores import Scores, scores_of
from lm_eval_sea.report.section import Section
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.results.read import read

from ..results.lm_eval_output import OLD, drawn, logged, toy, write_run

Tasks = dict[str, dict[str, Any]]  # as `write_run` takes them

RANKED, GENERATED, TEXT = "sea_belebele_th_litilo_ppl", "sea_belebele_th_litilo_gen", "sea_belebele_th_to_ppl"
CLASSES = "sea_xnli_th"
TO_THAI, FROM_THAI = "sea_flores_en_th", "sea_flores_th_en"

OPTIONS = ["ab", "abcd", "abcdef", "abcdefgh"]  # 2, 4, 6 and 8 characters
CLUSTERS = ["p", "p", "p", "q", "q", "r"]
GOLDS = [0, 0, 1, 1, 2, 3]
# model → task → choice in each row
CHOICES: dict[str, dict[str, list[int | None]]] = {
    "org/a": {RANKED: [0, 0, 1, 0, 0, 3], GENERATED: [0, 1, 1, None, 0, 3], TEXT: [0, 0, 1, 1, 2, 0]},
    "org/b": {RANKED: [0, 1, 0, 0, 0, 0], GENERATED: [0, 0, 0, 0, 0, 0], TEXT: [0, 0, 1, 0, 0, 0]},
}
# log-likelihoods of three labels in each row, what contextual calibration chooses, and what is right
LOGLIKELIHOODS = [
    [-1.0, -2.0, -3.0],
    [-1.0, -1.5, -3.5],
    [-1.2, -1.4, -3.0],
    [-0.5, -2.5, -2.0],
    [-1.0, -3.0, -2.6],
    [-0.7, -2.2, -4.0],
]
CALIBRATED = [0, 1, 1, 2, 2, 0]
CLASS_GOLDS = [0, 1, 1, 2, 2, 1]
CHRF = {"org/a": {TO_THAI: 30.0, FROM_THAI: 45.5}, "org/b": {TO_THAI: 20.0, FROM_THAI: 25.0}}
NO_SAMPLES = "sea_xquad_th"
NO_SUITE = Suite(*({} for _ in fields(Suite)))  # without suites and titles


def at(table: pd.DataFrame, **keys: Any) -> pd.Series:
    """The one row with these entries."""
    for name, value in keys.items():
        table = table[table[name] == value]
    assert len(table) == 1, table
    return table.iloc[0]


def right(count: int, of: int) -> list[float]:
    """Scores of rows: the first `count` are right."""
    return [1.0] * count + [0.0] * (of - count)


def batch_calibrated(logs: Any) -> np.ndarray:
    """Choices by log-likelihoods, (rows, labels): the largest log-share minus the mean of its label over the rows."""
    shares = np.array(logs) - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    choices: np.ndarray = (shares - shares.mean(axis=0)).argmax(axis=1)
    return choices


def labelled(golds: Sequence[int], logs: Any, cc: Sequence[int] = (), **docs: Sequence[Any]) -> list[dict[str, Any]]:
    """Rows of a task of labels with these log-likelihoods, (rows, labels), which `acc_bc` calibrates; `cc` are other choices."""
    logs = np.array(logs)
    predictions = [{"acc": choice} for choice in logs.argmax(axis=1).tolist()]
    for entry, choice in zip(predictions, cc, strict=False):
        entry["acc_cc"] = choice
    scores = [[{"loglikelihood": log} for log in row] for row in logs.tolist()]
    docs |= {"gold": golds, "p": [[0.5, 0.3, 0.2]] * len(golds), "predictions": predictions, "option_scores": scores}
    return logged("acc_bc", [[gold, row] for gold, row in zip(golds, logs.tolist(), strict=True)], docs)


def chose(
    golds: Sequence[int], chosen: Sequence[int | None], options: Sequence[Sequence[str]], metric: str = "acc",
    docs: Mapping[str, Sequence[Any]] = MappingProxyType({}), **facts: Any,
) -> dict[str, Any]:  # fmt: skip
    """A task whose rows have these right positions, choices and options; `docs` are further columns."""
    told = {"gold": golds, "options": options, "predictions": [{metric: choice} for choice in chosen]}
    return toy([float(gold == choice) for gold, choice in zip(golds, chosen, strict=True)], metric, told | {**docs}, **facts)


def facts_of(name: str) -> dict[str, Any]:
    """The metadata of a task of the pack."""
    (task,) = select([name])
    return dict(task.metadata)


def reported(scores: Mapping[str, float]) -> Tasks:
    """Tasks of the pack with their headline scores, 0 to 1 (BLEU and chrF++ to 100), and no rows."""
    facts = {name: facts_of(name) for name in scores}
    return {
        name: {"scores": {f"{facts[name]['headline_metric']},none": score}, "metadata": facts[name]}
        for name, score in scores.items()
    }


def scored(
    folder: Path, by_model: Mapping[str, Tasks] = MappingProxyType({}), *, suite: Suite | None = NO_SUITE, rows: int | None = None
) -> Scores:
    """Writes a run for each model, each task on so many `rows` if it is not those logged; reads the numbers of the folder."""
    for model, tasks in by_model.items():
        counts = {} if rows is None else {"n-samples": dict.fromkeys(tasks, {"original": rows, "effective": rows})}
        write_run(folder / model, tasks, model=model, **counts)
    return scores_of(read(folder).best(), suite=suite)


def scored_seeds(folder: Path, of_seeds: Sequence[Tasks]) -> Scores:
    """The same of runs of one model with the seeds 1, 2, …"""
    for seed, tasks in enumerate(of_seeds, start=1):
        write_run(folder / str(seed), tasks, **drawn(seed))
    return scored(folder)


def shown(section: Section, name: str) -> list[dict[str, str]]:
    """The rows of a table as they are read: column → text."""
    [table] = [table for table in section.tables if table.name == name]
    return [{column.key: cell.text for column, cell in zip(table.columns, cells, strict=True)} for _, cells in table.cells()]


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def plant(folder: Path, *only: str) -> Path:
    """Writes the runs of both models, of all tasks or of these; returns the folder."""
    records = read_tasks().tasks
    for model, by_task in CHOICES.items():
        tasks: Tasks = {}
        docs = {"id": [f"row {n}" for n in range(6)], "cluster": CLUSTERS, "letters": [list("ABCD")] * 6}
        for name, choices in by_task.items():
            tasks[name] = chose(GOLDS, choices, [OPTIONS] * 6, "exact_match" if name == GENERATED else "acc_ppl", docs)
            for number, row in enumerate(tasks[name]["rows"]):
                row["arguments"] = {"gen_args_0": {"arg_0": f"Instruction\n\nquestion {number}\nanswer:", "arg_1": " A"}}
                row["resps"] = [["<script>document.title='broken'</script> ภาษาไทย"]]
        calibrated = {
            f"{metric},none": sum(a == b for a, b in zip(choices, CLASS_GOLDS, strict=True)) / len(CLASS_GOLDS)
            for metric, choices in (("acc_bc", batch_calibrated(LOGLIKELIHOODS)), ("acc_cc", CALIBRATED))
        }
        tasks[CLASSES] = {"scores": calibrated, "rows": labelled(CLASS_GOLDS, LOGLIKELIHOODS, CALIBRATED)}
        for task, chrf in CHRF[model].items():
            scores = {"chrf++,none": chrf, "chrf++_stderr,none": 2.0, "bleu,none": 10.0, "off_target_rate,none": 0.25}
            one = {"doc_id": 0, "filter": "none", "metrics": ["chrf++"], "doc": {"id": "0"}, "chrf++": ["a", "b"]}
            tasks[task] = {"scores": scores, "rows": [one]}
        tasks[NO_SAMPLES] = {"scores": {"exact_match,none": 0.4, "exact_match_stderr,none": 0.05}}
        tasks = {name: tasks[name] for name in only or tasks}
        for name, task in tasks.items():
            task |= {"metadata": dict(records[name].metadata), "doc_to_choice": records[name].labels or "letters"}
        counts = {name: {"original": 6, "effective": 1 if name in CHRF[model] else 6} for name in tasks}
        write_run(folder / model.replace("/", "__"), tasks, OLD, model=model, **{"n-samples": counts})
    return folder
