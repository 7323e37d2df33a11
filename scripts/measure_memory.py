#!/usr/bin/env python3
"""Measures memory and time of large runs and results, libraries and model included, each in its own process.

A run ranks the options of planted rows with a tiny model, so that nearly all memory is that of pack, lm-eval and libraries.
`show` and `report` read planted samples with prompts of 2,900 Thai characters.

Examples:
    python scripts/measure_memory.py                                      a quarter of an hour
    python scripts/measure_memory.py run --requests 200000
    python scripts/measure_memory.py run --data_set belebele --requests 25000       longer prompts
    python scripts/measure_memory.py read --models 75 --tasks 40 --rows 20          3,000 scores, 2 GB
    python scripts/measure_memory.py read --models 1 --tasks 1 --rows 60000         one file of 2 GB
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from make_tiny_model import SAMPLES, make_model

from lm_eval_sea.catalogue.task_list import TaskRecord, read_tasks

ROOT = Path(__file__).resolve().parents[1]
# data set → its task; file of rows; the column that is numbered, so that no row repeats another; requests of a row
ROWS = {
    "xnli": ("sea_xnli_th", "sail/Sailcompass_data/data/xnli/th_xnli_test.jsonl", "sentence1", 3),
    "belebele": ("sea_belebele_th_to_ppl", "sail/Sailcompass_data/data/belebele/tha_Thai.jsonl", "flores_passage", 5),
}

STAMP = "2026-01-01T00-00-00"
PROMPT = "ข้อความตัวอย่างที่ใช้วัดความเร็วเท่านั้น " * 70  # about three exemplars
SEED = 0
METRICS = ("acc", "acc_ppl", "acc_cc")

# A small process between this one and the measured one, because Linux counts a parent's memory in the peak of its child.
BETWEEN = """
import os, subprocess, sys
_, status, used = os.wait4(subprocess.Popen(sys.argv[1:], stdout=2).pid, 0)
print(status, used.ru_maxrss, used.ru_utime + used.ru_stime)
"""


def peak(arguments: list[str], folder: Path) -> str:
    """Runs a command of lm-eval-sea in a folder; returns the most memory it took, and its CPU seconds."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", BETWEEN, sys.executable, "-m", "lm_eval_sea", *arguments]
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")
    status, kilobytes, seconds = process.stdout.split()
    if status != "0":
        sys.exit(process.stderr[-2000:])
    return f"{int(kilobytes) / 1e6:.2f} GB, {float(seconds):.0f} CPU s"


