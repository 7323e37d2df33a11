"""Scores continuations by a plan: computes prefixes, then the rows after them, and combines the scores."""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch
from accelerate.utils.memory import should_reduce_batch_size
from lm_eval.models.utils_hf import clear_torch_cache

from .branching import BranchingModel
from .forward import Prefix, PrefixModel, Scores
from .layout import Layout, lay_out, lay_out_prefix, make_batch
from .planning import Group, Row, make_batches, make_plan
from .predictions import Continuation, Reading, find_predictions
from .prefix_tree import common_prefixes, sort_key
from .ranks import Found
from .work import Work

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Plain:
    """The result of a plain forward pass for a request."""

    loglikelihood: float  # natural logarithm of the probability of the continuation
    last: torch.Tensor  # log-probabilities at the last predictions, [predictions, vocabulary]


@dataclass(frozen=True, slots=True)
class BatchKind:
    """What a batch asks of the model."""

    behind_prefix: bool  # its rows follow keys and values that were computed before
    branching: bool  # some of its rows branch
    length: int  # of its longest sequence: long texts meet limits that short ones do not

    @property
    def needs_mask(self) -> bool:
        """Whether the model gets one of our masks."""
        return self.behind_prefix or self.branching

    def covers(self, other: BatchKind) -> bool:
        """Whether a model that can do this kind of batch is assumed to do the other, too: one of up to twice the length."""
        long_enough = 2 * self.length > other.length or not other.needs_mask
        return self.behind_prefix >= other.behind_prefix and self.branching >= other.branching and long_enough


