"""`lm-eval-sea ls` without a pattern."""

import re
from collections import Counter

import pytest

from lm_eval_sea import __version__
from lm_eval_sea.catalogue.overview import overview, suites_of
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.commands.cli import main

LISTED = read_tasks()


def block(text, title):
    """The names and counts below a title."""
    [found] = [part for part in text.split("\n\n") if part.startswith(title)]
    return {name: int(count) for name, count in re.findall(r"^(.+?)  +(\d+)\b", found, re.M)}


def test_the_counts_are_those_of_the_tasks(capsys):
    assert main(["ls"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{len(LISTED.tasks)} tasks, {len(LISTED.groups)} groups, {len(LISTED.tags)} tags\n")
    assert block(text, "data set") == Counter(task.metadata["dataset"] for task in LISTED.tasks.values())
    assert block(text, "variant") == Counter(task.metadata["variant"] for task in LISTED.tasks.values())
    languages = block(text, "language")
    assert sum(languages.values()) == len(LISTED.tasks)
    assert languages["th"] == sum(task.metadata["language"] == "th" for task in LISTED.tasks.values())
    assert max(map(len, text.split("\n"))) <= 100, "a terminal's width"


def test_suites_are_those_of_the_publications():
    suites = suites_of(LISTED)
    assert {"sea_sailcompass", "sea_helm_th"} <= suites.keys()
    assert not {"sea_xcopa_to_ppl", "sea_helm_th_knowledge", "sea_sailcompass_nli"} & suites.keys()
    assert block(overview(LISTED), "suite") == {name: len(members) for name, members in suites.items()}


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"lm-eval-sea {__version__}\n"
