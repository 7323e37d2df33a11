#!/usr/bin/env python3
"""Time and memory of a report on large files: plants samples of the size asked for, reports on them, prints what it took.

Examples:
    python scripts/bench_report.py
    python scripts/bench_report.py --megabytes 200
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from pathlib import Path

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.report.write import write_report
from lm_eval_sea.results.read import read

STAMP = "2026-01-01T00-00-00"
PROMPT = "ข้อความตัวอย่างที่ใช้วัดความเร็วเท่านั้น " * 70  # about three exemplars
SEED = 0


def plant(folder: Path, size: int) -> int:
    """Writes samples and results of two models on the multiple-choice and classification tasks, `size` bytes in all.

    Returns:
        The number of rows.
    """
    records = [task for task in read_tasks().tasks.values() if task.metadata["headline_metric"] in ("acc_ppl", "acc_cc")]
    draw = random.Random(SEED)
    rows = 0
    for model in ("planted/a", "planted/b"):
        place = folder / model.replace("/", "__")
        place.mkdir(parents=True)
        results = {}
        for task in records:
            written = number = 0
            headline = task.metadata["headline_metric"]
            with (place / f"samples_{task.name}_{STAMP}.jsonl").open("w", encoding="utf-8") as file:
                while written < size / (2 * len(records)):
                    line = json.dumps(row(task, number, draw), ensure_ascii=False) + "\n"
                    written += len(line.encode())
                    file.write(line)
                    number += 1
            rows += number
            results[task.name] = {f"{headline},none": 0.5}
        content = {
            "results": results,
            "configs": {
                task.name: {"metadata": dict(task.metadata), "doc_to_choice": task.labels or "letters"} for task in records
            },
            "model_name": model,
        }
        (place / f"results_{STAMP}.json").write_text(json.dumps(content), encoding="utf-8")
    return rows


def row(task, number: int, draw: random.Random) -> dict:
    """A logged row with the requests that such a task makes."""
    labels = task.labels or list("ABCD")
    scores = [{"loglikelihood": draw.uniform(-9, -1), "characters": 1, "bytes": 1, "tokens": 2} for _ in labels]
    metrics = ["acc", "acc_norm", "acc_bytes", "acc_token", "acc_ppl", "acc_cc"]
    gold = draw.randrange(len(labels))
    doc = {"id": str(number), "cluster": str(number // 3), "gold": gold, "option_scores": scores}
    doc["predictions"] = {metric: draw.randrange(len(labels)) for metric in metrics}
    if task.labels:
        doc |= {"text": PROMPT[:200], "p": [1 / len(labels)] * len(labels), "q": [1 / len(labels)] * len(labels)}
    else:
        doc |= {"options": [PROMPT[: 20 + draw.randrange(40)] for _ in labels], "letters": labels}
    asked = labels * (4 if task.labels else 1)
    return {
        "doc_id": number,
        "doc": doc,
        "target": str(gold),
        "arguments": {f"gen_args_{place}": {"arg_0": PROMPT, "arg_1": f" {label}"} for place, label in enumerate(asked)},
        "resps": [[[str(draw.uniform(-9, -1)), "False"]] for _ in asked],
        "filtered_resps": [[str(draw.uniform(-9, -1)), "False"] for _ in asked],
        "filter": "none",
        "metrics": metrics,
        **{metric: float(doc["predictions"][metric] == gold) for metric in metrics},
    }


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000, help="size of the samples (default: %(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = plant(Path(folder, "runs"), arguments.megabytes * 1_000_000)
        start = time.perf_counter()
        written = write_report(read(Path(folder, "runs")), Path(folder, "report"), shown_rows=50)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        page = written.page.stat().st_size / 1e6
    print(
        f"{arguments.megabytes} MB of samples, {rows:,} rows: {seconds:.0f} s, at most {peak:.1f} GB of memory; "
        f"the page has {page:.0f} MB"
    )


if __name__ == "__main__":
    main()
