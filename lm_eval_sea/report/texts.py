"""Texts that are translations of each other, as plain language modelling."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, Section
from lm_eval_sea.report.tables import Column, Table
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
        row |= {"bits": own.mean, "bits_low": own.low, "bits_high": own.high}
        if beside is not None:
            row |= {"beside": beside.mean, "beside_low": beside.low, "beside_high": beside.high, "common": beside.rows}
        rows.append(row)
    columns = ["bits", "bits_low", "bits_high", "beside", "beside_low", "beside_high", "common"]
    return pd.DataFrame(rows, columns=["model", "dataset", "language", "texts", *columns])


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
                    Column("bits", "bits per byte [95 %]", "decimals", low="bits_low", high="bits_high"),
                    Column("beside", "bits, English = 1 [95 %]", "decimals", low="beside_low", high="beside_high"),
                    Column("texts", "texts", "count"),
                    Column("common", "also in English", "count"),
                ],
            )
        ],
    )
