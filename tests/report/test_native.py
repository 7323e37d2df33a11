"""Means on native and on translated rows, against numbers by hand."""

import pandas as pd
import pytest

from lm_eval_sea.report.native import native_table
from lm_eval_sea.report.suite import read_suite

ORIGINS = {"exam": "native", "mood": "native", "story": "translated", "nli": "machine translated", "english": "native"}


def headline(*rows):
    columns = ("model", "task", "language", "normalised", "chance", "limited")
    return pd.DataFrame([dict(zip(columns, row, strict=True)) for row in rows])


def test_means_by_hand():
    table = native_table(
        headline(
            ("m", "exam", "th", 20.0, 25.0, False),
            ("m", "mood", "th", 50.0, 33.0, False),
            ("m", "story", "th", 10.0, 50.0, False),
            ("m", "nli", "th", 30.0, 33.0, True),
            ("m", "summary", "th", 99.0, 0.0, False),  # no chance level: written freely
            ("m", "exam_litilo_ppl", "th", 99.0, 25.0, False),  # not of a plain run
            ("m", "english", "en", 80.0, 25.0, False),
            ("m", "exam", "vi", 40.0, 25.0, False),  # nothing translated beside it
        ),
        ORIGINS | {"summary": "native"},
    )
    assert table.to_dict("records") == [
        {
            "model": "m",
            "language": "th",
            "native": pytest.approx(35.0),
            "native_tasks": 2,
            "translated": pytest.approx(20.0),
            "translated_tasks": 2,
            "difference": pytest.approx(15.0),
            "limited": True,
        }
    ]


def test_nothing_to_compare_is_an_empty_table():
    assert native_table(headline(("m", "exam", "th", 20.0, 25.0, False)), ORIGINS).empty


def test_a_lite_task_counts_where_the_whole_one_was_not_run():
    name = "sea_xnli_th"
    assert read_suite({f"{name}_lite"}).origins[f"{name}_lite"] == "translated"
    both = read_suite({name, f"{name}_lite"}).origins
    assert name in both and f"{name}_lite" not in both
    assert f"{name}_enprompt" not in both
