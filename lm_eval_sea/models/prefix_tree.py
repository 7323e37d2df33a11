"""The tree of token sequences with common beginnings. Pure functions over lists of integers.

A node is a run of tokens that the same sequences share; where they part, it has children. No token position is in two nodes, so
the tokens of all nodes are the distinct token positions: the least that a model has to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

KEY_BYTES = 4  # of a token


@dataclass(slots=True)
class Node:
    """A run of tokens, positions `start` to `end` of the sorted sequences `first` to `last` (each end exclusive)."""

    start: int  # position of its first token, which is where its parent ends
    end: int  # position after its last token
    first: int  # the first of the sorted sequences that run through it
    last: int = 0  # the one after the last of them
    # what follows, in the order of the sequences. A sequence may also end at `end`.
    children: list[Node] = field(default_factory=list)
    tokens: int = 0  # tokens of this node and all below it
    longest: int = 0  # length of the longest sequence through it
    rows: int = 0  # how many rows a plan without prefixes makes of it and all below it


def sort_key(tokens: Sequence[int]) -> bytes:
    """Bytes with the same order and common beginnings as the tokens, but many times faster to compare."""
    return np.array(tokens, dtype=f">u{KEY_BYTES}").tobytes()


def tokens_of(key: bytes) -> list[int]:
    """The tokens of a key of `sort_key`."""
    found: list[int] = np.frombuffer(key, dtype=f">u{KEY_BYTES}").tolist()
    return found


def common_prefix(one: bytes, other: bytes) -> int:
    """How many tokens two sequences, given by their keys, share from the beginning."""
    length = min(len(one), len(other)) // KEY_BYTES
    differ = np.frombuffer(one, np.uint32, length) != np.frombuffer(other, np.uint32, length)
    return int(differ.argmax()) if differ.any() else length


def common_prefixes(keys: Sequence[bytes]) -> list[int]:
    """How many tokens each sequence shares with the one before it; 0 for the first."""
    return [0, *map(common_prefix, keys, keys[1:])][: len(keys)]


def build_tree(lengths: Sequence[int], shared: Sequence[int], fits_row: Callable[[Node], bool]) -> Node:
    """The root, a node without tokens, of the tree of sorted, distinct, non-empty sequences of these lengths.

    `shared` is what `common_prefixes` says of them; `fits_row` says whether a node and all below it may be a row.
    """
    root = Node(0, 0, 0)
    path = [root]  # from the root to the end of the sequence before
    for index, (length, parting) in enumerate(zip([*lengths, 0], [*shared, 0], strict=True)):  # an empty one ends all others
        while path[-1].end > parting:
            node = path.pop()
            if path[-1].end < parting:  # the sequences part inside this node
                path.append(Node(0, parting, node.first))
            node.start = path[-1].end
            path[-1].children.append(_complete(node, index, fits_row))
        path.append(Node(0, length, index))
    return _complete(root, len(lengths), fits_row)


def _complete(node: Node, last: int, fits_row: Callable[[Node], bool]) -> Node:
    """The node, with the totals of its children filled in."""
    node.last = last
    node.tokens = node.end - node.start + sum(child.tokens for child in node.children)
    node.longest = max((child.longest for child in node.children), default=node.end)
    node.rows = 1 if fits_row(node) else sum(child.rows for child in node.children)
    return node
