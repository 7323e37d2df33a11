"""What models are called in reports."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from lm_eval_sea.results.visible_text import one_line


def short_names(models: Iterable[str]) -> dict[str, str]:
    """Short names of models: the last part of a path, where that is enough to tell them apart."""
    models = sorted(set(models))
    short = {
        model: one_line(PurePosixPath(model).name if model.startswith(("/", "./", "../", "~")) else model) for model in models
    }
    return {model: label if list(short.values()).count(label) == 1 else one_line(model) for model, label in short.items()}
