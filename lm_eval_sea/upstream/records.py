"""What a data set has in lm-eval beyond the pack's own tasks: names, the repository of its rows, metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

DATA_SETS = Path(__file__).resolve().parent / "data_sets"


@dataclass(frozen=True)
class Record:
    """The content of `data_sets/<folder>/record.yaml`."""

    folder: str  # of the tasks in lm-eval, and the beginning of their names
    data_set: str  # of the pack's catalogue
    summary: str  # one line, for lm-eval's list of tasks
    languages: str  # the same
    rows: str  # which rows are scored, and where they are from
    missing: list[str]  # what a pull request still needs, besides what all need
    # Name, or a function in `utils.py` of that name → aggregation; none where it is the metric's own. lm-eval 0.5 has no name for
    # the aggregation of `bleu` and `chrf`, and its `f1` is for multiple choice only.
    metrics: Mapping[str, str | None]
    # task → `of`, the pack's task; `about`; `templates`, those that it includes besides its language's; and keys of its own
    leaves: Mapping[str, Mapping[str, Any]]
    shared: Mapping[str, Any] = field(default_factory=dict)  # keys of all tasks
    by_language: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # keys of a language's tasks
    templates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # keys of the tasks that include a template
    scores: str = ""  # how they are made, where lm-eval's own metrics do not say
    supported: str = ""  # lm-eval's own tasks on the same data, if there are any, and what these do otherwise

    @property
    def utils(self) -> str:
        """The source of the folder's `utils.py`."""
        return (DATA_SETS / self.folder / "utils.py").read_text(encoding="utf-8")


def names() -> list[str]:
    """The folders that can be written."""
    return sorted(path.parent.name for path in DATA_SETS.glob("*/record.yaml"))


def read_record(folder: str) -> Record:
    """Reads the record of a folder that is one of `names`."""
    text = (DATA_SETS / folder / "record.yaml").read_text(encoding="utf-8")
    return Record(folder=folder, **yaml.safe_load(text))
