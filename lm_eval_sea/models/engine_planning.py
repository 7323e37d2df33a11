"""Plans requests to an engine that keeps a prefix cache, and reads scores off its answers. Pure functions and lists.

The engine takes whole prompts. It looks up the full blocks of a prompt in its cache, computes the rest, and gives the
log-probability of each prompt token after the first computed one: that of a token comes from the position before it. On
request it also gives those of up to `most_asked` named tokens as the one after the prompt.

Texts are sent in ascending order of their tokens, so that each shares most with the one before it, from which the scores of the
shared part are known. Three rules keep tokens from being computed again:

- A text that is the beginning of another is not sent; the other one's answer has its scores.
- Texts that differ only in their last token are one request, for the text before it and for those tokens after it.
- If a text parts from the one before it exactly at the end of a block, the cache has that whole block, and the first token
  after it gets no score. Such tokens are asked for after the common beginning, which costs a block.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .prefix_tree import KEY_BYTES, common_prefixes, sort_key, tokens_of

# Of one token or several: the natural logarithm of their probability, and whether each is the most probable one.
Score = tuple[float, bool]


@dataclass(frozen=True, slots=True)
class Target:
    """A text to be scored from a position on."""

    tokens: list[int]  # context and continuation
    first: int  # position of the first token of the continuation, 1 or more


@dataclass(frozen=True, slots=True)
class Read:
    """Where the score of a target is in a request."""

    index: int  # number of the target
    first: int  # position of the first token that counts
    end: int  # position after the last token of the prompt that counts
    asked: int | None = None  # the token after the prompt, if it counts, too


@dataclass(slots=True)
class Request:
    """What is sent to the engine."""

    tokens: list[int]  # the prompt
    shared: int  # how many tokens it has in common with the request before
    asked: list[int]  # tokens whose log-probability as the next one is wanted
    scored: bool  # whether the log-probabilities of the prompt's own tokens are wanted
    reads: list[Read] = field(default_factory=list)  # targets whose scores it completes


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The engine's answer to a request."""

    logprobs: Sequence[float]  # log-probabilities of the last tokens of the prompt, as many as were given
    greedy: Sequence[bool]  # whether each of them is the most probable one
    asked: Mapping[int, Score]  # scores of the tokens asked for


