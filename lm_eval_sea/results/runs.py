"""Runs of lm-eval, typed, and the scores of their tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from lm_eval_sea.results.facts import Facts
from lm_eval_sea.results.row_statistics import of_one_more
from lm_eval_sea.results.rows import Rows, Samples, pooled, read_lines, read_rows
from lm_eval_sea.results.score import TaskScore, task_score
from lm_eval_sea.results.settings import Settings
from lm_eval_sea.results.strata import Origin, Stratum, reported_stratum, strata_of
from lm_eval_sea.results.types import Score
from lm_eval_sea.tasks._shared.facts import CHAT

OF_THOUGHTS = ("doc.state", "doc.finish_reason", "doc.tokens")


@dataclass(frozen=True)
class Run:
    """One call of lm-eval."""

    model: str
    date: datetime  # in the name of the file: local time of the machine that wrote it
    place: Path | None  # the results file; where only samples were found, their folder; None: in memory
    settings: Settings
    seed: int | None = None
    batch_size: Any = None
    has_results: bool = True
    started: float | None = None  # seconds since 1970, as the results say
    own_model: str | None = None  # the model's name before `Runs` added what tells runs apart
    recorded: str | None = None  # the model, as the results call it
    planned: str = ""  # what a sweep's plan calls the model, with the number of exemplars if the plan sets it
    multiturn: bool | None = None  # whether exemplars were turns of the chat template
    is_reread: bool = False  # whether these are logged answers that `score --reread` has read again

    @property
    def seconds(self) -> float:
        """The start in seconds since 1970, because local times do not compare between machines or across clock changes."""
        if self.started is not None:
            return self.started
        try:
            return self.date.timestamp()
        except (ValueError, OverflowError, OSError):  # no such year
            return 0


@dataclass(frozen=True)
class TaskRun:
    """One task of one run; without a results file, what only that file says is empty or None."""

    run: Run
    name: str
    version: str | None
    facts: Facts
    config: Mapping[str, Any]  # of lm-eval
    scores: Mapping[str, Score]  # by metric; "name,filter" for another filter than lm-eval's "none"
    num_fewshot: int | None
    rows: int | None  # evaluated, as the results say
    rows_total: int | None  # of the data set, as the run saw it
    cut_prompts: float | None = None  # the share of the rows whose prompts did not fit the model's window
    cut_documents: float | None = None  # likewise, whose documents were cut at their end, so that the prompts fit
    samples: Samples | None = field(default=None, repr=False)  # None: the rows were not logged
    notes: list[str] = field(default_factory=list)  # on oddities; reading the rows adds some
    draws: Sequence[TaskRun] = ()  # the runs of several seeds that this one is the mean of; see `choice`

    @property
    def each_draw(self) -> Sequence[TaskRun]:
        """The runs of its seeds, whose rows have the answers; only itself if it is a single run."""
        return self.draws or [self]

    @property
    def seeds(self) -> str:
        """The seeds of its draws, "1, 2, 3"; empty if it is a single run."""
        return ", ".join(str(seed) for seed in sorted(draw.run.seed or 0 for draw in self.draws))

    @property
    def expected(self) -> int | None:
        """How many rows the data set has."""
        return self.facts.rows or self.rows_total

    @property
    def evaluated(self) -> int | None:
        """How many rows were evaluated; reads them where the results do not say."""
        return self.rows if self.rows is not None else len(self.logged.keys) if self.logged is not None else None

    @property
    def limited(self) -> bool:
        """Whether the score is not of all rows of the data set."""
        return self.evaluated is not None and self.expected is not None and self.evaluated < self.expected

    @property
    def is_chat(self) -> bool:
        """Whether it is a chat task, whose answers are read by the pack's own rules."""
        return self.facts.variant in CHAT

    @property
    def takes_thoughts_apart(self) -> bool:
        """Whether its rows say how each answer ended: those of chat tasks, and of SEA-HELM's generated ones since 0.3."""
        return "cut_rate" in self.scores

    def texts(self, places: Collection[int] | None = None) -> Iterator[Mapping[str, Any]]:
        """The rows as lm-eval logged them, one at a time: all, or those at `places` (column `place` of the frame)."""
        return (row for _, row in read_lines(self.samples, self.notes, places)) if self.samples is not None else iter(())

    @cached_property
    def logged(self) -> Rows | None:
        """The rows, as the headline metric scores them; None for other packs and where none were logged.

        Rows of tasks that take thoughts apart also have the columns `OF_THOUGHTS`.
        """
        if self.draws:
            return pooled([draw.logged for draw in self.draws])
        extra = OF_THOUGHTS if self.takes_thoughts_apart else ()
        rows = self.logged_by(self.facts.headline_metric, *extra) if self.facts.of_pack else None
        if rows is None:
            return None
        numbered = [key for key in rows.keys if key[0] != "None"]
        if repeated := len(numbered) - len(set(numbered)):
            self.notes.append(f"{self.name}: {repeated:,} of {len(numbered):,} logged rows are duplicates, and count again")
        if 0 < rows.unscored < len(rows.keys):
            lacking = f"{rows.unscored:,} of {len(rows.keys):,} logged rows have no {rows.metric} that is a number"
            self.notes.append(f"{self.name}: {lacking}; comparisons leave them out, and the interval uses the reported error")
        if self.rows is not None and len(rows.keys) != self.rows:
            self.notes.append(f"{self.samples}: {len(rows.keys)} rows, but the results are of {self.rows}")
        return rows

    def logged_by(self, metric: str, *extra: str) -> Rows | None:
        """The rows as any metric scores them; see `read_rows`."""
        if self.draws:
            return pooled([draw.logged_by(metric, *extra) for draw in self.draws])
        if self.samples is None:
            return None
        item = self.facts.metric_of_rows if metric == self.facts.headline_metric else metric
        return read_rows(self.samples, metric, item, self.notes, extra)

    def rows_frame(self, *extra: str) -> pd.DataFrame | None:
        """The rows as a frame, with further columns as lm-eval logs them; see `Rows`. None where none were logged."""
        rows = self.logged_by(self.facts.headline_metric, *extra)
        return rows.frame if rows is not None else None

    @cached_property
    def score(self) -> TaskScore | None:
        """The headline score; None for other packs and where there is none."""
        return self.score_by(self.facts.headline_metric, self.logged) if self.facts.of_pack else None

    def score_by(self, metric: str, rows: Rows | None) -> TaskScore | None:
        """The score by a metric; see `task_score`."""
        statistics, clusters = (rows.statistics, rows.clusters) if rows is not None else (None, [])
        return task_score(metric, self.facts, self.scores.get(metric), statistics, clusters, evaluated=self.evaluated)

    @property
    def telling_rows(self) -> Rows | None:
        """The rows, if they make the headline score; None if they do not, or if the results contradict them."""
        if self.logged is None or self.logged.statistics is None or self.score is None or self.score.contradiction:
            return None
        return self.logged

    @cached_property
    def strata(self) -> list[Stratum] | None:
        """The uncertainty of the headline score, 0 to 1; see `strata.strata_of`. None if it is unknown."""
        rows = self.telling_rows
        if rows is not None and rows.statistics is not None:
            found = strata_of(rows.statistics, self.facts.pool, rows.clusters)
        elif self.score is None or self.score.stderr is None:
            return None
        else:
            of_run = f"{self.run.model}\0{self.name}"
            score, count = self.score.score / 100, self.evaluated or 0
            least = of_one_more(self.facts.headline_metric, score, count)
            found = [reported_stratum(of_run, score, self.score.stderr / 100, count, least)]
        return [replace(stratum, origin=self.origin) for stratum in found]

    @property
    def origin(self) -> Origin:
        """Its name and family, which say what rows it may share with other tasks."""
        return Origin(self.name, self.facts.family)

    def beside(self, kind: str, ending: str) -> Path:
        """The path of another file beside that of the samples: "judged", ".json" → judged_<task>_<date>.json."""
        if not isinstance(self.samples, Path):
            raise ValueError(f"{self.name}: its rows are in no file")
        return self.samples.with_name(f"{kind}{self.samples.stem.removeprefix('samples')}{ending}")


@dataclass(frozen=True)
class GroupRun:
    """A group with a mean of its own in one run."""

    run: Run
    name: str
    scores: Mapping[str, Score]
    tasks: Sequence[str]  # in it and in the groups within it, each once
