"""How well a model predicts texts that are translations of each other: bits per byte, and bits relative to English.

A byte holds more of an English text than of a Thai one, so bits per byte compare models in one language. The bits of a whole text
compare languages, too, as its translations say the same (Cotterell et al. 2018, "Are All Languages Equally Hard to
Language-Model?", arXiv:1806.03743):

    Σ_i bits_i(language) / Σ_i bits_i(English)
"""

from __future__ import annotations

import math

import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import LANGUAGE, MODEL, TASK, Section
from lm_eval_sea.report.tables import Table, columns, mean_and_ends, with_interval
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import is_number
from lm_eval_sea.results.uncertainty import ratio_of_sums
from lm_eval_sea.tasks._shared.metrics.bits_per_byte import BITS


def _bits_of(task: TaskRun) -> dict[str, tuple[float, int]]:
    """Bits and bytes of the texts of a task by their ids; empty if the rows have no log-likelihoods."""
    rows = task.logged_by(BITS, BITS)
    logged = zip(rows.frame.id, rows.frame[BITS], strict=True) if rows is not None else ()
    return {
        name: (-pair[0] / math.log(2), pair[1])
        for name, pair in logged
        if isinstance(pair, list) and len(pair) == 2 and all(map(is_number, pair)) and pair[1] > 0
    }


def texts_table(scores: Scores) -> pd.DataFrame:
    """One row per model and task, with intervals over texts; without rows if no texts were logged.

    `beside` is empty if no text has an English version, or English has no bits.
    """
    tasks = [(model, task) for (model, _), task in sorted(scores.of.items()) if task.facts.is_text]
    found = [(model, task, texts) for model, task in tasks if (texts := _bits_of(task))]
    english_of: dict[tuple[str, str], dict[str, tuple[float, int]]] = {}  # model and data set → its English texts
    for model, task, texts in found:
        if task.facts.language == "en":
            english_of.setdefault((model, task.facts.dataset), {}).update(texts)
    rows = []
    for model, task, texts in found:
        data_set, language = task.facts.dataset, task.facts.language
        english = english_of.get((model, data_set), {}) if language != "en" else {}
        pairs = [(bits, english[name][0]) for name, (bits, _) in texts.items() if name in english]
        beside = ratio_of_sums(pairs) if sum(bits for _, bits in pairs) > 0 else None
        row: dict[str, object] = {"model": model, "task": task.name, "dataset": data_set, "language": language}
        row |= {"texts": len(texts), "limited": task.limited, **mean_and_ends("bits", ratio_of_sums(list(texts.values())))}
        rows.append(row | mean_and_ends("beside", beside) | {"common": beside.rows if beside else None})
    return pd.DataFrame(rows)


def texts_section(scores: Scores) -> Section:
    """The table."""
    shown = [
        *(MODEL, LANGUAGE, TASK),
        with_interval("bits", "bits per byte [95 %]", "decimals", marker="limited"),
        with_interval("beside", "bits, English = 1 [95 %]", "decimals", marker="limited"),
        *columns("count", texts="texts", common="also in English"),
    ]
    text = (
        "How well a model predicts texts without a prompt; fewer bits are better. Bits per byte compare models in one "
        "language: a letter has one byte in English and three in Thai. Bits for the same texts compare languages, with "
        "English as 1: 0.9 means a tenth fewer bits than for the English texts. 95 % intervals over texts."
    )
    return Section("texts", "Parallel texts", [text], [Table("texts", "Bits of the same texts", "", texts_table(scores), shown)])
