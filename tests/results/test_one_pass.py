"""How often commands open the rows of a run, which are gigabytes: counts, which a slow machine does not change."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from lm_eval_sea.commands.cli import main

from ..report.planted import plant
from .test_thoughts import planted as plant_thoughts


@pytest.fixture
def opened():
    """How often each samples file was opened so far."""
    files, is_on = Counter(), [True]

    def note(event, arguments):  # there is no way to take it away
        if is_on and event == "open" and Path(str(arguments[0])).name.startswith("samples_"):
            files[str(arguments[0])] += 1

    sys.addaudithook(note)
    yield files
    is_on.clear()


def cut_thoughts(folder):
    """Whose finish reasons, tokens and scores all are told of."""
    plant_thoughts(folder, [("closed", "", 40, 10, 1.0)] * 10 + [("cut", "", 100, 0, 0.0)] * 10)


@pytest.mark.parametrize(
    ("write", "command", "times"),
    [(plant, "show", 1), (cut_thoughts, "show", 1), pytest.param(plant, "report", 2, marks=pytest.mark.slow)],
)
def test_rows_are_read_once_and_by_the_report_again_where_it_shows_them(write, command, times, opened, tmp_path):
    write(tmp_path / "runs")
    opened.clear()
    assert main([command, str(tmp_path / "runs"), *(["--out", str(tmp_path / "report")] if command == "report" else [])]) == 0
    assert opened == dict.fromkeys(map(str, tmp_path.rglob("samples_*.jsonl")), times)
