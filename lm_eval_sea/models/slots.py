"""Keys and values of rows that are generated from together: the beginning they share once, and a slot for the rest of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from transformers import DynamicCache
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

# What models tell transformers' `sdpa` that does not change attention once there is a mask and a scaling. Anything else, such as
# sinks and soft caps, is left to the model's own function.
HARMLESS = {
    "dropout", "is_causal", "sliding_window", "position_ids", "cache_position", "use_cache", "output_attentions",
    "output_router_logits",
}  # fmt: skip


class Slots(DynamicCache):
    """The cache of a model: for each layer [1, heads, prefix, size of a head] and [slots, heads, capacity, size of a head].

    The tokens of a pass stand in a single row, whatever texts they belong to. In passes that put texts into slots they see the
    prefix and one another, as masks say. In passes that continue the texts in the first slots, attention has two parts, for
    all texts with the prefix and for each with its own slot, so that nothing is copied. A model whose attention does not come
    from `ALL_ATTENTION_FUNCTIONS["sdpa"]`, or does more there, gets a copy of all in one piece and a mask.
    """

    def __init__(self, prefix: int, slots: int, capacity: int) -> None:
        """Begins empty, for a shared beginning of `prefix` tokens and slots of `capacity` tokens."""
        super().__init__()
        self.prefix, self.capacity = prefix, capacity
        self.in_parts = False  # whether attention has two parts in passes that continue texts; known after the first pass
        self._slots = slots
        self._kept: dict[int, list[tuple[torch.Tensor, torch.Tensor]]] = {}  # of each layer keys and values, in both parts
        self._prefixes: list[torch.Tensor] = []  # of the layer that was updated last
        self._handed: tuple[torch.Tensor, ...] = ()  # what that layer attends to
        self._before, self._rows = 0, 0
        self._at: torch.Tensor | None = None
        self._layers_seen = self._layers_attended = 0
        self._attend: Callable[..., Any] = ALL_ATTENTION_FUNCTIONS["sdpa"]

    @contextmanager
    def putting(self, at: torch.Tensor | None) -> Iterator[None]:
        """For a pass over the prefix (`at` is None), or over new tokens behind it, which go to the columns `at` of all slots."""
        self._at, self._before, self._rows = at, 0 if at is None else self.prefix, 0
        with self._in_place():
            self._layers_seen = self._layers_attended = 0
            yield
            if not self._layers_seen:
                raise RuntimeError("it does not use the cache it is given")
            self.in_parts = self._layers_attended == self._layers_seen

    @contextmanager
    def continuing(self, at: torch.Tensor, rows: int) -> Iterator[None]:
        """For a pass that continues the first `rows` slots, by equally many tokens, which go to the columns `at` of all slots."""
        self._at, self._before, self._rows = at, self.prefix, rows
        with self._in_place():
            yield

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        ALL_ATTENTION_FUNCTIONS["sdpa"] = self._attend_to_slots  # for this object alone, whose class has transformers' own
        try:
            yield
        finally:
            del ALL_ATTENTION_FUNCTIONS["sdpa"]

    def mask(self, positions: torch.Tensor, device: torch.device, window: int | None) -> torch.Tensor:
        """What tokens see that continue texts, by their positions there, which are in main memory, [texts, tokens].

        `window` is the number of tokens they look back on, themselves included, where the model has such a limit. The mask is
        [texts, 1, tokens, columns of the prefix and of a slot as far as in use] if attention has two parts, otherwise
        [1, 1, texts × tokens, columns of the prefix and of all their slots].
        """
        own = int(positions.max()) + 1 - self.prefix if self.in_parts else self.capacity
        columns, here = torch.arange(self.prefix + own, device=device), positions.to(device)[:, :, None]
        seen = columns <= here
        if window is not None:
            seen &= columns > here - window
        if self.in_parts:
            return seen[:, None]
        of_own = torch.eye(len(positions), dtype=torch.bool, device=device)[:, None, :, None] & seen[:, :, None, self.prefix :]
        return torch.cat([seen[:, :, : self.prefix], of_own.flatten(2)], dim=2).flatten(0, 1)[None, None]

    @torch.inference_mode()
    def move(self, source: int, target: int, length: int) -> None:
        """Moves the first tokens of a slot to another."""
        for _, slots in (part for both in self._kept.values() for part in both):
            slots[target, :, :length] = slots[source, :, :length]

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The keys and values that a layer attends to; in two parts those of the slots in use, [texts, heads, capacity, size]."""
        self._layers_seen += 1
        keys, values = (self._updated(number, part, layer_idx) for number, part in enumerate((key_states, value_states)))
        self._handed = keys, values
        return keys, values

    def _updated(self, number: int, new: torch.Tensor, layer: int) -> torch.Tensor:
        """What a layer attends to of keys (0) or values (1)."""
        _, heads, _, size = new.shape
        both = self._kept.setdefault(layer, [])
        if len(both) == number:
            # what is masked counts nothing times what stands there, which must be a number
            both.append((new.new_zeros(1, heads, self.prefix, size), new.new_zeros(self._slots, heads, self.capacity, size)))
        prefix, slots = both[number]
        if self._at is None:
            return prefix.copy_(new)
        at = self._at.to(new.device)  # layers may be on several
        slots[at // self.capacity, :, at % self.capacity] = new[0].transpose(0, 1)
        if not self._rows:
            return torch.cat([prefix, new], dim=2) if self.prefix else new
        used = slots[: self._rows]
        if self.in_parts:
            self._prefixes = [*self._prefixes[:number], prefix]
            return used
        return torch.cat([prefix, used.transpose(0, 1).flatten(1, 2)[None]], dim=2)

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Number of tokens before those of a pass, as far as all of them have the same."""
        return self._before

    def _attend_to_slots(
        self,
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: torch.Tensor | None,
        scaling: float | None = None,
        **keywords: Any,
    ) -> tuple[torch.Tensor, None]:
        """What takes the place of transformers' function, with its arguments."""
        if self._rows and self.in_parts and attention_mask is not None:
            return self._attend_in_parts(query, key, value, attention_mask, scaling or query.shape[-1] ** -0.5), None
        is_plain = all(told is None for name, told in keywords.items() if name not in HARMLESS)
        # some models make keys of what they keep, or use those of another layer
        self._layers_attended += is_plain and key is self._handed[0] and value is self._handed[1]
        found: tuple[torch.Tensor, None] = self._attend(module, query, key, value, attention_mask, scaling=scaling, **keywords)
        return found

    def _attend_in_parts(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        """Attention of tokens that continue texts, [1, texts × tokens, heads, size of a value]; the mask is that of `mask`.

        Queries are [1, heads, texts × tokens, size of a head], keys and values those of the slots of the texts, [texts, heads of
        keys, capacity, size of a head].
        """
        keys, values = self._prefixes
        rows, _, width, seen = mask.shape
        heads, prefix = key.shape[1], self.prefix
        groups = query.shape[1] // heads
        # for the prefix [heads, texts × tokens …], for slots [texts × heads, tokens …]: neither copies keys and values
        asked = (query[0] * scaling).reshape(heads, groups, rows, width, -1).transpose(1, 2)
        of_prefix = asked.flatten(1, 3) @ keys[0].mT
        of_own = asked.transpose(0, 1).reshape(rows * heads, groups * width, -1) @ key[:, :, : seen - prefix].flatten(0, 1).mT
        scores = torch.cat(
            [
                of_prefix.view(heads, rows, groups, width, prefix).transpose(0, 1),
                of_own.view(rows, heads, groups, width, seen - prefix),
            ],
            dim=-1,
        )
        weights = F.softmax(scores.masked_fill_(~mask[:, :, None], -torch.inf), dim=-1, dtype=torch.float32).to(value.dtype)
        found = weights[..., prefix:].flatten(0, 1).flatten(1, 2) @ value[:, :, : seen - prefix].flatten(0, 1)
        found = found.view(rows, heads, groups, width, -1)
        found += (
            (weights[..., :prefix].transpose(0, 1).flatten(1, 3) @ values[0]).view(heads, rows, groups, width, -1).transpose(0, 1)
        )
        return found.permute(0, 3, 1, 2, 4).reshape(1, rows * width, heads * groups, -1)
