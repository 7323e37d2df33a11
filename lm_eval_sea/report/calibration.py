"""What calibration does to the choices of a model (Guo et al. 2024, tables 5 and 7 to 9): numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from lm_eval_sea.report.frames import Frames
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


def choices_by_method(samples: pd.DataFrame) -> dict[str, list[Choice]]:
    """The choices of each method on the rows of one model and task; methods without choices are left out."""
    golds = [int(gold) for gold in samples.gold]
    labels = max(len(loglikelihoods) for loglikelihoods in samples.loglikelihoods)
    found = {}
    for method in METHODS:
        column = f"chosen_{method}"
        if column in samples and samples[column].notna().all():
            found[method] = [Choice(gold, int(choice), labels) for gold, choice in zip(golds, samples[column], strict=True)]
    return found


def calibrated_samples(frames: Frames, *, fixed_labels: bool) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """(model, task) and rows of the tasks that log what calibration needs.

    Args:
        frames: the runs.
        fixed_labels: only tasks with the same labels for all rows, not those that rank letters of options.
    """
    logged = frames.samples[frames.samples.loglikelihoods.notna()]
    groups = logged.groupby(["model", "task"], sort=False)
    return [(key, group) for key, group in groups if not fixed_labels or label_words(frames, key)]


def label_words(frames: Frames, key: tuple[str, str]) -> list[str]:
    """The label words of a task of a model; none where every row has options of its own."""
    words = frames.of[key].config.get("doc_to_choice")
    return [str(word) for word in words] if isinstance(words, list) else []


def calibration_table(frames: Frames) -> pd.DataFrame:
    """One row a model, calibrated task and method: accuracy and macro-F1 over all labels, in per cent, and changed rows.

    Macro-F1 is given for fixed labels only. `changed` is the share of rows, in per cent, on which the choice is not that of the
    uncalibrated log-likelihood.
    """
    rows = []
    for key, samples in calibrated_samples(frames, fixed_labels=False):
        fixed = bool(label_words(frames, key))
        methods = choices_by_method(samples)
        before = [choice.chosen for choice in methods.get("acc", [])]
        for method, choices in methods.items():
            rows.append(
                {
                    "model": key[0],
                    "task": key[1],
                    "method": method,
                    "accuracy": 100 * sum(choice.gold == choice.chosen for choice in choices) / len(choices),
                    "macro_f1": 100 * macro_f1(choices) if fixed else None,
                    "changed": _changed(before, choices),
                    "rows": len(choices),
                }
            )
    return pd.DataFrame(rows, columns=["model", "task", "method", "accuracy", "macro_f1", "changed", "rows"])


def _changed(before: Sequence[int], after: Sequence[Choice]) -> float | None:
    if not before:
        return None
    return 100 * sum(old != choice.chosen for old, choice in zip(before, after, strict=True)) / len(after)


def label_table(frames: Frames, english: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """One row a model, classification task, and label: how often it is right, and how often each method chooses it.

    Args:
        frames: the runs.
        english: name of a task → its labels in English, in the same order.
    """
    rows = []
    for key, samples in calibrated_samples(frames, fixed_labels=True):
        methods = choices_by_method(samples)
        counts = {method: Counter(choice.chosen for choice in choices) for method, choices in methods.items()}
        golds = Counter(int(gold) for gold in samples.gold)
        for position, word in enumerate(label_words(frames, key)):
            chosen = {method: count[position] for method, count in counts.items()}
            words = english.get(key[1]) or []
            meaning = words[position] if position < len(words) else None
            rows.append({"model": key[0], "task": key[1], "label": word, "meaning": meaning, GOLD: golds[position], **chosen})
    return pd.DataFrame(rows, columns=["model", "task", "label", "meaning", GOLD, *METHODS])
