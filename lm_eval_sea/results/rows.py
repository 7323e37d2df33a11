"""Reads the rows that lm-eval logs one by one, and keeps what tables and scores need."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson
import pandas as pd

from lm_eval_sea.results.row_statistics import RowStatistics, mean_of_draws, mean_statistics, says_nothing, statistics_of
from lm_eval_sea.results.types import is_number, is_whole, list_of, mapping_of
from lm_eval_sea.results.visible_text import encodable, visible
from lm_eval_sea.tasks._shared.facts import PUBLISHED_POSITION
from lm_eval_sea.tasks._shared.metrics.calibration import batch_biases, log_softmax
from lm_eval_sea.tasks._shared.metrics.classification_metrics import (
    Choice,
    Evidence,
    batch_calibrated_choices,
    batch_calibration,
    share_of_equal,
)

Samples = Path | Sequence[Mapping[str, Any]]  # a file, or the rows of a run in memory
NO_FILTER = "none"  # lm-eval's name for the filter of a task without filters
PUBLISHED = "published"  # SEA-HELM's own reading of an answer, which its headline metrics use
POSITION = f"doc.{PUBLISHED_POSITION}"
BATCH_CALIBRATED = "acc_bc"  # its choices depend on all rows, so that lm-eval cannot log them row by row
_MOST = 2.0**53  # nats; sums of the largest floats overflow
_LONGEST = 2**27  # bytes of a line; a row has some thousands, and rarely a million
_BUFFER = 2**16  # bytes; prompts make rows longer than the default


def read_lines(samples: Samples, notes: list[str], places: Collection[int] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """The logged rows, all or some, with their byte offsets in the file; one row is in memory at a time.

    `notes` get a line if rows cannot be read, such as the last one of a run that was stopped.
    """
    if not isinstance(samples, Path):
        for place, row in enumerate(samples):
            if isinstance(row, Mapping) and (places is None or place in places):
                yield place, dict(row)
        return
    try:
        file = samples.open("rb", buffering=_BUFFER)
    except OSError as error:
        _add(notes, f"{samples}: left out, because it cannot be opened ({error.strerror})")
        return
    broken: list[int] = []
    with file:
        for number, (place, line) in enumerate(_lines(file, places), start=1):
            if line.strip():
                try:
                    row = parse(line)
                    if not isinstance(row, dict):
                        raise ValueError("no object")
                    yield place, row
                except (ValueError, RecursionError):
                    broken.append(number)
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        _add(notes, f"{samples}: line {broken[0]}{more} left out: no JSON object (was the run stopped?)")


def _lines(file: BinaryIO, places: Collection[int] | None) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their offsets; one longer than `_LONGEST` is skipped, and a text that is no JSON stands for it."""
    for place in sorted(() if places is None else places):
        file.seek(place)
        yield place, file.readline(_LONGEST)
    place = 0
    while places is None and (line := file.readline(_LONGEST)):
        size = len(line)
        while not line.endswith(b"\n") and (more := file.readline(_LONGEST)):
            size += len(more)
            line = more
        yield place, line if size == len(line) else b"too long"
        place += size


def _add(notes: list[str], note: str) -> None:
    if note not in notes:
        notes.append(note)


def parse(text: bytes) -> Any:
    """JSON as Python writes it."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # orjson rejects lone surrogates, and -Infinity, which Python writes for log 0
        return encodable(json.loads(text))


def position(value: Any) -> int | None:
    """A value that is the position of an option, from 0; None for anything else."""
    return value if is_whole(value) and 0 <= value < 1000 else None


def document(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The processed row of the data set; empty, if there is none."""
    return mapping_of(row.get("doc"))


def loglikelihoods_of(scores: Any) -> list[Any]:
    """The log-likelihood of each option, as in `option_scores`."""
    return [mapping_of(score).get("loglikelihood") for score in list_of(scores)]


@dataclass(frozen=True)
class Rows:
    """The rows of one task of one run as one metric scores them, in the order of the file.

    They are those of the metric's filter; if it names none, those of `NO_FILTER`, else those of the first filter.

    The frame has one line per row:
        place           in the file, for its texts
        doc_id, id      number and name of the row
        cluster         rows with the same name are not independent; a row without a name is a cluster of its own
        gold, chosen    positions of the right option and of the metric's choice
        score           by the metric, or if all rows make it together, by the row metric that it is made of, in its unit
        chosen_<name>   position of the choice of the metric <name>
        options, gold_characters, chosen_characters   number of options; lengths of the right and the chosen one in code points
        loglikelihoods  nats, of tasks that are calibrated
    and the `extra` columns of `read_rows`. What a row lacks is None or NaN.
    """

    frame: pd.DataFrame
    metric: str
    keys: list[tuple[str, str]]  # number and id; equal keys are the same row
    clusters: list[str]
    golds: list[int | None]
    chosen: list[int | None]
    statistics: RowStatistics | None  # from which the metric of any selection of the rows can be computed
    evidence: Sequence[Evidence] = ()  # of each row, where batch calibration makes the choices
    unscored: int = 0  # rows for which the metric logs nothing, or no number
    draws: Sequence[Rows] = ()  # of several seeds, where the scores are means over them

    @cached_property
    def fingerprint(self) -> int:
        """Equal for equal keys in the same order; every pair of models is compared by it."""
        return hash(tuple(self.keys))

    def at(self, places: Sequence[int]) -> tuple[RowStatistics | None, list[int | None]]:
        """The statistics and choices of the rows at `places`, in that order; batch calibration uses these rows alone.

        With several draws, the choices are those of the last.
        """
        if self.draws:
            found = [draw.at(places) for draw in self.draws]
            return mean_of_draws([statistics for statistics, _ in found]), found[-1][1]
        if not self.evidence or not places:
            return self.statistics and self.statistics.at(places), [self.chosen[place] for place in places]
        evidence = [self.evidence[place] for place in places]
        choices = batch_calibrated_choices(evidence)
        return calibrated_statistics(evidence, choices), [choice.chosen for choice in choices]


