"""Lays the sequences of a row out as tokens, and says which predictions are read off them. No tensors.

Tokens of a row stand in the order of a walk through the tree of its sequences: each branch in one piece, its own branches
behind it. So the tokens that follow from a token are the ones up to a certain slot, and one number a token describes the
attention mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Piece:
    """Positions `start` to `end` (exclusive) of a sequence, which stand in a row from `slot` on."""

    start: int
    end: int
    slot: int


@dataclass(frozen=True, slots=True)
class Query:
    """A continuation to be scored.

    Attributes:
        index: number of the request.
        first: position whose prediction is the first token of the continuation.
        last_token: last token of the continuation; the others are in the sequence itself.
    """

    index: int
    first: int
    last_token: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A row of tokens.

    Attributes:
        tokens: token ids.
        positions: position of each token in its sequence.
        ends: for each token the slot behind the last token that follows from it.
        pieces: for each sequence where its tokens stand, in order.
    """

    tokens: list[int]
    positions: list[int]
    ends: list[int]
    pieces: list[tuple[Piece, ...]]

    @property
    def is_chain(self) -> bool:
        """Whether each token follows from the one before, as in ordinary text."""
        return self.ends[0] == len(self.tokens) == self.ends[-1] and all(end == self.ends[0] for end in self.ends)


def lay_out(sequences: Sequence[Sequence[int]], shared: Sequence[int], start: int) -> Layout:
    """Lays out sorted sequences behind their first `start` tokens.

    Args:
        sequences: sequences in ascending order, all longer than `start` and equal up to there.
        shared: how many tokens each has in common with the one before it.
        start: the number of tokens that are computed already.
    """
    tokens: list[int] = []
    positions: list[int] = []
    ends: list[int] = []
    pieces: list[tuple[Piece, ...]] = []
    path: list[Piece] = []
    for index, sequence in enumerate(sequences):
        parting = shared[index] if index else start
        while path and path[-1].end > parting:
            piece = path.pop()
            kept = max(parting - piece.start, 0)
            behind = range(piece.slot + kept, piece.slot + piece.end - piece.start)
            ends[behind.start : behind.stop] = [len(tokens)] * len(behind)
            if kept:
                path.append(Piece(piece.start, parting, piece.slot))
        path.append(Piece(parting, len(sequence), len(tokens)))
        pieces.append(tuple(path))
        tokens += sequence[parting:]
        positions += range(parting, len(sequence))
        ends += [0] * (len(sequence) - parting)
    for piece in path:
        ends[piece.slot : piece.slot + piece.end - piece.start] = [len(tokens)] * (piece.end - piece.start)
    return Layout(tokens, positions, ends, pieces)


def lay_out_prefix(sequence: Sequence[int], start: int, end: int, lengths: Iterable[int]) -> Layout:
    """Lays out positions `start` to `end` of a sequence, as the prefix of sequences of the given lengths."""
    pieces = [(Piece(start, min(end, length), 0),) for length in lengths]
    return Layout(list(sequence[start:end]), list(range(start, end)), [end - start] * (end - start), pieces)


@dataclass(frozen=True, slots=True)
class Reading:
    """Where the scores of a query stand among the scores of a row: a run of `inner` slots, then one of `pairs`."""

    query: Query
    start: int
    end: int
    pair: int


@dataclass(frozen=True, slots=True)
class Predictions:
    """The predictions that are read off a row.

    Attributes:
        slots: slots whose predictions are needed, ascending.
        of: for each score, the index into `slots`; ascending.
        targets: for each score, the token that is scored.
        readings: which scores belong to which query.
        order: for each score as it is read, its index in `of` and `targets`.
    """

    slots: np.ndarray
    of: np.ndarray
    targets: np.ndarray
    readings: list[Reading]
    order: np.ndarray


def find_predictions(
    layout: Layout, sequences: Sequence[Sequence[int]], queries: Mapping[int, Sequence[Query]], first: int
) -> Predictions:
    """Finds the predictions that the queries need from a row.

    Inside a piece the next token is the next one in the row, so whole runs of scores are shared; the token behind the end
    of a piece depends on the query.

    Args:
        layout: the row.
        sequences: all sequences.
        queries: the queries of each sequence.
        first: number of the first sequence in the row.
    """
    needed = np.zeros(len(layout.tokens), dtype=bool)
    pairs: dict[tuple[int, int], int] = {}
    readings = []
    for number, pieces in enumerate(layout.pieces, start=first):
        sequence = sequences[number]
        for query in queries[number]:
            for piece in pieces:
                if query.first >= piece.end:
                    continue
                begin = piece.slot + max(query.first - piece.start, 0)
                last = piece.slot + piece.end - piece.start - 1
                target = sequence[piece.end] if piece.end < len(sequence) else query.last_token
                needed[begin:last] = True
                readings.append(Reading(query, begin, last, pairs.setdefault((last, target), len(pairs))))
    return _index_scores(layout, needed, pairs, readings)


def _index_scores(
    layout: Layout, needed: np.ndarray, pairs: Mapping[tuple[int, int], int], readings: Sequence[Reading]
) -> Predictions:
    inner = np.flatnonzero(needed)
    tokens = np.asarray(layout.tokens)
    scored = np.concatenate([inner, np.fromiter((slot for slot, _ in pairs), dtype=np.int64, count=len(pairs))])
    targets = np.concatenate([tokens[inner + 1], np.fromiter((token for _, token in pairs), dtype=np.int64, count=len(pairs))])
    slots = np.unique(scored)
    of = np.searchsorted(slots, scored)
    sorting = np.argsort(of, kind="stable")
    order = np.empty_like(sorting)
    order[sorting] = np.arange(len(sorting))
    run = np.concatenate([[0], np.cumsum(needed)])  # slot → index of its score
    moved = [
        Reading(reading.query, int(run[reading.start]), int(run[reading.end]), len(inner) + reading.pair) for reading in readings
    ]
    return Predictions(slots, of[sorting], targets[sorting], moved, order)
