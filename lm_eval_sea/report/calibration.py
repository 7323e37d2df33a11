"""What calibration does to the choices of a model (Guo et al. 2024, tables 5 and 7 to 9)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

import numpy as np
import pandas as pd

from lm_eval_sea.report.chart import Chart, Mark, Panel, dots
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import MODEL, TASK, Figure, Section
from lm_eval_sea.report.tables import Column, Table, columns, mean_and_ends, with_interval
from lm_eval_sea.results.rows import BATCH_CALIBRATED
from lm_eval_sea.results.types import list_of
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS, Estimate, Spread, numbered
from lm_eval_sea.tasks._shared.metrics.classification_metrics import (
    Evidence,
    batch_calibration,
    macro_f1_of_labels,
    share_of_equal,
)

# Metric → name of its method.
METHODS = {
    "acc_ppl": "perplexity (the paper's uncalibrated)",
    "acc": "log-likelihood, uncalibrated",
    "acc_cc": "contextual calibration",
    "acc_pmi": "PMI",
    "acc_bc": "batch calibration",
}
BEFORE = "acc"  # what calibrated choices are compared with
GOLD = "gold"
_GROUPS = 20  # of passages; the jackknife leaves out one at a time
_Choose = Callable[[np.ndarray], np.ndarray]  # places of rows → their choices
_Measure = Callable[[np.ndarray, np.ndarray], float]  # right and chosen labels → share
_SHOWN_METHODS: Mapping[str, str] = {"acc": "none", "acc_cc": "contextual", "acc_pmi": "PMI", "acc_bc": "batch"}


def _calibrated(scores: Scores) -> Iterator[tuple[str, str, pd.DataFrame, pd.DataFrame, list[str]]]:
    """Model, task, rows, choices and label words of the tasks that log what calibration needs.

    Choices have a column for each method that chose on all rows. There are no words if every row has its own options.
    """
    for (model, task), rows in scores.logged.items():
        samples = rows.frame[rows.frame.loglikelihoods.notna()]
        if len(samples):
            words = list_of(scores.of[model, task].config.get("doc_to_choice"))
            choices = pd.DataFrame({name: samples[f"chosen_{name}"] for name in METHODS if f"chosen_{name}" in samples})
            yield model, task, samples, choices.dropna(axis=1).astype(int), list(map(str, words))


def calibration_table(scores: Scores) -> pd.DataFrame:
    """One row per model, calibrated task and method: accuracy and macro-F1 over all labels, in per cent, and changed rows.

    Macro-F1 is given for fixed labels only. `changed` is the share of rows, in per cent, on which the choice is not that of the
    uncalibrated log-likelihood, and the gains are the differences from its accuracy and macro-F1; see `gains_of`.
    """
    rows = []
    for model, task, samples, methods, words in _calibrated(scores):
        golds, sizes = samples.gold.to_numpy(dtype=int), set(map(len, samples.loglikelihoods))
        measures: dict[str, _Measure] = {"accuracy": share_of_equal}
        if words:
            measures["macro_f1"] = partial(macro_f1_of_labels, labels=max(sizes))
        choosing: dict[str, _Choose] = {name: chosen.to_numpy().__getitem__ for name, chosen in methods.items()}
        if BATCH_CALIBRATED in choosing and len(sizes) == 1:
            _, choosing[BATCH_CALIBRATED] = batch_calibration(list(map(Evidence, golds.tolist(), samples.loglikelihoods)))
        for method, chosen in methods.items():
            found = {name: 100 * measure(golds, chosen.to_numpy()) for name, measure in measures.items()}
            row: dict[str, object] = {"model": model, "task": task, "method": method, **found, "rows": len(golds)}
            if BEFORE in methods:
                row["changed"] = 100 * int((methods[BEFORE] != chosen).sum()) / len(golds)
            if BEFORE in methods and method != BEFORE:
                gains = gains_of(golds, choosing[method], choosing[BEFORE], measures, samples.cluster.tolist())
                for name, gain in gains.items():
                    row |= mean_and_ends(f"{name}_gain", gain, 100)
            rows.append(row)
    ends = [f"{name}_gain{end}" for name in ("accuracy", "macro_f1") for end in ("", "_low", "_high")]
    numbers = ["accuracy", "macro_f1", "changed", *ends]
    frame = pd.DataFrame(rows, columns=["model", "task", "method", *numbers, "rows"])
    return frame.astype(dict.fromkeys(numbers, "float64"))


def gains_of(
    golds: np.ndarray, after: _Choose, before: _Choose, measures: Mapping[str, _Measure], clusters: Sequence[str]
) -> dict[str, Estimate]:
    """What each measure gains from before to after, on the same rows, with its 95 % interval.

    The error is that of the delete-a-group jackknife over at most `_GROUPS` groups of clusters (Shao and Wu 1989), with Student's
    t. The rows that are left are calibrated again. Without a whole group, choices close to the border move, which they hardly do
    without a single row. There is no interval with fewer than `FEWEST_CLUSTERS` clusters, or if nothing changes.
    """
    count, numbers = len(set(clusters)), numbered(clusters)
    groups = min(count, _GROUPS) if count >= FEWEST_CLUSTERS else 0

    def gains(places: np.ndarray) -> list[float]:
        right, one, other = golds[places], after(places), before(places)
        return [measure(right, one) - measure(right, other) for measure in measures.values()]

    without = [gains(np.flatnonzero(numbers % groups != left_out)) for left_out in range(groups)]
    found = {}
    for place, (name, value) in enumerate(zip(measures, gains(np.arange(len(golds))), strict=True)):
        stderr = math.sqrt((groups - 1) * np.var([left[place] for left in without])) if groups else 0.0
        spread = Spread(stderr or None, groups - 1, few=False)
        found[name] = Estimate(value, spread.stderr, *spread.interval(value, -1.0, 1.0), None, len(golds), count)
    return found


def label_table(scores: Scores) -> pd.DataFrame:
    """One row per model, classification task, and label: how often it is right, and how often each method chooses it."""
    rows, english = [], scores.suite.english_labels
    for model, task, samples, methods, words in _calibrated(scores):
        counts = {method: Counter(chosen) for method, chosen in methods.items()}
        golds = Counter(samples.gold.astype(int))
        for position, (word, meaning) in enumerate(zip_longest(words, (english.get(task) or [])[: len(words)])):
            chosen = {method: count[position] for method, count in counts.items()}
            rows.append({"model": model, "task": task, "label": word, "meaning": meaning, GOLD: golds[position], **chosen})
    return pd.DataFrame(rows, columns=["model", "task", "label", "meaning", GOLD, *METHODS])


def calibration_section(scores: Scores) -> Section:
    """Choices before and after calibration."""
    about = ["model", "task", "dataset", "language", "limited"]
    table = calibration_table(scores).merge(scores.tasks[[*about[:4], "variant", "limited"]])
    labels = label_table(scores).merge(scores.tasks[about])
    settings = scores.tasks[["model", "task", "chance", "source_language"]]
    drawn = table[(table.variant == "classification") & table.task.isin(scores.suite.members)].merge(settings)
    methods = {method: title for method, title in METHODS.items() if labels[method].notna().any()}
    text = (
        "A base model often answers one label for nearly every row. The methods subtract what it would say without the row "
        "(Guo et al. 2024, tables 5 and 7 to 9); docs/scores.md explains each of them."
    )
    note = (
        "“changed” is the share of rows with another choice than that of the uncalibrated log-likelihood. Gains are over it, on "
        "the same rows, in percentage points. For their 95 % intervals batch calibration is repeated on parts of the rows; there "
        f"are none with fewer than {FEWEST_CLUSTERS} rows or passages. They are not corrected for the number of lines: one of "
        "many may exclude 0 by chance."
    )
    measures = [
        Column("method", "method"),
        Column("accuracy", "accuracy", "percent", marker="limited"),
        with_interval("accuracy_gain", "gain [95 %]", "points"),
        *columns("percent", macro_f1="macro-F1"),
        with_interval("macro_f1_gain", "gain in macro-F1 [95 %]", "points"),
        *columns("percent", changed="changed"),
        Column("rows", "rows", "count"),
    ]
    counts = [
        *columns("text", label="label", meaning="in English"),
        Column(GOLD, "right", "count", marker="limited"),
        *columns("count", **methods),
    ]
    parts = [
        _methods_figure(drawn, scores),
        Table("calibration", "Before and after", note, table, [MODEL, TASK, *measures], {"method": METHODS}),
        Table("labels", "Labels chosen", "Rows by label: right, and chosen by each method.", labels, [MODEL, TASK, *counts]),
    ]
    return Section("calibration", "Calibration", [text, *scores.of_last_seed()], parts)


def _methods_figure(table: pd.DataFrame, scores: Scores) -> Figure | None:
    """A panel per model: accuracy of each method on the classification tasks of the suite, a line a task."""
    if table.empty:
        return None
    shown = table.assign(shown=table.method.map(_SHOWN_METHODS)).dropna(subset="shown")

    def marks(rows: pd.DataFrame) -> list[Mark]:
        return [Mark(100 * rows.chance.iloc[0]), *dots(rows, "accuracy", series="shown")]

    panels = [
        Panel(model, scores.suite.lines(shown[shown.model == model], marks), axis="accuracy (%)", keys={"model": model})
        for model in scores.models
        if model in set(table.model)
    ]
    return Figure.of_chart(
        "calibration",
        "Accuracy before and after calibration; the grey bar is chance.",
        Chart(panels, list(_SHOWN_METHODS.values()), series_are_models=False, columns=2),
    )