def pooled(draws: Sequence[Rows | None]) -> Rows | None:
    """The rows of the last seed, with each score replaced by its mean over all seeds; None unless all have the same rows.

    The variance of these means over rows includes that of the rows and that of the draws (Miller 2024, arXiv:2411.00640).
    A score that all rows make together, such as chrF++, is computed from the answers of all draws.
    """
    known = [rows for rows in draws if rows is not None]
    last = known[-1] if known else None
    if last is None or len(known) < len(draws) or any(rows.fingerprint != last.fingerprint for rows in known):
        return None
    means = np.mean([rows.frame.score.to_numpy(dtype=float) for rows in known], axis=0)
    statistics = mean_of_draws([rows.statistics for rows in known])
    return replace(last, frame=last.frame.assign(score=means), statistics=statistics, evidence=(), draws=known)


def read_rows(samples: Samples, metric: str, item: str, notes: list[str], extra: Sequence[str] = ()) -> Rows:
    """Reads the rows of a task; `notes` get a line for what cannot be read.

    The scores are those of `metric`, or if all rows make it together, those of the row metric `item`. `extra` names further
    columns as lm-eval logs them: "acc", "doc.label". A metric with a filter, "exact_match,strict", takes the rows of that filter.
    """
    named_metric = metric
    metric, _, named_filter = metric.partition(",")
    item, first = item.partition(",")[0], named_filter or None
    kept: list[_Row] = []
    for number, (place, row) in enumerate(read_lines(samples, notes)):
        if not named_filter and (number == 0 or row.get("filter") == NO_FILTER != first):
            first = row.get("filter")  # rows of `NO_FILTER` make the score, wherever they stand in the file
            kept.clear()
        if row.get("filter") == first:  # lm-eval logs a row once per filter
            kept.append(_Row(place, number, row, metric, item, extra))
    evidence, calibrated = _calibrate(kept, metric)
    for entry in kept:
        entry.choose(metric, item)
    named = dict.fromkeys(name for row in kept for name in row.predictions)
    frame = pd.DataFrame(
        {
            **{name: [getattr(row, name) for row in kept] for name in _COLUMNS},
            **{f"chosen_{name}": [position(row.predictions.get(name)) for row in kept] for name in named},
            **{name: pd.Series([row.extra[name] for row in kept], dtype=object) for name in extra},
        }
    )
    return Rows(
        frame=frame,
        metric=named_metric,
        keys=[row.key for row in kept],
        clusters=[row.cluster for row in kept],
        golds=[row.gold for row in kept],
        chosen=[row.chosen for row in kept],
        statistics=calibrated or statistics_of(metric, [row.logged for row in kept]),
        evidence=evidence,
        unscored=sum(row.evidence is None if metric == BATCH_CALIBRATED else says_nothing(row.logged) for row in kept),
    )


_COLUMNS = (
    *("place", "number", "doc_id", "id", "cluster", "gold", "chosen", "options", "gold_characters", "chosen_characters"),
    *("loglikelihoods", "score"),
)


