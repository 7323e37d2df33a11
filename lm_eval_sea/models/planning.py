"""Decides what is computed together: which prefixes are kept, which sequences share a row, which rows share a batch.

The sequences form a tree (`prefix_tree.py`). A *group* has a prefix that is computed once, alone, and whose keys and values are
kept; its *rows* begin after that prefix. A row holds sequences that part late, packed one after the other, so that it contains
what they share only once. Pure functions, no tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .prefix_tree import Node, build_tree

# Packed branches do not see each other, yet attention computes their products before it masks them. Up to this many tokens
# (or little more than the longest sequence) a row costs less than a separate forward pass for what the branches share.
ROW_TOKENS = 1024
ROW_EXCESS = 1.25

# The longest row of branches that share almost nothing.
LOOSE_ROW_TOKENS = 256

# Rows shorter than this are merged, because every row carries a copy of the keys and values of its prefix.
PACKED_ROW_TOKENS = 128

# A shared beginning is worth a separate forward pass, or a long row, if that saves this share of the tokens below it.
WORTH_SHARING = 0.05


@dataclass(slots=True)
class Row:
    """The sorted sequences `first` to `last` (exclusive) after their first `start` tokens."""

    start: int  # length of the prefix before them
    first: int  # the first sequence
    last: int  # the one after the last sequence
    tokens: int  # distinct token positions after the prefix


@dataclass(slots=True)
class Group:
    """Sequences with a common prefix, computed once."""

    start: int  # length of the part of the prefix that the group above has computed
    end: int  # length of the prefix
    first: int  # the first of the sorted sequences that begin with it
    last: int  # the one after the last of them
    longest: int  # length of the longest of them
    rows: list[Row] = field(default_factory=list)  # what is computed directly after the prefix
    groups: list[Group] = field(default_factory=list)  # groups with a longer prefix


def make_plan(lengths: Sequence[int], shared: Sequence[int], budget: int, *, branches: bool, pass_tokens: int) -> Group:
    """Plans the computation of sorted, distinct, non-empty sequences, of which `shared` is what `common_prefixes` says.

    Returns the group of all of them, whose prefix is empty.

    The budget is the most tokens in a batch. If rows may not branch, each holds one sequence and those that are its beginnings.
    `pass_tokens` is the fixed cost of a forward pass, in tokens.
    """
    row_tokens = min(ROW_TOKENS, budget) if branches else 0
    root = build_tree(lengths, shared, lambda node: _fits_row(node, node.start, row_tokens))
    group = _make_groups(root, row_tokens, 0 if branches else pass_tokens)
    todo = [group]
    while todo:
        inner = todo.pop()
        if inner.end and branches:  # without a prefix there is nothing to copy, and plain rows are the fastest
            inner.rows = _pack_short_rows(inner.rows, shared)
        inner.groups.sort(key=lambda group: -group.longest)
        todo += inner.groups
    return group


def _fits_row(node: Node, start: int, row_tokens: int) -> bool:
    """Whether a node and what is below it may be a row, of about `row_tokens` at most; 0 is for rows that do not branch."""
    if not row_tokens:
        return not node.children
    shared = node.end - start
    tokens = node.tokens + node.start - start
    limit = row_tokens if shared > WORTH_SHARING * tokens else min(row_tokens, LOOSE_ROW_TOKENS)
    return not node.children or tokens <= max(limit, ROW_EXCESS * (node.longest - start))


def _make_groups(root: Node, row_tokens: int, least_saving: int) -> Group:
    top = Group(0, 0, root.first, root.last, root.longest)
    todo = [(root, root.first, top)]
    while todo:
        node, first, group = todo.pop()
        if node.end and _fits_row(node, group.end, row_tokens):
            group.rows.append(Row(group.end, first, node.last, node.tokens + node.start - group.end))
            continue
        shared = node.end - group.end
        saved = shared * (node.rows - 1)
        # models that keep a state take a single token for generation
        if shared > 1 and saved > max(WORTH_SHARING * node.tokens, least_saving):
            inner = Group(group.end, node.end, first, node.last, node.longest)
            group.groups.append(inner)
            todo += [(child, child.first, inner) for child in node.children]
        else:  # each row computes this node again; sequences that end in it go with the first row
            firsts = [first, *(child.first for child in node.children[1:])]
            todo += [(child, begin, group) for child, begin in zip(node.children, firsts, strict=True)]
    return top


def _pack_short_rows(rows: Sequence[Row], shared: Sequence[int]) -> list[Row]:
    packed: list[Row] = []
    for row in sorted(rows, key=lambda row: row.first):
        if packed and packed[-1].last == row.first:
            tokens = packed[-1].tokens + row.tokens - (shared[row.first] - row.start)
            if tokens <= PACKED_ROW_TOKENS:
                packed[-1] = Row(row.start, packed[-1].first, row.last, tokens)
                continue
        packed.append(row)
    return packed


def make_batches(rows: Sequence[Row], budget: int, pass_tokens: int, prefix_memory: float) -> list[list[Row]]:
    """Puts rows of one group into batches, the longest first, balancing padding and the number of batches.

    The budget is the most tokens in a batch, padding included; a single row may exceed it. `pass_tokens` is as in `make_plan`,
    `prefix_memory` the memory of a prefix token for each row, relative to a token of the row.
    """
    rows = sorted(rows, key=lambda row: -row.tokens)
    costs = np.full(len(rows) + 1, np.inf)  # of the best way to batch the first rows
    begins = np.zeros(len(rows) + 1, dtype=int)  # where its last batch begins
    costs[0] = 0
    for begin, longest in enumerate(rows):
        most = min(budget // longest.tokens, int(budget / prefix_memory) // (longest.start + longest.tokens))
        ends = slice(begin + 1, begin + 1 + max(most, 1))
        found = costs[begin] + pass_tokens + longest.tokens * np.arange(1, len(costs[ends]) + 1)
        begins[ends] = np.where(found < costs[ends], begin, begins[ends])
        costs[ends] = np.minimum(found, costs[ends])
    batches = []
    end = len(rows)
    while end:
        batches.append(rows[begins[end] : end])
        end = begins[end]
    return batches[::-1]
