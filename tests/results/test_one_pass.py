"""How often commands open the rows of a run, which are gigabytes: counts, which a slow machine does not change."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from lm_eval_sea.commands.cli import main

from ..report.planted import plant


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


@pytest.fixture
def runs(tmp_path):
    return plant(tmp_path / "runs")


@pytest.mark.parametrize(("command", "times"), [("show", 1), pytest.param("report", 2, marks=pytest.mark.slow)])
def test_rows_are_read_once_and_by_the_report_again_where_it_shows_them(command, times, runs, opened, tmp_path):
    assert main([command, str(runs), *(["--out", str(tmp_path / "report")] if command == "report" else [])]) == 0
    assert opened == dict.fromkeys(map(str, runs.rglob("samples_*.jsonl")), times)
