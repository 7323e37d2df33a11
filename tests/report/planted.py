"""Runs of two models on a few tasks of the pack, planted so that every number of the report can be computed by hand."""

from __future__ import annotations

import csv
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.report.suite import Suite

from ..results.lm_eval_output import OLD, write_run

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
# argmax of log-shares minus their means over the rows
_SHARES = np.array(LOGLIKELIHOODS) - np.log(np.exp(LOGLIKELIHOODS).sum(1, keepdims=True))
BATCH_CALIBRATED = (_SHARES - _SHARES.mean(0)).argmax(1).tolist()
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


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def plant(folder: Path, *, chosen: dict[str, dict[str, list[int | None]]] = CHOICES) -> Path:
    """Writes the runs of both models; returns the folder."""
    records = read_tasks().tasks
    for model in chosen:
        tasks: dict[str, dict[str, Any]] = {}
        for task, choices in chosen[model].items():
            metric = "exact_match" if task == GENERATED else "acc_ppl"
            right = sum(a == b for a, b in zip(choices, GOLDS, strict=True)) / len(GOLDS)
            rows = [_choice(number, choice, metric) for number, choice in enumerate(choices)]
            tasks[task] = {"scores": {f"{metric},none": right}, "rows": rows}
        calibrated = {
            f"{metric},none": sum(a == b for a, b in zip(choices, CLASS_GOLDS, strict=True)) / len(CLASS_GOLDS)
            for metric, choices in (("acc_bc", BATCH_CALIBRATED), ("acc_cc", CALIBRATED))
        }
        tasks[CLASSES] = {"scores": calibrated, "rows": [_class(number) for number in range(len(CLASS_GOLDS))]}
        for task, chrf in CHRF[model].items():
            scores = {"chrf++,none": chrf, "chrf++_stderr,none": 2.0, "bleu,none": 10.0, "off_target_rate,none": 0.25}
            one = {"doc_id": 0, "filter": "none", "metrics": ["chrf++"], "doc": {"id": "0"}, "chrf++": ["a", "b"]}
            tasks[task] = {"scores": scores, "rows": [one]}
        tasks[NO_SAMPLES] = {"scores": {"exact_match,none": 0.4, "exact_match_stderr,none": 0.05}}
        for name, task in tasks.items():
            task |= {"metadata": dict(records[name].metadata), "doc_to_choice": records[name].labels or "letters"}
        counts = {name: {"original": 6, "effective": 1 if name in CHRF[model] else 6} for name in tasks}
        write_run(folder / model.replace("/", "__"), tasks, OLD, model=model, **{"n-samples": counts})
    return folder


def _choice(number: int, choice: int | None, metric: str) -> dict[str, Any]:
    doc = {"id": f"row {number}", "cluster": CLUSTERS[number], "options": OPTIONS, "letters": list("ABCD"), "gold": GOLDS[number]}
    row = {"doc_id": number, "filter": "none", "metrics": [metric], "doc": doc | {"predictions": {metric: choice}}}
    row |= {"target": str(GOLDS[number]), metric: float(choice == GOLDS[number])}
    row["arguments"] = {"gen_args_0": {"arg_0": f"Instruction\n\nquestion {number}\nanswer:", "arg_1": " A"}}
    row["resps"] = [["<script>document.title='broken'</script> ภาษาไทย"]]
    return row


def _class(number: int) -> dict[str, Any]:
    logs, gold = LOGLIKELIHOODS[number], CLASS_GOLDS[number]
    doc = {"id": f"row {number}", "cluster": str(number), "gold": gold, "p": [0.5, 0.3, 0.2]}
    doc["option_scores"] = [{"loglikelihood": log} for log in logs]
    doc["predictions"] = {"acc": logs.index(max(logs)), "acc_cc": CALIBRATED[number]}
    scores = {"acc": float(logs.index(max(logs)) == gold), "acc_cc": float(CALIBRATED[number] == gold), "acc_bc": [gold, logs]}
    return {"doc_id": number, "filter": "none", "metrics": [*scores, "f1"], "doc": doc, "f1": [gold, 0, 3], **scores}
