"""Counts the attempts of this suite by group, and writes the table of docs/reliability.md.

Each test of a module `test_<group>.py` is one attempt to get a wrong number, a lost result or a traceback out of the pack; it
passes if that fails. The first line of a test's docstring says what is tried, and that of the module what its group is.

    python -m pytest tests/robustness -n0 -m "" --write-reliability
"""

from __future__ import annotations

import functools
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
START, END = "<!-- attempts: written by tests/robustness/conftest.py -->\n", "<!-- end of the attempts -->\n"
TITLE = "attempt"  # name of the property of a report that holds group and title
PAGE_TEST = "test_page.py"  # what is no group


class Attempt(NamedTuple):
    """What is tried, in words."""

    group: str
    title: str


def attempt_of(item: pytest.Item) -> Attempt:
    """The words of a test.

    Raises:
        pytest.UsageError: if test or module has no docstring.
    """
    documents = [(part.__doc__ or "").strip().partition("\n")[0].rstrip(".") for part in (item.module, item.function)]
    if not all(documents):
        raise pytest.UsageError(f"{item.nodeid}: it or its module has no docstring, whose first line is for docs/reliability.md")
    return Attempt(*documents)


def is_attempt(item: pytest.Item) -> bool:
    """Whether a test is one of this suite's attempts."""
    return item.path.parent == Path(__file__).parent and item.path.name != PAGE_TEST


class Outcomes:
    """Gathers what came of the attempts; those that were not chosen count as not run."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[Attempt, str]] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        """Takes all attempts for not run, before any are left out."""
        self.found = {item.nodeid: (attempt_of(item), "skipped") for item in items if is_attempt(item)}
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        words = dict(report.user_properties).get(TITLE)
        if words and (report.when == "call" or report.outcome != "passed"):
            self.found[report.nodeid] = (Attempt(*words), report.outcome)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and (worse := write_page(self.found.values())):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            print(f"\n{PAGE.name} stays as it is: {worse}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-reliability", action="store_true", help="write the table of attempts in docs/reliability.md")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--write-reliability", default=False):
        config.pluginmanager.register(Outcomes())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_attempt(item):
            item.user_properties.append((TITLE, tuple(attempt_of(item))))  # a plain tuple, which pytest-xdist can hand over


def table(counts: Iterable[tuple[Attempt, str]]) -> str:
    """The groups, and below them what was tried, each with its number of attempts.

    Args:
        counts: attempts with their outcomes: passed, failed or skipped.
    """
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for (group, title), outcome in counts:
        groups[group][title].append(outcome)
    lines = ["| group | attempts | survived | not run |", "|---|---:|---:|---:|"]
    total: list[str] = []
    for group, titles in sorted(groups.items()):
        outcomes = [outcome for found in titles.values() for outcome in found]
        total += outcomes
        lines.append(f"| {group} | {_cells(outcomes)} |")
    lines.append(f"| **all** | {_cells(total)} |")
    for group, titles in sorted(groups.items()):
        lines += ["", f"### {group}", "", "| attempt | attempts | survived | not run |", "|---|---:|---:|---:|"]
        lines += [f"| {title} | {_cells(outcomes)} |" for title, outcomes in titles.items()]
    return "\n".join(lines) + "\n"


def _cells(outcomes: list[str]) -> str:
    return " | ".join(map(str, (len(outcomes), outcomes.count("passed"), outcomes.count("skipped"))))


def write_page(counts: Iterable[tuple[Attempt, str]], page: Path = PAGE) -> str:
    """Puts the table into the page, unless it is worse than the one there: what was survived once must be so again.

    Returns:
        What is worse, if anything. An attempt that is given up on purpose is to be taken out of the page by hand.
    """
    head, rest = page.read_text(encoding="utf-8").split(START)
    before, tail = rest.split(END)
    after = table(counts)
    (survived, failed), (survived_before, failed_before) = _sums(after), _sums(before)
    if survived < survived_before:
        return f"{survived} attempts survived, and {survived_before} did before"
    if failed > failed_before:
        return f"{failed} attempts failed, and {failed_before} did before"
    page.write_text(f"{head}{START}\n{after}\n{END}{tail}", encoding="utf-8")
    return ""


def _sums(text: str) -> tuple[int, int]:
    """How many attempts of a table survived and failed."""
    found = re.search(r"^\| \*\*all\*\* \| (\d+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    assert found is not None, f"{PAGE} has no sums"
    attempts, survived, skipped = map(int, found.groups())
    return survived, attempts - survived - skipped


@pytest.fixture
def mirror(samples, tmp_path, monkeypatch) -> Path:
    """A copy of the hand-written rows, as the current folder."""
    folder = tmp_path / "mirror"
    shutil.copytree(samples, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="session")
def pack():
    """The tasks of the pack by name."""
    from lm_eval_sea.catalogue.task_list import read_tasks

    return read_tasks().tasks


@pytest.fixture(scope="session")
def load(pack):
    """The rows of a task from the folders below the current one, as every way to run the task loads them."""
    from lm_eval.tasks._yaml_loader import load_yaml

    from lm_eval_sea.tasks._shared.rows import LoadedRows, processed_rows, row_processor

    def load(name: str) -> LoadedRows:
        task = pack[name]
        return processed_rows(task.source, row_processor(load_yaml(task.path)["dataset_kwargs"]["process"], task.metadata))

    return load


@pytest.fixture(scope="session")
def load_task():
    """Loads a task as plain lm_eval does."""
    from lm_eval.tasks import TaskManager

    from lm_eval_sea.catalogue.task_list import TASKS_FOLDER

    managers = functools.cache(lambda folder: TaskManager(include_path=str(TASKS_FOLDER / folder), include_defaults=False))

    def load_task(name: str):
        return managers(name.removeprefix("sea_").split("_")[0]).load([name])["tasks"][name]

    return load_task


def edit(path: Path, change) -> None:
    """Changes the rows of a file of JSON lines; `change` gets the list of them. Lone surrogates are written as escapes."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
