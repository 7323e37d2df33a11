"""What data sets, tasks and suites there are; the only place that knows files, row counts, chance levels and labels."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent
LITE_FOLDER = FOLDER / "lite"
SUITE, LITE_SUITE = "sea_sailcompass", "sea_lite"  # the group of SailCompass, and that of its lite tasks


@functools.cache
def read_data_sets() -> dict[str, Any]:
    """The data sets of SailCompass and Belebele: the content of `data_sets.yaml`."""
    return yaml.safe_load((FOLDER / "data_sets.yaml").read_text(encoding="utf-8"))


@functools.cache
def read_sea_helm() -> dict[str, Any]:
    """The tasks of SEA-HELM: the content of `sea_helm.yaml`."""
    return yaml.safe_load((FOLDER / "sea_helm.yaml").read_text(encoding="utf-8"))


@functools.cache
def read_lite() -> dict[str, Any]:
    """The rows of the lite tasks: the content of the files in `lite/`, `choices` and `missing` of all suites together."""
    contents = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(LITE_FOLDER.glob("*.yaml"))]
    return {
        "choices": [choice for content in contents for choice in content["choices"]],
        "missing": {task: why for content in contents for task, why in content["missing"].items()},
    }
