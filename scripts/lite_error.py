#!/usr/bin/env python3
"""How far a score on a lite task is from that on the whole task: on planted models, and on real ones that were run on all rows.

Planted models answer the real rows. Each row has a difficulty, made of a part that its passage shares, one that its label shares
and one of its own; a model answers a row rightly with a probability that falls with it. Translations are the references with a
share of their words left out. So the rows' passages, labels and lengths are real, and only who answers is not.

For every task the error is |score on the lite rows − score on all rows|, in percentage points of the headline metric. `covered`
is how often the 95 % interval of the lite score, as the report makes it, has the score on all rows in it. The last line is the
error of the mean over the tasks.

Examples:
    python scripts/lite_error.py --data FOLDER                      planted models, on rows in a folder laid out like the hub
    python scripts/lite_error.py --data FOLDER --results RESULTS    and the runs in RESULTS that have samples of whole tasks
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lm_eval_sea.catalogue import read_lite
from lm_eval_sea.catalogue.task_list import TaskRecord, read_tasks
from lm_eval_sea.results.bootstrap import cluster_weights, spread_of
from lm_eval_sea.results.logged_rows import LoggedRows
from lm_eval_sea.results.row_statistics import RowStatistics, chrf_statistics, mean_statistics
from lm_eval_sea.results.run_files import find_runs
from lm_eval_sea.results.summary import rows_of_file
from lm_eval_sea.results.task_metadata import HEADLINE, metadata_of
from lm_eval_sea.results.uncertainty import estimate
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.rows import Row

MODELS = 200
TRANSLATORS = 12  # scoring texts takes longer
SEED = 20261122


class Pair(NamedTuple):
    """One model on one task, in per cent."""

    whole: float
    lite: float
    low: float | None  # 95 % interval of the lite score
    high: float | None


def rows_of(task: TaskRecord) -> list[Row]:
    """The processed rows of a task.

    Raises:
        DataError: if they cannot be had.
    """
    from choose_lite_rows import rows_of as loaded

    return loaded(task).rows


def answered_rightly(rows: Sequence[Row], chance: float, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Whether each row is answered rightly, for one planted model after the other; (rows,) of 0 and 1."""
    clusters = {name: number for number, name in enumerate(dict.fromkeys(row["cluster"] for row in rows))}
    of_cluster = random.normal(0, 0.8, len(clusters))[[clusters[row["cluster"]] for row in rows]]
    labels = {name: number for number, name in enumerate(dict.fromkeys(str(row.get("gold")) for row in rows))}
    of_label = random.normal(0, 0.7, len(labels))[[labels[str(row.get("gold"))] for row in rows]]
    difficulty = of_cluster + of_label + random.normal(0, 1, len(rows))
    for ability in random.uniform(-2, 3, MODELS):
        right = chance + (1 - chance) / (1 + np.exp(difficulty - ability))
        yield (random.random(len(rows)) < right).astype(float)


def translated(rows: Sequence[Row], answer: str, random: np.random.Generator) -> Iterator[RowStatistics]:
    """Corpus chrF++ of planted translators: each leaves out words with a share that varies by row."""
    for share in random.uniform(0.1, 0.8, TRANSLATORS):
        pairs = []
        for row in rows:
            # a text without blanks between words is cut at every third letter, so that there is something to leave out
            text = row[answer]
            words = (
                text.split()
                if text.count(" ") > len(text) / 15
                else [text[start : start + 3] for start in range(0, len(text), 3)]
            )
            kept = random.random(len(words)) > np.clip(share + random.normal(0, 0.2), 0, 0.95)
            joint = " " if " ".join(words) == text else ""
            pairs.append((text, joint.join(word for word, keep in zip(words, kept, strict=True) if keep)))
        yield chrf_statistics(pairs)


def pair_of(statistics: RowStatistics, chosen: np.ndarray, clusters: Sequence[str], pool: str, scores: np.ndarray | None) -> Pair:
    """The scores on all rows and on the chosen ones.

    Args:
        statistics: of all rows.
        chosen: positions of the lite rows.
        clusters: of all rows.
        pool: the data set.
        scores: of the rows, 0 to 1; None where all make one score together.
    """
    lite = RowStatistics(statistics.values[chosen], statistics.score)
    names = [clusters[position] for position in chosen]
    if scores is None:
        _, low, high = spread_of(lite.of_draws(cluster_weights(pool, names)))
    else:
        found = estimate(list(scores[chosen]), names)
        low, high = found.low, found.high
    ends = (None, None) if low is None or high is None else (100 * low, 100 * high)
    return Pair(100 * statistics.of_all_rows, 100 * lite.of_all_rows, *ends)