class _Row:
    """What is kept of one logged row while its file is read."""

    __slots__ = (*_COLUMNS, "key", "predictions", "logged", "evidence", "lengths", "extra")
    chosen: int | None
    gold_characters: int | None
    chosen_characters: int | None

    def __init__(self, place: int, number: int, row: Mapping[str, Any], metric: str, item: str, extra: Sequence[str]) -> None:
        doc = document(row)
        doc_id, name, cluster = row.get("doc_id"), doc.get("id"), doc.get("cluster")
        self.place = place
        self.number = doc_id if is_whole(doc_id) else number
        self.doc_id = doc_id if doc_id is None or isinstance(doc_id, int) else visible(str(doc_id))
        self.id = None if name is None else visible(str(name))
        self.key = (str(doc_id), str(name))
        self.cluster = encodable(str(doc_id if cluster is None else cluster))
        self.gold = position(doc.get("gold"))
        self.predictions = mapping_of(doc.get("predictions"))
        self.logged = row.get(metric)
        self.evidence = _evidence(row.get(BATCH_CALIBRATED))
        self.score = next((float(row[key]) for key in (metric, item) if is_number(row.get(key))), None)
        self.lengths = [len(str(text)) for text in list_of(doc.get("options"))]
        logs = loglikelihoods_of(doc.get("option_scores"))
        self.options = len(self.lengths) or len(logs) or None
        known = "p" in doc and self.gold is not None and self.gold < len(logs) and _are_loglikelihoods(logs)
        self.loglikelihoods = logs if known else None
        self.extra = {name: _entry(row, name) for name in extra}

    def choose(self, metric: str, item: str) -> None:
        """Takes the option that the metric takes for the answer; None for no answer."""
        found = (self.predictions[name] for name in (metric, item, PUBLISHED) if name in self.predictions)
        self.chosen = position(next(found, None))
        self.gold_characters, self.chosen_characters = (
            self.lengths[option] if option is not None and option < len(self.lengths) else None
            for option in (self.gold, self.chosen)
        )


def _entry(row: Mapping[str, Any], name: str) -> Any:
    """What a row says under a name, such as "doc.label"; None where it says nothing."""
    value: Any = row
    for key in name.split("."):
        value = mapping_of(value).get(key)
    return value


def _are_loglikelihoods(values: Sequence[Any]) -> bool:
    """Whether these are numbers that can be summed, or −∞ for a label without probability."""
    return all((is_number(value) and abs(value) < _MOST) or value == float("-inf") for value in values)


def _calibrate(rows: Sequence[_Row], metric: str) -> tuple[list[Evidence], RowStatistics | None]:
    """Adds the choice of `acc_bc` to rows that log the right label and the log-likelihoods of all labels.

    If `acc_bc` is the metric, also adds its score, and returns the evidence and the statistics.
    """
    evidence = [row.evidence for row in rows if row.evidence is not None]
    # Biases are means over the rows: every row must have evidence, and all must have the same number of labels.
    if not evidence or len(evidence) < len(rows) or len({len(entry.loglikelihoods) for entry in evidence}) > 1:
        return [], None
    choices = batch_calibrated_choices(evidence)
    for row, choice in zip(rows, choices, strict=True):
        row.predictions = row.predictions | {BATCH_CALIBRATED: choice.chosen}
        if metric == BATCH_CALIBRATED:
            row.logged = row.score = float(choice.gold == choice.chosen)
    return (evidence, calibrated_statistics(evidence, choices)) if metric == BATCH_CALIBRATED else ([], None)


def calibrated_statistics(evidence: Sequence[Evidence], choices: Sequence[Choice]) -> RowStatistics:
    """The statistics of batch-calibrated accuracy, whose biases are means over the rows and so have sampling error, too.

    To first order, row i changes the accuracy a of all rows, through the bias b_y of each label, by

        (log p(y | x_i) − b_y) · (a(b_y + 2 e_y) − a(b_y − 2 e_y)) / (4 e_y),   e_y the standard error of b_y

    If labels are unbalanced and most answers are right, this is the larger part of the error.
    """
    shares = np.array([log_softmax(entry.loglikelihoods) for entry in evidence])
    known = np.isfinite(shares)
    deviations = np.where(known, shares - np.where(known, batch_biases(shares), 0), 0)
    errors = np.sqrt((deviations**2).sum(axis=0)) / np.maximum(known.sum(axis=0), 1)
    shift, everywhere, moved = np.zeros(len(errors)), np.arange(len(evidence)), np.zeros(len(evidence))
    golds, choose = batch_calibration(evidence, lambda log_shares: batch_biases(log_shares) + shift)

    def accuracy(label: int, moved_by: float) -> float:
        shift[:] = 0
        shift[label] = moved_by
        return share_of_equal(golds, choose(everywhere))

    for label in np.flatnonzero(errors).tolist():
        error = errors[label]
        moved += deviations[:, label] * (accuracy(label, 2 * error) - accuracy(label, -2 * error)) / (4 * error)
    return replace(mean_statistics([float(choice.gold == choice.chosen) for choice in choices]), moved=moved)


def _evidence(logged: Any) -> Evidence | None:
    """What batch calibration needs of a row, if it was logged."""
    match logged:
        case [gold, [_, _, *_] as logs] if is_whole(gold) and 0 <= gold < len(logs) and _are_loglikelihoods(logs):
            return Evidence(gold, list(logs))
    return None


def in_published_order(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in the order in which SEA-HELM publishes them, by the column `POSITION`; unchanged if some do not say it."""
    if not says_its_order(frame):
        return frame
    return frame.assign(**{POSITION: frame[POSITION].astype("int64")}).sort_values(POSITION, kind="stable")


def says_its_order(frame: pd.DataFrame) -> bool:
    """Whether every row says its place in the published data."""
    return all(isinstance(value, int) for value in frame[POSITION])
