"""Rows for tasks of all languages."""

import re
from pathlib import Path

import pytest

from .prompt_texts import complete_samples

# These tests read answers in all languages in turn, whose patterns are more than the 512 that Python keeps compiled. A run of a
# task reads one language.
re._MAXCACHE = 20_000


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """The samples with stand-ins for the languages without; nothing is written to it."""
    return complete_samples(tmp_path_factory.mktemp("samples"))
