"""Greedy generation for all prompts of a task together: texts that end make room for the next prompts."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os.path import commonprefix

import torch
from accelerate.utils.memory import should_reduce_batch_size
from lm_eval.models.utils_hf import clear_torch_cache

from .branching import BranchingModel, attention_mask
from .forward import of_all_words
from .planning import LOOSE_ROW_TOKENS
from .slots import Slots
from .tolerance import COMPARED, Agreement, Mismatch
from .work import Work

logger = logging.getLogger("lm_eval_sea")

# Fewer common tokens are not worth a separate forward pass.
LEAST_PREFIX = 32

# Prompts join once this many slots, or a quarter of all, are free. They share a row, in which they do not see each other, of at
# most this many tokens on an accelerator, which would wait for the launch of smaller passes; a CPU takes LOOSE_ROW_TOKENS.
JOINING = 8
MOST_JOINING_TOKENS = 2048

# Keys and values may take this many times what `hf` would take for its own and for the states of whole prompts in one layer.
MEMORY = 1.5

# A compared text counts as at least this long, and covers texts up to twice its length.
ALIKE = 2 * COMPARED

# Prompt lookup decoding (Saxena 2023): if few texts are left, each drafts what followed its last MATCHED tokens earlier. A CPU
# takes hardly longer for up to this many tokens in a pass, which are shared equally between texts.
DRAFTED_TOKENS = 16
MATCHED = 3

# A text repeats itself if drafts would have been right for its last ACCEPTED tokens. If half of the texts do so, each text gets
# REPEATED_TOKENS tokens in a pass, however many texts there are: it takes less time than as many passes of one token.
ACCEPTED = 8
REPEATED_TOKENS = 8

# The search for stop strings decodes as many last tokens as the longest one has bytes, and this many more.
SLACK = 8


@dataclass(slots=True, eq=False)
class _Text:
    """A prompt, and what was written after it."""

    number: int  # of the prompt
    prompt: list[int]  # its tokens
    written: list[int] = field(default_factory=list)  # tokens of the answer so far, with the one that ended it
    ended: bool = False  # whether the answer is complete
    accepted: int = 0  # for how many of the last tokens, without a gap, a draft was right or would have been
    _next: int | None = None  # the place of the token after an earlier occurrence of the last ones
    _followers: dict[tuple[int, ...], int] = field(default_factory=dict)  # tokens → the place after their last occurrence

    def __len__(self) -> int:
        return len(self.prompt) + len(self.written)

    def __getitem__(self, place: int) -> int:
        return self.prompt[place] if place < len(self.prompt) else self.written[place - len(self.prompt)]

    def write(self, predicted: Sequence[int], draft: Sequence[int], ending: Ending) -> int:
        """Appends the token predicted after the last one, and those after each token of the draft as long as the draft is right.

        Returns how many tokens were written.
        """
        for place, token in enumerate(predicted):
            self._append(token)
            self.ended = ending.ends(self.written)
            if self.ended or draft[place : place + 1] != [token]:
                break
        return place + 1

    def _append(self, token: int) -> None:
        if not self._followers:
            ends = range(MATCHED, len(self.prompt) + 1)
            self._followers = {tuple(self.prompt[end - MATCHED : end]): end for end in ends}
        is_accepted = self._next is not None and self[self._next] == token
        self.written.append(token)
        self.accepted = self.accepted + 1 if is_accepted else 0
        last = tuple(self[place] for place in range(max(len(self) - MATCHED, 0), len(self)))
        follower = self._followers.get(last)
        self._next = self._next + 1 if is_accepted and self._next is not None else follower
        self._followers[last] = len(self)

    def draft(self, length: int) -> list[int]:
        """The tokens after an earlier occurrence of the last ones, repeated if they reach the end of the text."""
        if self._next is None:
            return []
        period = len(self) - self._next
        return [self[self._next + place % period] for place in range(length)]


@dataclass(frozen=True, slots=True)
class Ending:
    """When a text ends."""

    tokens: Collection[int]  # any of these ends it
    strings: Sequence[str]  # any of these in it ends it
    limit: int  # most tokens
    decode: Callable[[list[int]], str]  # the text of tokens, special ones included

    def ends(self, written: list[int]) -> bool:
        """Whether a text ends with the last of its tokens."""
        if written[-1] in self.tokens or len(written) >= self.limit:
            return True
        if not self.strings:
            return False
        tail = self.decode(written[-SLACK - max(len(string.encode()) for string in self.strings) :])
        return any(string in tail for string in self.strings)


class GreedyGeneration:
    """Continues prompts with the most probable tokens.

    Texts are compared with the plain forward pass over prompt and answer, as in the scoring of continuations: one text stands for
    all of less than twice its length.
    """

    def __init__(self, model: BranchingModel, agreement: Agreement, work: Work) -> None:
        """Starts without any verified text; `work` counts what is computed."""
        self._model = model
        self._agreement = agreement
        self._work = work
        self._verified = {False: 0, True: 0}  # length of the longest compared text, without and with a shared beginning
        self._has_drafted = False  # whether a draft was right, and the result compared
        self._joining_tokens = min(max(LOOSE_ROW_TOKENS, model.pass_tokens), MOST_JOINING_TOKENS)

    def run(self, prompts: Mapping[int, list[int]], ending: Ending, budget: int) -> Iterator[tuple[int, list[int]]]:
        """Continues numbered prompts; yields the number and the new tokens of each text as it ends.

        What does not fit in memory is tried again in half as many slots. `budget` is the most tokens in a batch of `hf`.
        Raises `Mismatch` if a text differs from that of the plain forward pass, `RuntimeError` if the model does not use its
        cache or a single text does not fit memory.
        """
        left = dict(sorted(prompts.items(), key=lambda item: -len(item[1])))
        lengths = list(map(len, left.values()))
        prefix = min(len(commonprefix([min(left.values()), max(left.values())])), lengths[-1] - 1)
        if len(prompts) == 1 or prefix < LEAST_PREFIX:
            prefix = 0
        capacity = lengths[0] - prefix + ending.limit
        room = MEMORY * (1 + self._model.states_beside_cache) * budget
        slots = min(len(prompts), max(int(room - prefix) // capacity, 1))
        while left:
            texts = [_Text(number, prompt) for number, prompt in left.items()]
            try:
                for text in self._generate(texts, Slots(prefix, slots, capacity, self._model.device), ending):
                    del left[text.number]
                    yield text.number, text.written
            except RuntimeError as error:
                if slots == 1 or not should_reduce_batch_size(error):
                    raise
            if left:  # not in the handler, where the traceback still holds the tensors
                clear_torch_cache()
                slots //= 2

    def _generate(self, texts: Sequence[_Text], cache: Slots, ending: Ending) -> Iterator[_Text]:
        waiting = deque(texts)
        watched: tuple[_Text, list[torch.Tensor]] | None = None
        if first := self._choose(texts, self._verified[cache.prefix > 0], ending):
            watched = first, []
            waiting.remove(first)
            waiting.appendleft(first)
        if cache.prefix:
            self._put(waiting[0].prompt[: cache.prefix], [cache.prefix], None, cache)
        active: list[_Text] = []
        held: list[_Text] = []  # texts that ended before any of about their length was compared
        while active or waiting:
            begin, drafts = 0, list[list[int]]()
            if waiting and cache.slots - len(active) >= min(JOINING, len(waiting), max(cache.slots // 4, 1)):
                begin = len(active)
                logits = self._join(waiting, active, cache)
            else:
                repeating = sum(text.accepted >= ACCEPTED for text in active)
                room = max(DRAFTED_TOKENS // len(active), REPEATED_TOKENS if 2 * repeating >= len(active) else 1)
                room = min(room, *(ending.limit - len(text.written) for text in active))
                drafts = [text.draft(room - 1) for text in active]
                logits = self._continue(active, drafts, cache)
            new = active[begin:]
            logits = logits.view(len(new), -1, logits.shape[-1])
            best, predicted = logits.max(-1)  # of equal ones the first, as `argmax` finds it, in less time
            if not best.isfinite().all():
                raise Mismatch("logits are not numbers")
            drafts = drafts or [[]] * len(new)
            counts = [text.write(best, draft, ending) for text, best, draft in zip(new, predicted.tolist(), drafts, strict=True)]
            drafted = [place for place, count in enumerate(counts) if count > 1]
            if drafted and not self._has_drafted:
                place = min(drafted, key=lambda place: len(new[place]))
                self._verify(new[place], of_all_words(logits[place, : counts[place]]))
                self._has_drafted = True
            if watched is None and (chosen := self._choose(active, self._verified[cache.prefix > 0], ending)):
                watched = chosen, []
            if watched is not None:
                text, seen = watched
                if text in new:
                    place = new.index(text)
                    seen += of_all_words(logits[place, : counts[place]])
                if text.ended or len(seen) >= COMPARED:
                    self._verify(text, torch.stack(seen))
                    self._verified[cache.prefix > 0] = max(len(text), ALIKE)
                    watched = None
            held += self._leave(active, cache)
            ready = [text for text in held if len(text) < 2 * self._verified[cache.prefix > 0]]
            held = [text for text in held if text not in ready]
            yield from ready
        if held:
            raise Mismatch("texts ended before any of about their length was compared with a plain forward pass")

    @staticmethod
    def _choose(texts: Sequence[_Text], verified: int, ending: Ending) -> _Text | None:
        """The text to compare if the longest will soon be twice as long as the last compared one, or None.

        It is the shortest that can stand for the longest at its limit, because a plain pass costs more the longer it is.
        """
        longest = max(map(len, texts))
        if longest + COMPARED <= 2 * verified:
            return None
        return min((text for text in texts if 2 * len(text) >= longest + min(ending.limit, longest)), key=len)

    def _join(self, waiting: deque[_Text], active: list[_Text], cache: Slots) -> torch.Tensor:
        """Puts texts into free slots; returns the logits after each."""
        tokens, ends = list[int](), list[int]()
        at: list[torch.Tensor] = []
        while waiting and len(active) < cache.slots:
            own = waiting[0].prompt[cache.prefix :]
            if ends and len(tokens) + len(own) > self._joining_tokens:
                break
            at.append(torch.arange(len(own)) + len(active) * cache.capacity)
            tokens += own
            ends.append(len(tokens))
            active.append(waiting.popleft())
        return self._put(tokens, ends, torch.cat(at).to(self._model.device), cache)

    def _put(self, tokens: Sequence[int], ends: Sequence[int], at: torch.Tensor | None, cache: Slots) -> torch.Tensor:
        """Computes texts that follow one another in a row, up to their `ends`; returns the logits after each.

        `at` has the columns for the tokens, counted through all slots; None if the tokens are the prefix.
        """
        before = 0 if at is None else cache.prefix
        lengths = torch.tensor([end - begin for begin, end in zip([0, *ends], ends, strict=False)])
        positions = before + torch.cat([torch.arange(length) for length in lengths.tolist()])[None]
        of_tokens = torch.tensor(ends).repeat_interleave(lengths)[None]
        device = self._model.device
        masking = partial(attention_mask, of_tokens.to(device), positions.to(device), before)
        self._work.forwarded += len(tokens)
        with cache.putting(at):
            return self._model.next_logits(tokens, [end - 1 for end in ends], masking, cache, positions)

    def _continue(self, active: Sequence[_Text], drafts: Sequence[list[int]], cache: Slots) -> torch.Tensor:
        """Computes the last token of each text and a draft after it; returns the logits after all of them, text by text."""
        width = 1 + max(map(len, drafts))
        tokens = [(text.written[-1:] + draft + [0] * width)[:width] for text, draft in zip(active, drafts, strict=True)]
        positions = torch.tensor([len(text) - 1 for text in active])[:, None] + torch.arange(width)
        self._work.forwarded += positions.numel()
        with cache.continuing(positions - cache.prefix):
            row = [token for of_text in tokens for token in of_text]
            return self._model.next_logits(row, range(len(row)), cache.mask, cache, positions.view(1, -1))

    def _leave(self, active: list[_Text], cache: Slots) -> list[_Text]:
        """Takes out the texts that ended; those of the last slots move into the gaps."""
        ended = [text for text in active if text.ended]
        for slot in reversed(range(len(active))):
            if active[slot].ended:
                last = active.pop()
                if slot < len(active):
                    cache.move(len(active), slot, len(last) - 1 - cache.prefix)
                    active[slot] = last
        return ended

    def _verify(self, text: _Text, seen: torch.Tensor) -> None:
        """Compares the last predictions with a plain forward pass; raises `Mismatch` if they differ by more than its noise."""
        tokens = (text.prompt + text.written)[:-1]
        self._work.verification += len(tokens)
        plain = self._model.plain_logprobs(tokens, len(seen))
        once_more = partial(self._model.plain_logprobs_again, tokens, len(seen), self._agreement.dtype)
        self._agreement.check_predictions(seen, plain, once_more)
        chosen = torch.tensor(text.written[-len(seen) :])[:, None]
        together, alone = (float(logprobs.gather(1, chosen).sum()) for logprobs in (seen, plain))
        self._agreement.check_sum(together, alone, len(seen))
