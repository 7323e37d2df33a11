"""Time and memory of SEA-HELM's totals: planted scores of 8 runs in 12 languages, 2,000 replicates.

    taskset -c 0 python scripts/bench_sea_helm_totals.py [--method 2026-08]

Every task has as many rows as the catalogue says (1,000 where it does not), in every language that the catalogue knows. Reading
the samples is not part of it.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from lm_eval_sea.catalogue import read_sea_helm
from lm_eval_sea.sea_helm.totals.evidence import Evidence
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.methods import METHODS
from lm_eval_sea.sea_helm.totals.suite import Suite
from lm_eval_sea.sea_helm.totals.task_score import TaskRows
from lm_eval_sea.sea_helm.totals.totals import compute

RUNS = 8
ROWS = 1000  # of a task whose rows are not known


def planted() -> dict[Place, TaskRows]:
    """Random scores of every task in every language."""
    catalogue = read_sea_helm()
    generator = np.random.default_rng(0)
    rows = {}
    for language in catalogue["languages"]:
        for task in catalogue["tasks"].values():
            record = task["languages"].get(language, {})
            count = record.get("rows") or ROWS
            labels = record.get("labels", task.get("labels"))
            given = tuple(str(label) for label in generator.choice(labels, count)) if labels else (None,) * count
            rows[Place(language, task["competency"], task.get("score_group", ""), task["key"])] = TaskRows(
                scores=(generator.random((RUNS, count)) < 0.6).astype(float),
                labels=given,
                clusters=tuple(map(str, range(count))),
                is_label_task=bool(labels),
                chance=1 / len(labels) if labels else 0.0,
            )
    return rows


def main() -> None:
    """Prints seconds of processor time and the greatest memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", choices=METHODS, default="2026-08")
    method = parser.parse_args().method
    rows = planted()
    before = time.process_time()
    compute(Evidence(rows=rows), Suite("planted", "v0", tuple(rows)), {}, method)
    seconds = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    languages, count = len({place.language for place in rows}), sum(len(task.labels) for task in rows.values())
    print(f"{method}: {RUNS} runs, {languages} languages, {len(rows)} tasks, {count} rows: {seconds:.1f} s, {memory:.2f} GiB")


if __name__ == "__main__":
    main()