class Scorer:
    """Scores a set of continuations."""

    def __init__(
        self,
        model: PrefixModel,
        continuations: Sequence[Continuation],
        budget: int,
        is_verified: Callable[[BatchKind], bool],
        witnesses: int,
        work: Work,
    ) -> None:
        """Plans the computation, with at most `budget` tokens in a batch, which a single row may exceed by a quarter.

        `is_verified` says whether a kind of batch has been checked, `witnesses` how many texts of a batch may be. Before any is,
        the first prefix is computed as part of a plain forward pass over a text that begins with it, if the model can. `work`
        counts what is computed.
        """
        self._model = model
        numbered = defaultdict(list)
        for index, continuation in enumerate(continuations):
            numbered[sort_key(continuation.inputs)].append(index)
        keys = sorted(numbered)
        self._sequences = [continuations[numbered[key][0]].inputs for key in keys]
        self._continuations = [{index: continuations[index] for index in numbered[key]} for key in keys]
        self._shared = common_prefixes(keys)
        self._parts: dict[int, list[tuple[Scores, Reading]]] = defaultdict(list)
        lengths = list(map(len, self._sequences))
        self._group = make_plan(lengths, self._shared, budget, branches=model.branches, pass_tokens=model.pass_tokens)
        self._budget = budget
        self._work = work
        work.distinct += sum(lengths) - sum(self._shared)
        self.references: dict[int, Plain] = {}  # request number → result of a plain forward pass, for some
        self.witnesses: dict[int, torch.Tensor] = {}  # request number → last predictions, to check its batch
        self._is_verified = is_verified
        self._most_witnesses = witnesses
        self._wants_references = not is_verified(BatchKind(behind_prefix=False, branching=False, length=0))
        self.awaited: int | None = None  # the sequence that has a reference, and no answers yet

    def run(self) -> Iterator[tuple[BatchKind, dict[int, Found]]]:
        """Computes everything, batch by batch; yields the answers, by the number of the request, as they become known.

        A batch that runs out of memory is halved, and so is the budget of the following ones. A prefix or a single row that does
        not fit memory has no answers. The answers of a batch are read once the next one is in progress, so that an accelerator
        stays busy.
        """
        nothing: list[Any] = [None]  # comes after the last batch
        for (kind, numbers), _ in itertools.pairwise(itertools.chain(self._compute_all(), nothing)):
            if self.awaited in numbers:
                self.awaited = None
            yield kind, {index: _total(self._parts.pop(index)) for number in numbers for index in self._continuations[number]}

    def _compute_all(self) -> Iterator[tuple[BatchKind, list[int]]]:
        """Computes everything; yields the numbers of the sequences that a batch completes."""
        todo = [(self._group, Prefix())]
        while todo:
            group, prefix = todo.pop()
            if group.end > group.start:
                found = self._compute_beginning(group, prefix)
                if found is None:
                    self._give_up(range(group.first, group.last))
                    continue
                prefix, kind = found
                yield kind, [number for number in range(group.first, group.last) if len(self._sequences[number]) <= group.end]
            batches = deque(self._make_batches(group.rows))
            if self.awaited is not None:  # the batch with the reference comes first
                batches = deque(sorted(batches, key=lambda rows: self.awaited not in _numbers(rows)))
            while batches:
                rows = batches.popleft()
                of_rows = _within_memory(partial(self._compute_rows, rows, prefix))
                if of_rows is not None:
                    yield of_rows, _numbers(rows)
                    continue
                halves = _halve(rows)
                if not halves:
                    self._give_up(_numbers(rows))
                    continue
                self._budget = max(len(rows) * rows[0].tokens // 2, 1)
                batches = deque([*halves, *self._make_batches([row for later in batches for row in later])])
            todo += [(inner, prefix) for inner in reversed(group.groups)]

    def _make_batches(self, rows: Sequence[Row]) -> list[list[Row]]:
        return make_batches(rows, self._budget, self._model.pass_tokens, self._model.prefix_memory)

    def _compute_beginning(self, group: Group, prefix: Prefix) -> tuple[Prefix, BatchKind] | None:
        """Computes the prefix of a group, in a plain forward pass if a reference is wanted; None if memory is short."""
        if self._wants_references and not group.start and isinstance(self._model, BranchingModel):
            found = _within_memory(partial(self._compute_reference, self._model, group))
            if found is not None:
                return found
            self._wants_references = False  # perhaps its logits of every token did not fit
        return _within_memory(partial(self._compute_prefix, group, prefix))

    def _give_up(self, numbers: Sequence[int]) -> None:
        if self.awaited in numbers:
            self.awaited = None
        for number in numbers:
            for index in self._continuations[number]:
                self._parts.pop(index, None)

    def _compute_prefix(self, group: Group, prefix: Prefix) -> tuple[Prefix, BatchKind]:
        sequences = self._sequences[group.first : group.last]
        layout = lay_out_prefix(sequences[-1], group.start, group.end, map(len, sequences))
        return self._compute([(group.first, layout)], prefix, keep=True)

    def _compute_reference(self, model: BranchingModel, group: Group) -> tuple[Prefix, BatchKind]:
        """Computes a prefix as a part of one of its sequences."""
        number = self._choose_reference(group)
        sequence = self._sequences[number]
        whole = lay_out_prefix(sequence, 0, len(sequence), [len(sequence)])
        part = lay_out_prefix(sequence, 0, group.end, map(len, self._sequences[group.first : group.last]))
        batch = make_batch([whole], 1)
        both = [
            find_predictions(batch, [(group.first, part)], self._sequences, self._continuations),
            find_predictions(batch, [(number, whole)], self._sequences, self._continuations, [number]),
        ]
        (scores, plain), prefix = model.run_plain(batch, both, group.end)
        for reading in both[0].readings:
            self._parts[reading.index].append((scores, reading))
        for reading in both[1].readings:
            self.references[reading.index] = Plain(_total([(plain, reading)])[0], plain.watched[number])
        self.awaited = number
        self._wants_references = False
        self._work.forwarded += group.end
        self._work.verification += len(sequence) - group.end
        return prefix, BatchKind(behind_prefix=False, branching=False, length=group.end)

    def _choose_reference(self, group: Group) -> int:
        """A sequence after the prefix of a group, if possible with others before it in its row.

        It is the shortest that covers the longest, because what follows the prefix is computed only for the reference.
        """
        while not group.rows:
            group = group.groups[0]
        numbers = [number for row in group.rows for number in range(row.first + 1, row.last)]
        found = [number for number in numbers if self._shared[number] < len(self._sequences[number - 1])]
        found = found or [row.first for row in group.rows]
        kinds = {number: BatchKind(behind_prefix=True, branching=True, length=len(self._sequences[number])) for number in found}
        longest = max(kinds.values(), key=lambda kind: kind.length)
        return min((number for number in found if kinds[number].covers(longest)), key=lambda number: kinds[number].length)

    def _compute_rows(self, rows: Sequence[Row], prefix: Prefix) -> BatchKind:
        layouts = []
        for row in rows:
            span = slice(row.first, row.last)
            layouts.append((row.first, lay_out(self._sequences[span], self._shared[span], row.start)))
        return self._compute(layouts, prefix, keep=False)[1]

    def _compute(self, layouts: Sequence[tuple[int, Layout]], prefix: Prefix, *, keep: bool) -> tuple[Prefix, BatchKind]:
        batch = make_batch([layout for _, layout in layouts], 1 if keep else self._model.least_width)
        kind = BatchKind(prefix.length > 0, batch.branches, int(batch.positions.max()) + 1)
        watched = () if self._is_verified(kind) else self._choose_witnesses(kind, layouts)
        predictions = find_predictions(batch, layouts, self._sequences, self._continuations, watched)
        scores, longer = self._model.run(batch, predictions, prefix, keep=keep)
        for reading in predictions.readings:
            self._parts[reading.index].append((scores, reading))
        self._work.forwarded += batch.tokens.size
        for number, last in scores.watched.items():
            self.witnesses |= dict.fromkeys(self._continuations[number], last)
        return longer, kind

    def _choose_witnesses(self, kind: BatchKind, layouts: Sequence[tuple[int, Layout]]) -> set[int]:
        """The sequences that check a batch: those with a reference, and some that stand for all.

        Where the model gets a mask they are the longest, all of nearly the same length, for long texts meet further limits.
        """
        ended = [
            number
            for first, layout in layouts
            for number, pieces in enumerate(layout.pieces, first)
            if pieces[-1].end == len(self._sequences[number])
        ]
        if not ended:
            return set()
        if kind.needs_mask:
            ended.sort(key=lambda number: len(self._sequences[number]))
        longest = len(self._sequences[ended[-1]])
        some = [number for number in ended[-self._most_witnesses :] if len(self._sequences[number]) > 0.9 * longest]
        return {*some, *(number for number in ended if self._continuations[number].keys() & self.references.keys())}


def _within_memory(work: Callable[[], Made]) -> Made | None:
    """The result of `work`; None if it runs out of memory."""
    try:
        return work()
    except RuntimeError as error:
        if not should_reduce_batch_size(error):
            raise
    clear_torch_cache()  # not in the handler, where the traceback still holds the tensors
    return None


def _total(parts: Sequence[tuple[Scores, Reading]]) -> Found:
    """The score that parts add up to, summed in lm-eval's order, on which the rounding of thousands of terms depends."""
    logprobs, greedy = np.concatenate([scores.of(reading) for scores, reading in parts], axis=1)
    return float(torch.from_numpy(logprobs).to(parts[0][0].dtype).sum()), bool(greedy.all())


def _numbers(rows: Sequence[Row]) -> list[int]:
    """The sequences in some rows."""
    return [number for row in rows for number in range(row.first, row.last)]


def _halve(rows: Sequence[Row]) -> list[list[Row]]:
    """Two batches with half the rows each, or for a single row half the sequences; nothing for one sequence."""
    if len(rows) > 1:
        middle = len(rows) // 2
        return [list(rows[:middle]), list(rows[middle:])]
    row = rows[0]
    middle = (row.first + row.last) // 2
    halves = [[dataclasses.replace(row, last=middle)], [dataclasses.replace(row, first=middle)]]
    return halves if middle > row.first else []
