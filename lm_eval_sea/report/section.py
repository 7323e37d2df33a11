"""The shape of a section, and the columns that most tables have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from lm_eval_sea.report.tables import Column, Table

MODEL, TASK = Column("model", "model"), Column("task", "task")
DATA_SET, LANGUAGE, PROMPT = Column("dataset", "data set"), Column("language", "language"), Column("prompt_language", "prompt")
ROWS = Column("rows", "rows", "count", marker="limited")
SCORE = Column("score", "score [95 %]", "score", low="low", high="high", marker="limited")


@dataclass(frozen=True)
class Section:
    """A part of the report."""

    name: str
    title: str
    text: Sequence[str]  # paragraphs
    parts: Sequence[Table | str]  # tables, and names of figures, in order

    @property
    def tables(self) -> list[Table]:
        """Its tables."""
        return [part for part in self.parts if isinstance(part, Table)]


def sample_link(model: str, task: str) -> str:
    """Where the page shows the rows of a task."""
    return f"samples/{quote(task, safe='')}/{quote(model, safe='')}"
