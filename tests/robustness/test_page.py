"""docs/reliability.md shows the attempts that this suite makes."""

import re
import subprocess
import sys
from collections import Counter

import pytest

from ..conftest import ROOT
from .conftest import END, PAGE, START, Attempt, table, write_page


def listed():
    """Group → attempts, as the page has them."""
    text = PAGE.read_text(encoding="utf-8").split(START)[1].split(END)[0]
    head = text.split("###")[0]
    return {group: int(number) for group, number in re.findall(r"^\| (?!\*\*|group)(.+?) \| (\d+) \|", head, re.MULTILINE)}


@pytest.mark.slow
def test_the_page_lists_all_attempts():
    """Slow, for all modules are imported once more."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n0",
        "-p",
        "no:cacheprovider",
        "--override-ini",
        "addopts=",
        "--collect-only",
        "-q",
        "-m",
        "",
        "tests/robustness",
    ]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stdout[-2000:]
    modules = re.findall(r"^tests/robustness/(test_\w+)\.py::", process.stdout, re.MULTILINE)
    groups = {
        path.stem: path.read_text(encoding="utf-8").split('"""')[1].split("\n")[0].rstrip(".")
        for path in ROOT.glob("tests/robustness/test_*.py")
    }
    assert Counter(groups[module] for module in modules if module != "test_page") == Counter(listed())


def test_the_table_counts_outcomes():
    outcomes = [(Attempt("data", "cut"), "passed"), (Attempt("data", "cut"), "failed"), (Attempt("text", "bell"), "skipped")]
    lines = table(outcomes).split("\n")
    assert lines[2:5] == ["| data | 2 | 1 | 0 |", "| text | 1 | 0 | 1 |", "| **all** | 3 | 1 | 1 |"]
    assert "| cut | 2 | 1 | 0 |" in lines


def test_a_worse_table_is_not_written(tmp_path):
    page = tmp_path / "page.md"
    one, other = Attempt("data", "cut"), Attempt("text", "bell")
    kept = f"{START}\n{table([(one, 'passed'), (other, 'failed')])}\n{END}"
    page.write_text(kept)
    assert write_page([(one, "skipped"), (other, "failed")], page) == "0 attempts survived, and 1 did before"
    assert write_page([(one, "passed"), (other, "failed"), (other, "failed")], page) == "2 attempts failed, and 1 did before"
    assert page.read_text() == kept
    assert write_page([(one, "passed"), (other, "passed"), (other, "skipped")], page) == ""
    assert "| **all** | 3 | 2 | 1 |" in page.read_text()
