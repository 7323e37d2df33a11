"""The packages that lm-eval does not install and that only some scores need."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import os
from typing import TYPE_CHECKING

from packaging.version import Version


if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

# The oldest versions that work. pip chooses an older py3langid if numpy is old; PyThaiNLP 5.0.0 lacks a package that it imports.
AT_LEAST = {"py3langid": "0.4", "pythainlp": "5.0.1"}


@contextlib.contextmanager
def _nothing_in_home() -> Iterator[None]:
    """Inside, PyThaiNLP is imported without making ~/pythainlp-data, which nothing here reads and a home may not allow."""
    said = {"PYTHAINLP_READ_ONLY", "PYTHAINLP_READ_MODE"} & os.environ.keys()  # the user's own; PyThaiNLP refuses both at once
    if not said:
        os.environ["PYTHAINLP_READ_ONLY"] = "1"
    try:
        yield
    finally:
        if not said:
            del os.environ["PYTHAINLP_READ_ONLY"]


@functools.cache
def required(package: str, scores: str) -> ModuleType:
    """An optional package. Loaders of rows ask for it, too, so that a task without it stops before a model is loaded.

    Its name is the same for `import` and pip. `scores` says in the message what needs it, in the plural. Raises `ImportError`
    if it is not installed, too old, or cannot be read; the message has the command that installs it.
    """
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError(f"{scores} need the package {package}: pip install {package}") from error
    if Version(version) < Version(least := AT_LEAST.get(package, "0")):
        raise ImportError(f"{scores} need {package} {least} or later, not {version}: pip install '{package}>={least}'")
    try:
        with _nothing_in_home():
            return importlib.import_module(package)
    except (ImportError, OSError) as error:
        raise ImportError(f"{scores} need the package {package}; its import fails: {error}; pip install -U {package}") from error


def version_of(package: str, scores: str) -> str:
    """Name and version of an optional package, for signatures; arguments and errors are those of `required`."""
    required(package, scores)
    return f"{package}:{importlib.metadata.version(package)}"
