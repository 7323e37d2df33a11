"""Scores continuations by a plan: computes prefixes, then the rows behind them, and puts the scores together."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from accelerate.utils.memory import should_reduce_batch_size
from lm_eval.models.utils_hf import clear_torch_cache

from .forward import BranchingModel, Prefix, Scores
from .layout import Layout, Predictions, Query, find_predictions, lay_out, lay_out_prefix
from .planning import Group, Row, make_batches, make_plan
from .prefix_tree import common_prefixes


@dataclass(frozen=True, slots=True)
class Continuation:
    """A request in tokens.

    Attributes:
        inputs: what the model reads: context and continuation without its last token, cut to the model's window.
        first: position whose prediction is the first token of the continuation.
        last_token: last token of the continuation.
    """

    inputs: tuple[int, ...]
    first: int
    last_token: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The score of a request.

    Attributes:
        index: number of the request.
        loglikelihood: natural logarithm of the probability of the continuation.
        is_greedy: whether greedy decoding yields the continuation.
    """

    index: int
    loglikelihood: float
    is_greedy: bool


@dataclass(frozen=True, slots=True)
class BatchKind:
    """What a batch asks of the model.

    Attributes:
        behind_prefix: its rows stand behind keys and values computed before.
        branching: some of its rows branch.
        size: bits of the length of its longest sequence: long texts meet limits that short ones do not.
    """

    behind_prefix: bool
    branching: bool
    size: int

    @property
    def needs_mask(self) -> bool:
        """Whether the model is given a mask of its own."""
        return self.behind_prefix or self.branching

    def covers(self, other: BatchKind) -> bool:
        """Whether a model that does this kind of batch does the other, too."""
        return self.behind_prefix >= other.behind_prefix and self.branching >= other.branching and self.size >= other.size


class Scorer:
    """Scores a set of continuations.

    Attributes:
        distinct_tokens: number of distinct token positions.
        forwarded_tokens: number of tokens, padding included, that went through the model so far.
    """

    def __init__(self, model: BranchingModel, continuations: Sequence[Continuation]) -> None:
        """Plans the computation.

        Args:
            model: the model.
            continuations: the requests.
        """
        self._model = model
        by_sequence = defaultdict(list)
        for index, continuation in enumerate(continuations):
            by_sequence[continuation.inputs].append(Query(index, continuation.first, continuation.last_token))
        self._sequences = sorted(by_sequence)
        self._shared = common_prefixes(self._sequences)
        self._queries = {number: by_sequence[sequence] for number, sequence in enumerate(self._sequences)}
        self._parts: dict[int, list[tuple[Scores, int, int, int]]] = defaultdict(list)
        self._plan = make_plan(self._sequences)
        self._largest_batch: int | None = None  # learnt from running out of memory
        self.distinct_tokens = self._plan.distinct_tokens
        self.forwarded_tokens = 0

    @property
    def longest(self) -> int:
        """Tokens of the longest input."""
        return self._plan.longest

    def run(self, budget: int) -> Iterator[tuple[BatchKind, list[Answer]]]:
        """Computes everything, in batches of at most `budget` tokens; yields the answers as they become known."""
        todo = [(self._plan.group, Prefix())]
        while todo:
            group, prefix = todo.pop()
            if group.end > group.start:
                kind = self._kind(prefix, [], group.end)
                prefix = self._compute_prefix(group, prefix)
                numbers = [n for n in range(group.first, group.last) if len(self._sequences[n]) <= group.end]
                yield kind, self._answers(numbers)
            batches = deque(make_batches(group.rows, budget))
            while batches:
                batch = batches.popleft()
                try:
                    layouts = self._compute_batch(batch, prefix)
                except RuntimeError as error:
                    if not should_reduce_batch_size(error) or not (halves := _halve(batch, self._shared)):
                        raise
                    budget = max(len(batch) * batch[0].tokens // 2, 1)
                    rows = [row for later in batches for row in later]
                    batches = deque([*halves, *make_batches(rows, budget)])
                else:
                    numbers = [number for row in batch for number in range(row.first, row.last)]
                    longest = max(len(self._sequences[number]) for number in numbers)
                    yield self._kind(prefix, layouts, longest), self._answers(numbers)
                    continue
                clear_torch_cache()  # not inside the handler: there the traceback still holds the tensors
            todo += [(inner, prefix) for inner in reversed(group.groups)]

    @staticmethod
    def _kind(prefix: Prefix, layouts: Sequence[Layout], longest: int) -> BatchKind:
        branching = not all(layout.is_chain for layout in layouts)
        return BatchKind(prefix.length > 0, branching, longest.bit_length())

    def _compute_prefix(self, group: Group, prefix: Prefix) -> Prefix:
        sequences = self._sequences[group.first : group.last]
        layout = lay_out_prefix(sequences[-1], group.start, group.end, map(len, sequences))
        predictions = find_predictions(layout, self._sequences, self._queries, group.first)
        scores, longer = self._model.run([layout], [predictions], prefix, keep=True)
        self._store(predictions, scores[0])
        self.forwarded_tokens += len(layout.tokens)
        return longer

    def _compute_batch(self, batch: Sequence[Row], prefix: Prefix) -> list[Layout]:
        layouts, predictions = [], []
        for row in batch:
            span = slice(row.first, row.last)
            layouts.append(lay_out(self._sequences[span], self._shared[span], row.start))
            predictions.append(find_predictions(layouts[-1], self._sequences, self._queries, row.first))
        scores, _ = self._model.run(layouts, predictions, prefix)
        for prediction, score in zip(predictions, scores, strict=True):
            self._store(prediction, score)
        self.forwarded_tokens += len(layouts) * max(len(layout.tokens) for layout in layouts)
        return layouts

    def _store(self, predictions: Predictions, scores: Scores) -> None:
        for reading in predictions.readings:
            self._parts[reading.query.index].append((scores, reading.start, reading.end, reading.pair))

    def _answers(self, numbers: Sequence[int]) -> list[Answer]:
        return [self._answer(query.index) for number in numbers for query in self._queries[number]]

    def _answer(self, index: int) -> Answer:
        parts = self._parts.pop(index)
        logprobs = [part for scores, start, end, pair in parts for part in (scores.logprobs[start:end], scores.logprobs[[pair]])]
        greedy = all(scores.greedy[start:end].all() and scores.greedy[pair] for scores, start, end, pair in parts)
        # The sum of lm-eval's own backend: in a sum of thousands of terms the order of additions shows.
        total = torch.from_numpy(np.concatenate(logprobs)).to(parts[0][0].dtype).sum()
        return Answer(index, float(total), bool(greedy))


def _halve(batch: Sequence[Row], shared: Sequence[int]) -> list[list[Row]]:
    """Two batches with half the rows each, or of a single row half the sequences; nothing if there is one sequence."""
    if len(batch) > 1:
        middle = len(batch) // 2
        return [list(batch[:middle]), list(batch[middle:])]
    row = batch[0]
    middle = (row.first + row.last) // 2
    if middle == row.first:
        return []
    return [[Row(row.start, row.first, middle, row.tokens)], [Row(row.start, middle, row.last, row.tokens)]]
