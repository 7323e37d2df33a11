"""The packages that lm-eval does not install and that only some scores need."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from typing import TYPE_CHECKING

from packaging.version import Version


if TYPE_CHECKING:
    from types import ModuleType

# The oldest version that works. pip chooses an older one if numpy is old.
AT_LEAST = {"py3langid": "0.4"}


@functools.cache
def required(package: str, scores: str) -> ModuleType:
    """An optional package. Loaders of rows ask for it, too, so that a task without it stops before a model is loaded.

    Its name is the same for `import` and pip. `scores` says in the message what needs it, in the plural.

    Raises:
        ImportError: if it is not installed, or too old; the message has the command that installs it.
    """
    try:
        version = importlib.metadata.version(package)
        module = importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{scores} need the package {package}: pip install {package}") from error
    if Version(version) < Version(least := AT_LEAST.get(package, "0")):
        raise ImportError(f"{scores} need {package} {least} or later, here is {version}: pip install '{package}>={least}'")
    return module


def version_of(package: str, scores: str) -> str:
    """Name and version of an optional package, for signatures; arguments and errors are those of `required`."""
    required(package, scores)
    return f"{package}:{importlib.metadata.version(package)}"
