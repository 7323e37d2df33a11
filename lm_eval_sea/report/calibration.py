"""What calibration does to the choices of a model (Guo et al. 2024, tables 5 and 7 to 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import pandas as pd

from lm_eval_sea.report.chart import BAR, GUIDE, Chart, Line, Mark, Panel, dots
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import MODEL, TASK, Figure, Section
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.report.tables import Column, Table, columns
from lm_eval_sea.results.types import list_of
from lm_eval_sea.tasks._shared.metrics.classification_metrics import Choice, macro_f1

# Metric whose choice counts → what it is called.
METHODS = {
    "acc_ppl": "perplexity (the paper's uncalibrated)",
    "acc": "log-likelihood, uncalibrated",
    "acc_cc": "contextual calibration",
    "acc_pmi": "PMI",
    "acc_bc": "batch calibration",
}
GOLD = "gold"
_SHOWN_METHODS: Mapping[str, str] = {"acc": "none", "acc_cc": "contextual", "acc_pmi": "PMI", "acc_bc": "batch"}


def _calibrated(scores: Scores) -> Iterator[tuple[str, str, pd.DataFrame, pd.DataFrame, list[str]]]:
    """Model, task, rows, choices and label words of the tasks that log what calibration needs.

    Choices have a column for each method that chose on all rows. There are no words where every row has options of its own.
    """
    for (model, task), rows in scores.logged.items():
        samples = rows.frame[rows.frame.loglikelihoods.notna()]
        if len(samples):
            words = list_of(scores.of[model, task].config.get("doc_to_choice"))
            choices = pd.DataFrame({name: samples[f"chosen_{name}"] for name in METHODS if f"chosen_{name}" in samples})
            yield model, task, samples, choices.dropna(axis=1).astype(int), list(map(str, words))


def calibration_table(scores: Scores) -> pd.DataFrame:
    """One row a model, calibrated task and method: accuracy and macro-F1 over all labels, in per cent, and changed rows.

    Macro-F1 is given for fixed labels only. `changed` is the share of rows, in per cent, on which the choice is not that of the
    uncalibrated log-likelihood.
    """
    rows = []
    for model, task, samples, methods, words in _calibrated(scores):
        golds, labels = samples.gold.astype(int), max(map(len, samples.loglikelihoods))
        for method, chosen in methods.items():
            accuracy = 100 * int((golds == chosen).sum()) / len(chosen)
            f1 = 100 * macro_f1([Choice(*pair, labels) for pair in zip(golds, chosen, strict=True)]) if words else None
            changed = 100 * int((methods.acc != chosen).sum()) / len(chosen) if "acc" in methods else None
            rows.append((model, task, method, accuracy, f1, changed, len(chosen)))
    return pd.DataFrame(rows, columns=["model", "task", "method", "accuracy", "macro_f1", "changed", "rows"])


def label_table(scores: Scores, english: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """One row a model, classification task, and label: how often it is right, and how often each method chooses it.

    `english` has the labels of a task in English, in the same order.
    """
    rows = []
    for model, task, samples, methods, words in _calibrated(scores):
        counts = {method: Counter(chosen) for method, chosen in methods.items()}
        golds = Counter(samples.gold.astype(int))
        for position, (word, meaning) in enumerate(zip_longest(words, (english.get(task) or [])[: len(words)])):
            chosen = {method: count[position] for method, count in counts.items()}
            rows.append({"model": model, "task": task, "label": word, "meaning": meaning, GOLD: golds[position], **chosen})
    return pd.DataFrame(rows, columns=["model", "task", "label", "meaning", GOLD, *METHODS])


def calibration_section(scores: Scores) -> Section:
    """Choices before and after calibration."""
    suite = scores.suite
    about = ["model", "task", "dataset", "language", "limited"]
    table = calibration_table(scores).merge(scores.tasks[[*about[:4], "variant", "limited"]])
    labels = label_table(scores, suite.english_labels).merge(scores.tasks[about])
    settings = scores.tasks[["model", "task", "chance", "source_language"]]
    drawn = table[(table.variant == "classification") & table.task.isin(suite.members)].merge(settings)
    methods = {method: title for method, title in METHODS.items() if labels[method].notna().any()}
    text = (
        "A base model often answers one label for nearly every row. The methods take off what it would say without the row "
        "(Guo et al. 2024, tables 5 and 7 to 9); what each of them is stands in docs/scores.md."
    )
    note = "“changed” is the share of rows that another label is chosen for than by the uncalibrated log-likelihood."
    measures = [
        Column("method", "method"),
        Column("accuracy", "accuracy", "percent", marker="limited"),
        *columns("percent", macro_f1="macro-F1", changed="changed"),
        Column("rows", "rows", "count"),
    ]
    counts = [
        *columns("text", label="label", meaning="in English"),
        Column(GOLD, "right", "count", marker="limited"),
        *columns("count", **methods),
    ]
    parts = [
        _methods_figure(drawn, suite, scores.models),
        Table("calibration", "Before and after", note, table, [MODEL, TASK, *measures], {"method": METHODS}),
        _labels_figure(labels[labels.task.isin(suite.members)], scores),
        Table("labels", "Labels chosen", "Rows by label: right, and chosen by each method.", labels, [MODEL, TASK, *counts]),
    ]
    return Section("calibration", "Calibration", [text], parts)


def _methods_figure(table: pd.DataFrame, suite: Suite, models: Sequence[str]) -> Figure | None:
    """A panel per model: accuracy of each method on the classification tasks of the suite, a line a task."""
    if table.empty:
        return None
    by_method = table.pivot_table(index=["model", "task"], columns="method", values="accuracy")
    gains = (by_method.acc_bc - by_method.acc).dropna() if {"acc", "acc_bc"} <= set(by_method) else pd.Series(dtype=float)
    seen = f"Batch calibration gains {gains.mean():+.0f} points on average, from {gains.min():+.0f} to {gains.max():+.0f}."
    shown = table.assign(shown=table.method.map(_SHOWN_METHODS)).dropna(subset="shown")

    def marks(rows: pd.DataFrame) -> list[Mark]:
        return [Mark(GUIDE, 100 * rows.chance.iloc[0]), *dots(rows, "accuracy", series="shown")]

    panels = [
        Panel(model, suite.lines(shown[shown.model == model], marks), axis="accuracy (%)", keys={"model": model})
        for model in models
        if model in set(table.model)
    ]
    return Figure.of_chart(
        "calibration",
        "Accuracy before and after calibration; the grey bar is chance.",
        Chart(panels, list(_SHOWN_METHODS.values()), series_are_models=False, columns=2),
        f"Points for each method, one line per task, one panel per model. {seen if len(gains) else ''}".strip(),
    )


def _labels_figure(table: pd.DataFrame, scores: Scores) -> Figure | None:
    """A panel per classification task of the suite: shares of the labels, right and chosen by each model before and after."""
    if table.empty:
        return None
    shares = table.assign(share=table.acc / table.groupby(["model", "task"])[GOLD].transform("sum"))
    seen = ""
    if shares.share.notna().any():
        most = shares.loc[shares.share.idxmax()]
        seen = f" The most one-sided is {most.model} on {most.task}: {100 * most.share:.0f} per cent “{most.label}”."
    names = [name for name in scores.suite.members if name in set(table.task)]
    return Figure.of_chart(
        "labels",
        "Labels: right, chosen without calibration (log-likelihood), and after batch calibration; native prompts.",
        Chart([_labels_panel(table[table.task == name], scores) for name in names], series_are_models=False, columns=2),
        f"Stacked bars of the shares of the labels, one panel per task.{seen}",
    )


def _labels_panel(table: pd.DataFrame, scores: Scores) -> Panel:
    """What is right, then for each model the choices before and after batch calibration."""
    words, by_model = list(table.drop_duplicates("label").meaning), dict(list(table.groupby("model", sort=False)))
    counts: list[tuple[dict[str, str], str, pd.Series]] = [({}, "right", next(iter(by_model.values()))[GOLD])]
    counts += [
        ({"model": model}, f"{model}, {title}", by_model[model][method])
        for model in scores.models
        for method, title in (("acc", "before"), ("acc_bc", "after"))
        if model in by_model and by_model[model][method].notna().all()
    ]
    lines = []
    for keys, title, of_labels in counts:
        ends = [0.0, *(100 * of_labels.cumsum() / max(1, of_labels.sum()))]
        bars = zip(words, ends, ends[1:], strict=False)
        lines.append(Line(title, [Mark(BAR, end, begin, series=word) for word, begin, end in bars if end > begin], keys))
    task = scores.tasks[scores.tasks.task == table.task.iloc[0]].iloc[0]
    keys = {"dataset": task.dataset, "language": task.language}
    return Panel(scores.suite.task_title(task), lines, axis="% of rows", keys=keys, series=words)
