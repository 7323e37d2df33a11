"""What the score of a task needs of the rows that lm-eval logged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lm_eval_sea.results.row_statistics import RowStatistics, scale_of, statistics_of
from lm_eval_sea.results.run_files import Metric, is_number
from lm_eval_sea.results.task_metadata import HEADLINE, item_metric
from lm_eval_sea.results.task_score import TaskScore, collapsed_answer, task_score

PUBLISHED = "published"  # how SEA-HELM itself reads an answer, and by which its headline metrics count


def position(value: Any) -> int | None:
    """A value that says which option, counted from 0; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1000 else None


def document(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The processed row of the data set; empty, if there is none."""
    return row["doc"] if isinstance(row.get("doc"), dict) else {}


def predictions(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Metric → position of the option that it chooses."""
    found = document(row).get("predictions")
    return found if isinstance(found, dict) else {}


def chosen_option(row: Mapping[str, Any], headline: str, item: str) -> int | None:
    """The option that the headline metric takes for the answer; None for no answer."""
    found = predictions(row)
    return position(next((found[name] for name in (headline, item, PUBLISHED) if name in found), None))


def cluster_of(row: Mapping[str, Any]) -> str:
    """The name of the group of rows that are not independent of this one; without one the row is a group of its own."""
    cluster = document(row).get("cluster")
    return str(row.get("doc_id") if cluster is None else cluster)


@dataclass
class LoggedRows:
    """The rows of one task of one run, in the order of the file."""

    headline: str
    item: str
    keys: list[tuple[Any, Any]] = field(default_factory=list)  # number and id; equal keys are the same row
    clusters: list[str] = field(default_factory=list)
    logged: list[Any] = field(default_factory=list)  # what the headline metric is made of
    chosen: list[int | None] = field(default_factory=list)
    golds: list[int | None] = field(default_factory=list)

    @classmethod
    def of(cls, metadata: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> LoggedRows:
        """Takes the rows of one filter: that of the first row, for lm-eval logs a row once per filter.

        Args:
            metadata: of the task.
            rows: with doc_id, doc, filter and the headline metric.
        """
        made = cls(str(metadata[HEADLINE]), item_metric(metadata))
        first: Any = None
        for number, row in enumerate(rows):
            first = row.get("filter") if number == 0 else first
            if row.get("filter") == first:
                made.add(row)
        return made

    def add(self, row: Mapping[str, Any]) -> None:
        """Takes one row."""
        self.keys.append((str(row.get("doc_id")), str(document(row).get("id"))))
        self.clusters.append(cluster_of(row))
        self.logged.append(row.get(self.headline))
        self.chosen.append(chosen_option(row, self.headline, self.item))
        self.golds.append(position(document(row).get("gold")))

    @cached_property
    def scores(self) -> list[float] | None:
        """The rows' scores by the headline metric, 0 to 1; None where a row has none, or one that cannot be."""
        if not self.logged or not all(map(is_number, self.logged)):
            return None
        scores = [value / scale_of(self.headline) for value in self.logged]
        return scores if all(0 <= score <= 1 for score in scores) else None

    @cached_property
    def statistics(self) -> RowStatistics | None:
        """From which the headline metric of any draw of the rows can be computed."""
        return statistics_of(self.headline, self.logged)

    def score(self, metadata: Mapping[str, Any], reported: Metric | None, evaluated: int | None) -> TaskScore | None:
        """The headline score; see `task_score`."""
        return task_score(metadata, reported, self.statistics, self.scores, self.clusters, evaluated=evaluated)

    def one_gold(self) -> int | None:
        """The right option, if it is the same in all rows."""
        return self.golds[0] if len(set(self.golds)) == 1 else None

    def collapsed(self) -> tuple[int, float, float] | None:
        """See `task_score.collapsed_answer`; None where no options are chosen."""
        return collapsed_answer(self.chosen, self.golds) if any(gold is not None for gold in self.golds) else None
