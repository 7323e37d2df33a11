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
    """The cache of a model: for each layer [1, heads, prefix + slots × capacity, size of a head], allocated once.

    The tokens of a pass stand in a single row, whatever texts they belong to. In passes that put texts into slots they see the
    prefix and one another, as masks say. In passes that continue the texts in the first slots, attention has two parts, for
    all texts with the prefix and for each with its own slot, so that nothing is copied. A model whose attention does not come
    from `ALL_ATTENTION_FUNCTIONS["sdpa"]`, or does more there, gets all slots in one piece and a mask.

    Attributes:
        prefix: tokens of the shared beginning.
        capacity: tokens of a slot.
        in_parts: whether attention has two parts in passes that continue texts; known after the first pass.
    """

    def __init__(self, prefix: int, slots: int, capacity: int) -> None:
        """Begins empty; the arguments are as above."""
        super().__init__()
        self.prefix, self.capacity, self.in_parts = prefix, capacity, False
        self._columns = prefix + slots * capacity
        self._kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._before = 0
        self._rows: int | None = None
        self._at = torch.empty(0)
        self._layers_seen = self._layers_attended = 0
        self._attend: Callable[..., Any] = ALL_ATTENTION_FUNCTIONS["sdpa"]

    @contextmanager
    def putting(self, at: torch.Tensor, before: int) -> Iterator[None]:
        """For a pass whose tokens are new; they go to the columns `at`, and see `before` tokens of the prefix beside them."""
        self._at, self._before, self._rows = at, before, None
        with self._in_place():
            self._layers_seen = self._layers_attended = 0
            yield
            if not self._layers_seen:
                raise RuntimeError("it does not use the cache it is given")
            self.in_parts = self._layers_attended == self._layers_seen

    @contextmanager
    def continuing(self, at: torch.Tensor, rows: int) -> Iterator[None]:
        """For a pass whose tokens continue the first `rows` slots, equally many each; they go to the columns `at`."""
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

    def mask(self, lengths: torch.Tensor, device: torch.device, window: int | None) -> torch.Tensor:
        """What tokens see that continue texts, one each.

        Args:
            lengths: tokens before each, with the prefix; in main memory, [texts].
            device: where the mask is to be.
            window: the number of tokens they look back on, themselves included, where the model has such a limit.

        Returns:
            True where attended; [texts, 1, 1, columns of the prefix and of a slot as far as in use] if attention has two parts,
            otherwise [1, 1, texts, columns of the prefix and of all their slots].
        """
        own = int(lengths.max()) + 1 - self.prefix if self.in_parts else self.capacity
        positions, lengths = torch.arange(self.prefix + own, device=device), lengths.to(device)[:, None]
        seen = positions <= lengths
        if window is not None:
            seen &= positions > lengths - window
        if self.in_parts:
            return seen[:, None, None]
        of_slots = torch.eye(len(lengths), dtype=torch.bool, device=device)[:, :, None] & seen[:, None, self.prefix :]
        return torch.cat([seen[:, : self.prefix], of_slots.flatten(1)], dim=1)[None, None]

    @torch.inference_mode()
    def move(self, source: int, target: int, length: int) -> None:
        """Moves the first tokens of a slot to another."""
        begins = [self.prefix + slot * self.capacity for slot in (source, target)]
        for states in (part for both in self._kept.values() for part in both):
            here, there = (states[:, :, begin : begin + length] for begin in begins)
            there.copy_(here)

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The keys and values that a layer attends to."""
        self._layers_seen += 1
        new = key_states, value_states
        if layer_idx not in self._kept:
            # what is masked counts nothing times what stands there, which must be a number
            keys, values = (part.new_zeros(*part.shape[:2], self._columns, part.shape[-1]) for part in new)
            self._kept[layer_idx] = keys, values
        kept = self._kept[layer_idx]
        at = self._at.to(key_states.device)
        for states, part in zip(kept, new, strict=True):
            states.index_copy_(2, at, part)
        if self._rows is not None:
            columns = self.prefix + self._rows * self.capacity
            return kept[0][:, :, :columns], kept[1][:, :, :columns]
        if not self._before:
            return new
        keys, values = (torch.cat([states[:, :, : self._before], part], dim=2) for states, part in zip(kept, new, strict=True))
        return keys, values

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
        if self._rows is not None and self.in_parts and attention_mask is not None:
            return self._attend_in_parts(query, key, value, attention_mask, scaling or query.shape[-1] ** -0.5), None
        self._layers_attended += all(value is None for name, value in keywords.items() if name not in HARMLESS)
        found: tuple[torch.Tensor, None] = self._attend(module, query, key, value, attention_mask, scaling=scaling, **keywords)
        return found

    def _attend_in_parts(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        """Attention of tokens that continue texts.

        Args:
            query: [1, heads, texts × tokens, size of a head].
            key: of the prefix, and of the slots of all texts; [1, heads of keys, columns, size of a head].
            value: likewise.
            mask: [texts, 1, tokens, columns of the prefix and of a slot as far as it is in use].
            scaling: what products are multiplied with.

        Returns:
            [1, texts × tokens, heads, size of a value].
        """
        heads, prefix = key.shape[1], self.prefix
        rows, _, width, seen = mask.shape
        groups = query.shape[1] // heads
        asked = (
            (query[0] * scaling).view(heads, groups, rows, width, -1).transpose(1, 2).reshape(heads, rows * groups * width, -1)
        )

        def own(states: torch.Tensor) -> torch.Tensor:
            return states[0, :, prefix:].view(heads, rows, self.capacity, -1)[:, :, : seen - prefix]

        behind = asked.view(heads, rows, groups * width, -1) @ own(key).mT
        scores = torch.cat([(asked @ key[0, :, :prefix].mT).view(*behind.shape[:3], prefix), behind], dim=-1)
        scores = scores.view(heads, rows, groups, width, seen).masked_fill_(~mask, -torch.inf)
        weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype).view(heads, rows, groups * width, seen)
        found = weights[..., prefix:] @ own(value)
        found += (weights[..., :prefix].flatten(1, 2) @ value[0, :, :prefix]).view(found.shape)
        return found.view(heads, rows, groups, width, -1).permute(1, 3, 0, 2, 4).reshape(1, rows * width, heads * groups, -1)
