"""Rows for tasks of all languages."""

from pathlib import Path

import pytest

from .prompt_texts import complete_samples


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """The samples with stand-ins for the languages without; nothing is written to it."""
    return complete_samples(tmp_path_factory.mktemp("samples"))
