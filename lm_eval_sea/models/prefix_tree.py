"""The tree of token sequences that begin alike. Pure functions over lists of integers.

A node stands for a run of tokens that the same sequences share; where they part, it has children. No token position is
in two nodes, so the tokens of all nodes are the distinct token positions: the least a model has to compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Node:
    """A run of tokens, positions `start` to `end` of the sorted sequences `first` to `last` (each end exclusive).

    Attributes:
        start: position of its first token, which is where its parent ends.
        end: position behind its last token.
        first: the first of the sorted sequences that run through it.
        last: the one behind the last of them.
        children: what follows, in the order of the sequences. A sequence may also end at `end`.
        tokens: tokens of this node and all below it.
        longest: length of the longest sequence through it.
    """

    start: int
    end: int
    first: int
    last: int = 0
    children: list[Node] = field(default_factory=list)
    tokens: int = 0
    longest: int = 0


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two sequences share from the beginning."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:  # equal before `low`, a difference before `high`; slices compare at the speed of C
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_prefixes(sequences: Sequence[Sequence[int]]) -> list[int]:
    """How many tokens each sequence shares with the one before it; 0 for the first."""
    return [0, *map(common_prefix, sequences, sequences[1:])][: len(sequences)]


def build_tree(sequences: Sequence[Sequence[int]], shared: Sequence[int]) -> Node:
    """The tree of sorted, distinct, non-empty sequences.

    Args:
        sequences: the sequences in ascending order.
        shared: what `common_prefixes` says of them.

    Returns:
        The root, a node without tokens.
    """
    path = [Node(0, 0, 0)]  # from the root to the end of the sequence before

    def close(parent_end: int, last: int) -> Node:
        node = path.pop()
        node.start = parent_end
        node.last = last
        node.tokens = node.end - node.start + sum(child.tokens for child in node.children)
        node.longest = max((child.longest for child in node.children), default=node.end)
        return node

    for index, sequence in enumerate(sequences):
        while path[-1].end > shared[index]:
            if path[-2].end < shared[index]:  # the sequences part inside this node
                node = close(shared[index], index)
                path.append(Node(0, shared[index], node.first))
            else:
                node = close(path[-2].end, index)
            path[-1].children.append(node)
        path.append(Node(0, len(sequence), index))
    while len(path) > 1:
        node = close(path[-2].end, len(sequences))
        path[-1].children.append(node)
    return close(0, len(sequences))