def planted(task: TaskRecord, ids: set[str], seed: int) -> list[Pair]:
    """The pairs of all planted models on a task.

    Raises:
        DataError: if the rows are not at hand.
    """
    rows = rows_of(task)
    chosen = np.array([position for position, row in enumerate(rows) if row["id"] in ids])
    if len(chosen) < len(ids):
        raise DataError(f"{task.name}: the rows at hand are others")
    clusters = [row["cluster"] for row in rows]
    random = np.random.default_rng(seed)
    pool = str(task.metadata["dataset"])
    if task.metadata[HEADLINE] in ("chrf++", "bleu"):
        made = translated(rows, task.reference.strip("{} "), random)
        return [pair_of(statistics, chosen, clusters, pool, None) for statistics in made]
    return [
        pair_of(mean_statistics(list(right)), chosen, clusters, pool, right)
        for right in answered_rightly(rows, task.metadata["chance"], random)
    ]


def measured(results: Path, chosen_ids: dict[str, set[str]]) -> Iterator[tuple[str, str, Pair]]:
    """Model, task and scores of the runs that have all rows of a task."""
    notes: list[str] = []
    for run in find_runs([results])[0]:
        for task in run.tasks.values():
            rows = rows_of_file(task, notes) if task.name in chosen_ids and task.samples else None
            if rows is None:
                continue
            metadata = metadata_of(task, notes)
            logged = LoggedRows.of(metadata, rows)
            chosen = np.array([place for place, (_, name) in enumerate(logged.keys) if name in chosen_ids[task.name]])
            if len(logged.keys) != metadata.get("rows") or len(chosen) != len(chosen_ids[task.name]) or logged.statistics is None:
                continue
            scores = None if logged.scores is None else np.array(logged.scores)
            yield run.model, task.name, pair_of(logged.statistics, chosen, logged.clusters, str(metadata["dataset"]), scores)


def line(name: str, pairs: Sequence[Pair]) -> str:
    """One line of the table."""
    errors = np.array([abs(pair.lite - pair.whole) for pair in pairs])
    known = [pair.low <= pair.whole <= pair.high for pair in pairs if pair.low is not None and pair.high is not None]
    covered = f"{100 * np.mean(known):.0f} %" if known else "–"
    return f"| {name} | {len(pairs)} | {errors.mean():.1f} | {np.percentile(errors, 95):.1f} | {covered} |"


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="FOLDER", type=Path, required=True, help="laid out like the hub")
    parser.add_argument("--results", metavar="RESULTS", type=Path, help="folder of lm-eval's output, with samples of whole tasks")
    arguments = parser.parse_args()
    results = arguments.results and arguments.results.resolve()
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.chdir(arguments.data)
    listed = read_tasks()
    chosen = {name: set(choice["ids"].split()) for choice in read_lite()["choices"] for name in choice["tasks"]}
    head = "| task | models | mean error | 95 % of errors below | covered |\n|---|---|---|---|---|"
    print(f"Planted models\n\n{head}")
    by_task: dict[str, list[Pair]] = {}
    for number, name in enumerate(listed.groups["sea_sailcompass"]):
        try:
            by_task[name] = planted(listed.tasks[name], chosen[name], SEED + number)
        except DataError as error:
            print(f"| {name} | | not measured: {error} | | |")
            continue
        print(line(f"`{name}`", by_task[name]), flush=True)
    several = {name: pairs for name, pairs in by_task.items() if len(pairs) == MODELS}
    means = [
        Pair(
            *(float(np.mean([getattr(pairs[model], which) for pairs in several.values()])) for which in ("whole", "lite")),
            None,
            None,
        )
        for model in range(MODELS)
    ]
    print(line(f"mean of {len(several)} tasks", means))
    if results:
        print(f"\nReal models\n\n{head}")
        found = list(measured(results, chosen))
        for model, name, pair in found:
            print(line(f"{model}: `{name}`", [pair]))
        if found:
            print(line("all", [pair for _, _, pair in found]))


if __name__ == "__main__":
    main()
