"""Rows for tasks of all languages, and the tasks."""

from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager

from .evaluation import TASKS
from .prompt_texts import complete_samples


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """The samples with stand-ins for the languages without; nothing is written to it."""
    return complete_samples(tmp_path_factory.mktemp("samples"))


@pytest.fixture(scope="session")
def manager() -> TaskManager:
    """All tasks of the pack."""
    return TaskManager(include_path=str(TASKS), include_defaults=False)