def make_plan(targets: Sequence[Target], block_size: int, most_asked: int) -> tuple[list[Request], int]:
    """The requests for targets of two tokens or more, in the order in which to send them, and the number of distinct positions.

    A block of the cache has `block_size` tokens, or a multiple of them. One request can ask for `most_asked` tokens at most.
    """
    of_key: dict[bytes, list[int]] = defaultdict(list)
    for index, target in enumerate(targets):
        of_key[sort_key(target.tokens)].append(index)
    keys = sorted(of_key)
    shared = [*common_prefixes(keys), 0]
    paths: set[bytes] = set()
    asked: dict[bytes, set[int]] = defaultdict(set)
    for number, key in enumerate(keys):
        length = len(key) // KEY_BYTES
        parting = max(shared[number : number + 2])
        if length == shared[number + 1]:
            continue
        if length == parting + 1:
            asked[key[:-KEY_BYTES]].add(_last_token(key))
        else:
            paths.add(key)
    needs = _Needs(keys, of_key, targets)
    _ask_at_boundaries(sorted(paths | asked.keys()), asked, block_size, needs)
    paths |= asked.keys()

    ordered = sorted(paths)
    requests: list[Request] = []
    last_of: dict[bytes, Request] = {}
    for key, common in zip(ordered, common_prefixes(ordered), strict=True):
        tokens, wanted = tokens_of(key), sorted(asked.get(key, ()))
        for begin in range(0, max(len(wanted), 1), most_asked):
            scored = not begin and needs.within(key[: (common + 1) * KEY_BYTES], len(tokens))
            last_of[key] = Request(tokens, len(tokens) if begin else common, wanted[begin : begin + most_asked], scored)
            requests.append(last_of[key])
    for key in keys:
        place = bisect_left(ordered, key)
        sent = place < len(ordered) and ordered[place].startswith(key)
        request = last_of[ordered[place] if sent else key[:-KEY_BYTES]]
        for index in of_key[key]:
            first, end = targets[index].first, len(targets[index].tokens)
            request.reads.append(Read(index, first, end) if sent else Read(index, first, end - 1, _last_token(key)))
    return requests, sum(len(key) // KEY_BYTES for key in keys) - sum(shared)


def find_uncached(requests: Sequence[Request], block_size: int) -> int | None:
    """The number of the longest request that finds nothing in the cache and leaves the beginning of the next one there.

    None if no request shares a block with the one before it, so that the cache is never read.
    """
    found = [
        number
        for number, (request, following) in enumerate(pairwise(requests))
        if request.shared < block_size <= following.shared and len(request.tokens) >= block_size + 2
    ]
    return max(found, key=lambda number: len(requests[number].tokens), default=None)


def make_checks(uncached: Request, block_size: int) -> list[Request]:
    """Requests that read the cache which the request of `find_uncached` left, to be sent right after it; each computes one block.

    The first scores the last tokens of a block after cached ones; the second asks for the very last of these instead.
    """
    end = len(uncached.tokens) // block_size * block_size
    if end < 2 * block_size:
        end = len(uncached.tokens)
    tokens = uncached.tokens[:end]
    return [Request(tokens, end, [], scored=True), Request(tokens[:-1], end - 1, tokens[-1:], scored=False)]


class _Needs:
    """Says whether targets need the scores of tokens after a prefix."""

    def __init__(self, keys: list[bytes], of_key: Mapping[bytes, list[int]], targets: Sequence[Target]) -> None:
        self._keys = keys
        self._firsts = [min(targets[index].first for index in of_key[key]) for key in keys]
        self._earliest: dict[bytes, float] = {}

    def behind(self, prefix: bytes) -> bool:
        """Whether a longer target that begins with `prefix` needs its next token."""
        if prefix not in self._earliest:
            self._earliest[prefix] = self._first(bisect_right(self._keys, prefix), prefix)
        return self._earliest[prefix] * KEY_BYTES <= len(prefix)

    def within(self, prefix: bytes, end: int) -> bool:
        """Whether a target that begins with `prefix` needs a token before position `end`."""
        return self._first(bisect_left(self._keys, prefix), prefix) < end

    def _first(self, begin: int, prefix: bytes) -> float:
        """The earliest position scored among the targets from number `begin` on that begin with `prefix`."""
        end = bisect_right(self._keys, prefix, lo=begin, key=lambda key: key[: len(prefix)])
        return min(self._firsts[begin:end], default=math.inf)


def _ask_at_boundaries(ordered: Sequence[bytes], asked: dict[bytes, set[int]], block_size: int, needs: _Needs) -> None:
    """Adds the tokens to `asked` that would get no score because their text parts from another at the end of a block."""
    for (before, key), common in zip(pairwise(ordered), common_prefixes(ordered)[1:], strict=True):
        prefix = key[: common * KEY_BYTES]
        if common and common % block_size == 0 and needs.behind(prefix):
            for one in (before, key):
                if len(one) > len(prefix):
                    asked[prefix].add(_last_token(one[: len(prefix) + KEY_BYTES]))


def _last_token(key: bytes) -> int:
    return int.from_bytes(key[-KEY_BYTES:], "big")


class Reader:
    """Reads scores off the answers, which must come in the order of the requests."""

    def __init__(self) -> None:
        self._logprobs: list[float | None] = []  # of the tokens of the last request; None where the engine gave none
        self._greedy: list[bool] = []
        self._asked: dict[int, dict[int, Score]] = {}  # by the number of tokens before them

    def read(self, requests: Iterable[Request], answers: Iterable[EngineAnswer]) -> Iterator[tuple[int, Score | None]]:
        """The targets' numbers and scores; None if the engine did not give all log-probabilities."""
        for request, answer in zip(requests, answers, strict=True):
            self._go_to(request, answer)
            for read in request.reads:
                yield read.index, self._score(read)

    def _go_to(self, request: Request, answer: EngineAnswer) -> None:
        length = len(request.tokens)
        self._asked = {before: asked for before, asked in self._asked.items() if before <= request.shared}
        del self._logprobs[request.shared :]
        del self._greedy[request.shared :]
        given = length - len(answer.logprobs)  # the first position that the engine gave a score of
        for position in range(request.shared, min(given, length)):
            logprob, greedy = self._asked.get(position, {}).get(request.tokens[position], (None, False))
            self._logprobs.append(logprob)
            self._greedy.append(greedy)
        skipped = max(request.shared - given, 0)
        self._logprobs += answer.logprobs[skipped:]
        self._greedy += answer.greedy[skipped:]
        if answer.asked:
            self._asked.setdefault(length, {}).update(answer.asked)

    def _score(self, read: Read) -> Score | None:
        logprobs, greedy = self._logprobs[read.first : read.end], all(self._greedy[read.first : read.end])
        if read.asked is not None:
            logprob, is_greedy = self._asked.get(read.end, {}).get(read.asked, (None, False))
            logprobs.append(logprob)
            greedy = greedy and is_greedy
        known = [logprob for logprob in logprobs if logprob is not None]
        return (math.fsum(known), greedy) if len(known) == len(logprobs) else None
