"""Lays out sequences as rows of tokens. No tensors.

Tokens of a row are in the depth-first order of the tree of its sequences: each branch in one piece, followed by its own
branches. So the tokens that follow from a token are those up to a certain slot, and one number per token describes the
attention mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Piece:
    """Positions `start` to `end` (exclusive) of a sequence, which a row has from `slot` on."""

    start: int
    end: int
    slot: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A row of tokens."""

    tokens: list[int]  # token ids
    positions: list[int]  # position of each token in its sequence
    ends: np.ndarray  # for each token the slot after the last token that follows from it
    pieces: list[tuple[Piece, ...]]  # for each sequence where its tokens are, in order


def lay_out(sequences: Sequence[Sequence[int]], shared: Sequence[int], start: int) -> Layout:
    """Lays out sequences in ascending order after their first `start` tokens, which are computed already and equal in all.

    `shared` is how many tokens each has in common with the one before it.
    """
    total = sum(map(len, sequences)) - start - sum(shared[1:])
    tokens: list[int] = []
    positions: list[int] = []
    ends = np.full(total, total)
    pieces: list[tuple[Piece, ...]] = []
    path: list[Piece] = []
    for index, sequence in enumerate(sequences):
        parting = shared[index] if index else start
        for piece in path:
            ends[piece.slot + max(parting - piece.start, 0) : piece.slot + piece.end - piece.start] = len(tokens)
        path = [Piece(piece.start, min(piece.end, parting), piece.slot) for piece in path if piece.start < parting]
        path.append(Piece(parting, len(sequence), len(tokens)))
        pieces.append(tuple(path))
        tokens += sequence[parting:]
        positions += range(parting, len(sequence))
    return Layout(tokens, positions, ends, pieces)


def lay_out_prefix(sequence: Sequence[int], start: int, end: int, lengths: Iterable[int]) -> Layout:
    """Lays out positions `start` to `end` of a sequence, as the prefix of sequences of the given lengths."""
    pieces: list[tuple[Piece, ...]] = [(Piece(start, min(end, length), 0),) for length in lengths]
    return Layout(list(sequence[start:end]), list(range(start, end)), np.full(end - start, end - start), pieces)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of equal width, [rows, width] each."""

    tokens: np.ndarray  # token ids; padding is token 0
    positions: np.ndarray  # position of each token in its sequence; that of padding is 0
    # for each token the slot after the last token that follows from it. Padding sees only itself: without any key its attention
    # would be NaN.
    ends: np.ndarray
    branches: bool  # whether a row branches


def make_batch(layouts: Sequence[Layout], least_width: int) -> Batch:
    """Pads rows to equal width, `least_width` or more."""
    width = max(least_width, *(len(layout.tokens) for layout in layouts))
    tokens = np.zeros((len(layouts), width), dtype=np.int64)
    positions = np.zeros_like(tokens)
    ends = np.tile(np.arange(1, width + 1), (len(layouts), 1))
    for row, layout in enumerate(layouts):
        length = len(layout.tokens)
        tokens[row, :length] = layout.tokens
        positions[row, :length] = layout.positions
        ends[row, :length] = layout.ends
    branches = any((layout.ends < len(layout.tokens)).any() for layout in layouts)  # else each token follows from all before it
    return Batch(tokens, positions, ends, branches)
