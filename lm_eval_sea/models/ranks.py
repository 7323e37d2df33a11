"""Redistributes the requests of several processes so that no two compute the same.

lm-eval gives each of n processes every n-th row, so the rows of one passage go to different processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from accelerate import PartialState
from accelerate.utils import gather_object

from .prefix_tree import KEY_BYTES, common_prefixes, sort_key, tokens_of

Request = tuple[tuple[str, str], list[int], list[int]]
Found = tuple[float, bool]


def deal_out(keys: Sequence[bytes], parts: int) -> list[list[int]]:
    """Cuts sequences, given by their keys, into parts of neighbours, each with its share of the distinct token positions.

    A part has the numbers of its sequences, in ascending order of the sequences. Equal ones are in the same part.
    """
    distinct = sorted(set(keys))
    added = [len(key) // KEY_BYTES - common for key, common in zip(distinct, common_prefixes(distinct), strict=True)]
    total = sum(added)
    part_of = {
        key: (2 * end - own) * parts // (2 * total) for key, end, own in zip(distinct, accumulate(added), added, strict=True)
    }
    found: list[list[int]] = [[] for _ in range(parts)]
    for number in sorted(range(len(keys)), key=keys.__getitem__):
        found[part_of[keys[number]]].append(number)
    return found


def answer_together(requests: Sequence[Request] | None, answer: Callable[[list[Request]], list[Found]]) -> list[Found] | None:
    """The answers to the requests of this process; all processes must call this equally often.

    A process without further requests passes None, and gets None when no process has any. `answer` answers the requests that
    this process is dealt, whose texts are empty.
    """
    own = None
    if requests is not None:
        own = [(sort_key(context + continuation), len(context)) for _, context, continuation in requests]
    asked: list[list[tuple[bytes, int]] | None] = gather_object([own])
    if all(of_process is None for of_process in asked):
        return None
    together = [request for of_process in asked for request in of_process or ()]
    parts = deal_out([key for key, _ in together], len(asked))
    process = PartialState().process_index
    given = [(tokens_of(together[number][0]), together[number][1]) for number in parts[process]]
    answers = answer([(("", ""), tokens[:length], tokens[length:]) for tokens, length in given])
    found: dict[int, Found] = {}
    for part, of_part in zip(parts, gather_object([answers]), strict=True):
        found.update(zip(part, of_part, strict=True))
    first = sum(len(of_process or ()) for of_process in asked[:process])
    return [found[number] for number in range(first, first + len(requests or ()))]