def measure_run(folder: Path, data_set: str, requests: int) -> None:
    """A run of so many requests, and one of a few, whose memory is that of the libraries."""
    make_model(folder / "model", bos=False, max_length=8192, hidden=16, layers=1, seed=0)
    task, file, column, of_row = ROWS[data_set]
    rows = [json.loads(line) for line in (SAMPLES / file).read_text(encoding="utf-8").splitlines()]
    for number in (len(rows), -(-requests // of_row)):
        place = folder / f"{number} rows"
        (place / file).parent.mkdir(parents=True)
        with (place / file).open("w", encoding="utf-8") as written:
            for line in range(number):
                row = rows[line % len(rows)]
                row |= {"link": f"https://example.org/{line}"} if "link" in row else {}
                written.write(json.dumps(row | {column: f"{line} {row[column]}"}, ensure_ascii=False) + "\n")
        command = ["run", "--model", "hf-shared-prefix", "--model_args", f"pretrained={folder / 'model'},dtype=float32"]
        command += ["--device", "cpu", "--batch_size", "16", "--tasks", task, "--log_samples", "--output_path", "results"]
        print(f"run, {data_set}, {number * of_row:,} requests: {peak(command, place)}", flush=True)


def plant(folder: Path, models: int, tasks: int, rows: int) -> None:
    """Writes samples and results of models that are each a little better than the one before."""
    ranked = [task for task in read_tasks().tasks.values() if task.metadata["headline_metric"] in ("acc_ppl", "acc_bc")]
    records = [task for task in ranked if task.metadata["prompt_language"] != "en"][:tasks]
    draw = random.Random(SEED)
    for number in range(models):
        model = f"planted/model-{number:02}"
        place = folder / model.replace("/", "__")
        place.mkdir(parents=True)
        results = {}
        for task in records:
            right = 0.0
            with (place / f"samples_{task.name}_{STAMP}.jsonl").open("w", encoding="utf-8") as file:
                for line in range(rows):
                    made = logged_row(task, line, 0.3 + 0.01 * number, draw)
                    right += made["acc_ppl"]
                    file.write(json.dumps(made, ensure_ascii=False) + "\n")
            results[task.name] = {"acc_ppl,none": right / rows}
        facts = {task.name: {**task.metadata, "headline_metric": "acc_ppl"} for task in records}
        content = {
            "results": results,
            "configs": {task.name: {"metadata": facts[task.name], "doc_to_choice": task.labels or "letters"} for task in records},
            "n-samples": {task.name: {"original": rows, "effective": rows} for task in records},
            "model_name": model,
        }
        (place / f"results_{STAMP}.json").write_text(json.dumps(content), encoding="utf-8")


def logged_row(task: TaskRecord, number: int, skill: float, draw: random.Random) -> dict[str, Any]:
    """A logged row with the requests that such a task makes."""
    labels = task.labels or list("ABCD")
    scores = [{"loglikelihood": draw.uniform(-9, -1), "characters": 1, "bytes": 1, "tokens": 2} for _ in labels]
    gold = number % len(labels)
    chosen = gold if draw.random() < skill else draw.randrange(len(labels))
    doc = {"id": str(number), "cluster": str(number // 3), "gold": gold, "option_scores": scores}
    doc["predictions"] = dict.fromkeys(METRICS, chosen)
    if task.labels:
        doc |= {"text": PROMPT[:200], "p": [1 / len(labels)] * len(labels), "q": [1 / len(labels)] * len(labels)}
    else:
        doc |= {"options": [PROMPT[: 20 + (number + place) % 40] for place in range(len(labels))], "letters": labels}
    asked = {f"gen_args_{place}": {"arg_0": f"{PROMPT}\n{number}", "arg_1": f" {label}"} for place, label in enumerate(labels)}
    return {
        "doc_id": number,
        "doc": doc,
        "target": str(gold),
        "arguments": asked,
        "resps": [[[str(draw.uniform(-9, -1)), "False"]] for _ in labels],
        "filter": "none",
        "metrics": METRICS,
        **dict.fromkeys(METRICS, float(chosen == gold)),
    }


def size(folder: Path, pattern: str) -> float:
    """Megabytes of the files below a folder that match a pattern."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file()) / 1e6


def measure_reading(folder: Path, models: int, tasks: int, rows: int) -> None:
    """`show` and `report` of planted results."""
    plant(folder / "runs", models, tasks, rows)
    samples = size(folder / "runs", "samples_*")
    print(f"{models:,} models, {tasks:,} tasks, {rows:,} rows each: {samples / 1e3:.1f} GB of samples")
    for command in (["show", "runs"], ["report", "runs", "--out", "report"]):
        print(f"{command[0]}: {peak(command, folder)}", flush=True)
    report = folder / "report"
    largest = max(page.stat().st_size for page in report.rglob("*.html")) / 1e6
    print(f"report.html {size(report, 'report.html'):.2f} MB, largest page {largest:.1f}, all files {size(report, '*'):.1f}")


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["run", "read"], help="default: both")
    parser.add_argument("--data_set", choices=ROWS, default="xnli", help="data set of the run (default: %(default)s)")
    parser.add_argument("--requests", type=int, default=200_000, help="requests of the run (default: %(default)s)")
    parser.add_argument("--models", type=int, default=75, help="models to read (default: %(default)s)")
    parser.add_argument("--tasks", type=int, default=40, help="tasks of each model (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=20, help="rows of each task (default: %(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.what != "read":
            measure_run(Path(folder), arguments.data_set, arguments.requests)
        if arguments.what != "run":
            measure_reading(Path(folder), arguments.models, arguments.tasks, arguments.rows)


if __name__ == "__main__":
    main()
