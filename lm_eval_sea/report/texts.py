"""Texts that are translations of each other, as plain language modelling."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, Section
from lm_eval_sea.report.tables import Column, Table, mean_and_ends, with_interval
from lm_eval_sea.results.texts import Text, bits_beside, bits_per_byte, texts_of


def texts_table(scores: Scores) -> pd.DataFrame:
    """One row a model, data set and language; without rows where no texts were logged."""
    found: dict[tuple[str, str, str], dict[str, Text]] = {}
    for (model, _), task in scores.of.items():
        if task.facts.is_text and (texts := texts_of(task)):
            found[model, task.facts.dataset, task.facts.language] = texts
    rows = []
    for (model, data_set, language), texts in sorted(found.items()):
        own = bits_per_byte(texts)
        english = found.get((model, data_set, "en"))
        beside = bits_beside(texts, english) if english and language != "en" else None
        row = {"model": model, "dataset": data_set, "language": language, "texts": len(texts)}
        row |= {**mean_and_ends("bits", own), **mean_and_ends("beside", beside), "common": beside.rows if beside else None}
        rows.append(row)
    return pd.DataFrame(rows)


def texts_section(scores: Scores) -> Section:
    """The table."""
    return Section(
        "texts",
        "Parallel texts",
        [
            "How well a model foresees texts without a prompt; fewer bits are better. Bits per byte compare models in one "
            "language: a letter has one byte in English and three in Thai. Bits for the same texts compare languages, English "
            "as 1: 0.9 would say that a tenth fewer bits are needed than for the English texts. 95 % intervals over texts.",
        ],
        [
            Table(
                "texts",
                "Bits of the same texts",
                "",
                texts_table(scores),
                [
                    MODEL,
                    DATA_SET,
                    LANGUAGE,
                    with_interval("bits", "bits per byte [95 %]", "decimals"),
                    with_interval("beside", "bits, English = 1 [95 %]", "decimals"),
                    Column("texts", "texts", "count"),
                    Column("common", "also in English", "count"),
                ],
            )
        ],
    )
