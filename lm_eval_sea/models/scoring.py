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
from .layout import Layout, lay_out, lay_out_prefix, make_batch
from .planning import Group, Row, make_batches, make_plan
from .predictions import Query, Reading, find_predictions
from .prefix_tree import common_prefixes, sort_key


@dataclass(frozen=True, slots=True)
class Continuation:
    """A request in tokens.

    Attributes:
        inputs: what the model reads: context and continuation without its last token, cut to the model's window.
        first: position whose prediction is the first token of the continuation.
        last_token: last token of the continuation.
    """

    inputs: list[int]
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

    def __init__(self, model: BranchingModel, continuations: Sequence[Continuation], budget: int) -> None:
        """Plans the computation.

        Args:
            model: the model.
            continuations: the requests.
            budget: the most tokens in a batch; a single row may exceed it by a quarter.
        """
        self._model = model
        numbered = defaultdict(list)
        for index, continuation in enumerate(continuations):
            numbered[sort_key(continuation.inputs)].append(index)
        keys = sorted(numbered)
        self._sequences = [continuations[numbered[key][0]].inputs for key in keys]
        self._queries = [
            [Query(index, continuations[index].first, continuations[index].last_token) for index in numbered[key]] for key in keys
        ]
        self._shared = common_prefixes(keys)
        self._parts: dict[int, list[tuple[Scores, Reading]]] = defaultdict(list)
        self._plan = make_plan(list(map(len, self._sequences)), self._shared, budget)
        self._budget = budget
        self.distinct_tokens = self._plan.distinct_tokens
        self.forwarded_tokens = 0

    def run(self) -> Iterator[tuple[BatchKind, list[Answer]]]:
        """Computes everything, batch by batch; yields the answers as they become known.

        A batch that runs out of memory is halved, and so is the budget of the following ones.
        """
        todo = [(self._plan.group, Prefix())]
        while todo:
            group, prefix = todo.pop()
            if group.end > group.start:
                longer, kind = self._compute_prefix(group, prefix)
                ended = [number for number in range(group.first, group.last) if len(self._sequences[number]) <= group.end]
                yield kind, self._answers(ended)
                prefix = longer
            batches = deque(self._make_batches(group.rows))
            while batches:
                rows = batches.popleft()
                try:
                    kind = self._compute_rows(rows, prefix)
                except RuntimeError as error:
                    if not should_reduce_batch_size(error) or not (halves := _halve(rows)):
                        raise
                else:
                    yield kind, self._answers([number for row in rows for number in range(row.first, row.last)])
                    continue
                clear_torch_cache()  # not in the handler, where the traceback still holds the tensors
                self._budget = max(len(rows) * rows[0].tokens // 2, 1)
                batches = deque([*halves, *self._make_batches([row for later in batches for row in later])])
            todo += [(inner, prefix) for inner in reversed(group.groups)]

    def _make_batches(self, rows: Sequence[Row]) -> list[list[Row]]:
        return make_batches(rows, self._budget, self._model.pass_tokens)

    def _compute_prefix(self, group: Group, prefix: Prefix) -> tuple[Prefix, BatchKind]:
        sequences = self._sequences[group.first : group.last]
        layout = lay_out_prefix(sequences[-1], group.start, group.end, map(len, sequences))
        return self._compute([(group.first, layout)], prefix, keep=True)

    def _compute_rows(self, rows: Sequence[Row], prefix: Prefix) -> BatchKind:
        layouts = []
        for row in rows:
            span = slice(row.first, row.last)
            layouts.append((row.first, lay_out(self._sequences[span], self._shared[span], row.start)))
        return self._compute(layouts, prefix, keep=False)[1]

    def _compute(self, layouts: Sequence[tuple[int, Layout]], prefix: Prefix, *, keep: bool) -> tuple[Prefix, BatchKind]:
        batch = make_batch([layout for _, layout in layouts])
        predictions = find_predictions(batch, layouts, self._sequences, self._queries)
        scores, longer = self._model.run(batch, predictions, prefix, keep=keep)
        for reading in predictions.readings:
            self._parts[reading.index].append((scores, reading))
        self.forwarded_tokens += batch.tokens.size
        longest = int(batch.positions.max()) + 1
        return longer, BatchKind(prefix.length > 0, batch.branches, longest.bit_length())

    def _answers(self, numbers: Sequence[int]) -> list[Answer]:
        return [self._answer(query.index) for number in numbers for query in self._queries[number]]

    def _answer(self, index: int) -> Answer:
        parts = self._parts.pop(index)
        logprobs = [
            part
            for scores, reading in parts
            for part in (scores.logprobs[reading.start : reading.end], scores.logprobs[[reading.last]])
        ]
        greedy = all(
            scores.greedy[reading.last] and scores.greedy[reading.start : reading.end].all() for scores, reading in parts
        )
        # A sum of thousands of terms shows the order of additions: add as lm-eval's own backend does.
        total = torch.from_numpy(np.concatenate(logprobs)).to(parts[0][0].dtype).sum()
        return Answer(index, float(total), bool(greedy))


def _halve(rows: Sequence[Row]) -> list[list[Row]]:
    """Two batches with half the rows each, or of a single row half the sequences; nothing if there is one sequence."""
    if len(rows) > 1:
        middle = len(rows) // 2
        return [list(rows[:middle]), list(rows[middle:])]
    row = rows[0]
    middle = (row.first + row.last) // 2
    if middle == row.first:
        return []
    return [[Row(row.start, row.first, middle, row.tokens)], [Row(row.start, middle, row.last, row.tokens)]]
