"""The task files as lm-eval finds them."""

import functools
import re
import unicodedata
from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

from lm_eval_sea.tasks._shared.facts import facts

from .evaluation import TASKS

FILES = sorted(TASKS.rglob("*.yaml"))


@pytest.fixture(scope="module")
def manager() -> TaskManager:
    return TaskManager(include_path=str(TASKS), include_defaults=False)


@functools.cache
def _content(path: Path) -> dict:
    return load_yaml(path, resolve_func=False)


def test_every_file_is_registered(manager):
    """lm-eval skips a file that it cannot read without a word."""
    registered = {entry.yaml_path for entry in manager.task_index.values() if entry.yaml_path}
    assert registered == set(FILES)


def test_every_function_that_a_file_names_is_there():
    for path in [*FILES, *TASKS.rglob("_*_yaml")]:
        load_yaml(path, resolve_func=True)


def test_names_of_tasks_groups_and_tags_are_disjoint(manager):
    assert not set(manager.all_tags) & (set(manager.all_groups) | set(manager.all_subtasks))


def test_every_task_says_what_a_report_needs():
    needed = {"version", "dataset", "language", "task", "variant", "prompt_language", "prompt_book_version"}
    needed |= {"data_source", "rows", "chance", "headline_metric"}
    for path in FILES:
        content = _content(path)
        assert content["metadata"]["version"], path
        if "group" not in content:
            assert needed <= set(facts(content["metadata"])), path


def test_text_files_are_nfc_utf8_without_trailing_blanks():
    for path in [*FILES, *TASKS.rglob("*_yaml")]:
        text = path.read_bytes().decode("utf-8")
        assert text == unicodedata.normalize("NFC", text), path
        assert "\r" not in text
        assert not re.search(r"[ \t]+$", text, re.MULTILINE), path
