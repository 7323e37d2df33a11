"""What data sets, tasks and suites there are; the only place that knows files, row counts, chance levels and labels."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent


@functools.cache
def read_data_sets() -> dict[str, Any]:
    """The data sets of SailCompass and Belebele: the content of `data_sets.yaml`."""
    return yaml.safe_load((FOLDER / "data_sets.yaml").read_text(encoding="utf-8"))


@functools.cache
def read_sea_helm() -> dict[str, Any]:
    """The tasks of SEA-HELM: the content of `sea_helm.yaml`."""
    return yaml.safe_load((FOLDER / "sea_helm.yaml").read_text(encoding="utf-8"))
