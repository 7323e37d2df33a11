"""Finds which predictions of a batch the continuations need. No tensors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .layout import Batch, Layout
from .tolerance import COMPARED


@dataclass(frozen=True, slots=True)
class Continuation:
    """A request in tokens."""

    inputs: list[int]  # what the model reads: context and continuation without its last token, cut to the model's window
    first: int  # position whose prediction is the first token of the continuation
    last_token: int  # last token of the continuation


@dataclass(frozen=True, slots=True)
class Reading:
    """Where the scores of a continuation are among those of a batch: `start` to `end` (exclusive), and then `last`."""

    index: int
    start: int
    end: int
    last: int


@dataclass(frozen=True, slots=True)
class Predictions:
    """The predictions that are read off a batch."""

    slots: np.ndarray  # slots whose predictions are needed, counted through all rows; ascending
    of: np.ndarray  # for each score, the index into `slots`
    targets: np.ndarray  # for each score, the token that is scored
    readings: list[Reading]  # which scores belong to which request
    # sequence number → those of `slots` whose predictions are wanted for the whole vocabulary
    watched: dict[int, np.ndarray] = field(default_factory=dict)


def predictions_at(slots: Sequence[int]) -> Predictions:
    """The predictions after some slots; nothing is scored."""
    nothing = np.zeros(0, dtype=np.int64)
    return Predictions(np.array(slots), nothing, nothing, [])


def find_predictions(
    batch: Batch,
    layouts: Sequence[tuple[int, Layout]],
    sequences: Sequence[Sequence[int]],
    continuations: Sequence[Mapping[int, Continuation]],
    watched: Collection[int] = (),
) -> Predictions:
    """Finds the predictions that the continuations need.

    Inside a piece of a sequence the next token is the next one in the row, so continuations share whole runs of scores; the
    token after the end of a piece depends on the continuation.

    `layouts` have for each row the number of its first sequence. The continuations of each sequence are by the number of the
    request. For the `watched` sequences, by number, some of the last predictions are wanted for the whole vocabulary.
    """
    width = batch.tokens.shape[1]
    needed = np.zeros(batch.tokens.size, dtype=bool)
    pairs: dict[tuple[int, int], int] = {}
    found = []
    ends: dict[int, tuple[int, int]] = {}
    for row, (first, layout) in enumerate(layouts):
        for number, pieces in enumerate(layout.pieces, start=first):
            sequence = sequences[number]
            if number in watched:
                piece = pieces[-1]
                begin = max(piece.end - COMPARED, piece.start, min(each.first for each in continuations[number].values()))
                slot = row * width + piece.slot
                ends[number] = slot + begin - piece.start, slot + piece.end - piece.start
            for index, continuation in continuations[number].items():
                for piece in pieces:
                    if continuation.first < piece.end:
                        slot = row * width + piece.slot
                        start = slot + max(continuation.first - piece.start, 0)
                        last = slot + piece.end - piece.start - 1
                        target = sequence[piece.end] if piece.end < len(sequence) else continuation.last_token
                        needed[start:last] = True
                        found.append((index, start, last, pairs.setdefault((last, target), len(pairs))))
    predictions = _index_scores(batch, needed, pairs, found)
    for number, (begin, end) in ends.items():
        predictions.watched[number] = np.searchsorted(predictions.slots, np.arange(begin, end))
    return predictions


def _index_scores(
    batch: Batch, needed: np.ndarray, pairs: Mapping[tuple[int, int], int], found: Sequence[tuple[int, int, int, int]]
) -> Predictions:
    """Scores of slots inside pieces first, in the order of the slots, then those of the pairs of slot and target."""
    inner = np.flatnonzero(needed)
    last_slots, last_targets = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    scored = np.concatenate([inner, last_slots])
    # The kernels of some heads cannot handle an empty input.
    slots = np.unique(scored) if len(scored) else np.zeros(1, dtype=np.int64)
    before = np.concatenate([[0], np.cumsum(needed)]).tolist()  # how many scores of `inner` are before a slot
    readings = [Reading(index, before[start], before[last], len(inner) + pair) for index, start, last, pair in found]
    targets = np.concatenate([batch.tokens.ravel()[inner + 1], last_targets])
    return Predictions(slots, np.searchsorted(slots, scored), targets, readings)
