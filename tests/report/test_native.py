"""Means on native and on translated rows, against numbers by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from lm_eval_sea.report.native import native_section, native_table
from lm_eval_sea.report.suite import read_suite

ORIGINS = {"exam": "native", "mood": "native", "story": "translated", "nli": "machine translated", "english": "native"}

DRAWS = np.linspace(0, 100, 1001)


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
        {("m", "exam"): DRAWS, ("m", "mood"): DRAWS + 10, ("m", "story"): DRAWS},  # none of nli
    )
    ends = {"native_low": 5 + 2.5, "native_high": 5 + 97.5}
    [found] = table.to_dict("records")
    assert {name: found.pop(name) for name in ends} == pytest.approx(ends)
    assert all(np.isnan(found.pop(name)) for name in ("translated_low", "translated_high", "difference_low", "difference_high"))
    assert [found] == [
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
    assert native_table(headline(("m", "exam", "th", 20.0, 25.0, False)), ORIGINS, {}).empty


def test_the_page_shows_intervals_of_both_means_and_of_their_difference():
    shown = headline(("m", "exam", "th", 50.0, 25.0, False), ("m", "story", "th", 40.0, 50.0, True))
    draws = {("m", "exam"): DRAWS, ("m", "story"): DRAWS[::-1]}
    analysis = SimpleNamespace(headline=shown, suite=SimpleNamespace(origins=ORIGINS), draws=draws)
    [(_, cells)] = native_section(analysis).tables[0].cells()
    texts = [cell.text for cell in cells]
    assert texts == ["m", "th", "50.0 [2.5, 97.5]†", "1", "40.0 [2.5, 97.5]†", "1", "+10.0 [−95.0, +95.0]†"]


def test_a_lite_task_counts_where_the_whole_one_was_not_run():
    name = "sea_xnli_th"
    assert read_suite({f"{name}_lite"}).origins[f"{name}_lite"] == "translated"
    both = read_suite({name, f"{name}_lite"}).origins
    assert name in both and f"{name}_lite" not in both
    assert f"{name}_enprompt" not in both
