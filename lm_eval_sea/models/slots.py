"""Keys and values of texts that are generated together: their shared beginning once, and a slot for the rest of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from transformers import DynamicCache

from .attention import BlockwiseAttention, in_place_of_sdpa, is_plain, scaled_products

# A slot has at most PIECES pieces of at least this many tokens; an accelerator would wait for the launch of smaller ones.
PIECES = 8
LEAST_PIECE = {"cpu": 64}
ACCELERATOR_LEAST_PIECE = 512

_NONE = torch.empty(0, 0, dtype=torch.int64)


class Slots(DynamicCache):
    """The cache of a model: for each layer [1, heads, prefix, size of a head] and [pieces, slots, heads, piece, size of a head].

    A pass has all its tokens in a single row, whatever texts they belong to. In passes that put texts into slots, tokens see the
    prefix and one another, as masks say. In passes that continue the texts in the first slots, attention has two parts: all texts
    attend to the prefix, and each to its own slot, so nothing is copied. A model whose attention does not come from
    `ALL_ATTENTION_FUNCTIONS["sdpa"]`, or does more there, gets a copy of everything in one piece and a mask.

    A piece of the first slots is one block of memory, so a 16-bit matrix product on a CPU needs no copy of it. If texts are
    short, the last pieces are left out.
    """

    def __init__(self, prefix: int, slots: int, capacity: int, device: torch.device) -> None:
        """Starts empty, for a shared beginning of `prefix` tokens and slots of at least `capacity` tokens."""
        super().__init__()
        self._device = device
        least = LEAST_PIECE.get(device.type, ACCELERATOR_LEAST_PIECE)
        self._pieces = min(max(capacity // least, 1), PIECES)
        self._piece = math.ceil(capacity / self._pieces)
        self.prefix, self.slots, self.capacity = prefix, slots, self._pieces * self._piece
        self.in_parts = False  # whether attention has two parts in passes that continue texts; known after the first pass
        self._kept: dict[int, list[tuple[torch.Tensor, torch.Tensor]]] = {}  # layer → keys and values, in both parts
        self._layer = 0  # that was updated last
        self._handed: tuple[torch.Tensor, ...] = ()  # what that layer attends to
        self._before = 0
        self._columns = _NONE  # of a pass that continues texts, [texts, tokens]; empty in one that puts texts into slots
        self._at: torch.Tensor | None = None
        self._layers_seen = self._layers_attended = 0
        self._in_blocks = BlockwiseAttention()
        self._seen: list[tuple[torch.Tensor, list[slice]]] = []  # the masks of a pass, and which texts attend to each piece

    @contextmanager
    def putting(self, at: torch.Tensor | None) -> Iterator[None]:
        """For a pass over the prefix (`at` is None), or over new tokens in the columns `at`, counted through all slots."""
        self._at, self._before, self._columns = at, 0 if at is None else self.prefix, _NONE
        with self._in_place():
            self._layers_seen = self._layers_attended = 0
            yield
            if not self._layers_seen:
                raise RuntimeError("it does not use the cache it is given")
            self.in_parts = self._layers_attended == self._layers_seen

    @contextmanager
    def continuing(self, columns: torch.Tensor) -> Iterator[None]:
        """For a pass that continues the first slots by equally many tokens, at these columns of each: [texts, tokens]."""
        self._before, self._columns = self.prefix, columns
        self._at = (columns + torch.arange(len(columns))[:, None] * self.capacity).flatten().to(self._device)
        with self._in_place():
            yield

    def _in_place(self) -> AbstractContextManager[None]:
        self._seen, self._in_blocks = [], BlockwiseAttention()
        return in_place_of_sdpa(self._attend_to_slots)

    def mask(self, window: int | None) -> torch.Tensor:
        """The mask of a pass that continues texts.

        `window` is the size of the model's sliding window, the token itself included; None if it has none. The mask is
        [texts, 1, tokens, columns of the prefix and of the pieces of a slot in use] if attention has two parts, otherwise
        [1, 1, texts × tokens, columns of the prefix and of all their slots].
        """
        in_use = int(self._columns.max()) // self._piece + 1 if self.in_parts else self._pieces
        own = in_use * self._piece
        columns = torch.arange(self.prefix + own, device=self._device)
        here = (self.prefix + self._columns).to(self._device)[:, :, None]
        seen = columns <= here
        if window is not None:
            seen &= columns > here - window
        if self.in_parts:
            mask = seen[:, None]
            self._seen.append((mask, [self._texts_in(number, window) for number in range(in_use)]))
            return mask
        of_own = (
            torch.eye(len(self._columns), dtype=torch.bool, device=self._device)[:, None, :, None]
            & seen[:, :, None, self.prefix :]
        )
        return torch.cat([seen[:, :, : self.prefix], of_own.flatten(2)], dim=2).flatten(0, 1)[None, None]

    def _texts_in(self, piece: int, window: int | None) -> slice:
        """The slots from the first to the last whose texts attend to a piece."""
        begin = piece * self._piece
        of_piece = self._columns[:, -1] >= begin
        if window is not None:
            of_piece &= self._columns[:, 0] - window + 1 < begin + self._piece
        slots = of_piece.nonzero()[:, 0].tolist() or [0]
        return slice(slots[0], slots[-1] + 1)

    @torch.inference_mode()
    def move(self, source: int, target: int, length: int) -> None:
        """Moves the first tokens of a slot to another."""
        pieces = math.ceil(length / self._piece)
        for _, slots in (part for both in self._kept.values() for part in both):
            slots[:pieces, target] = slots[:pieces, source]

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Stores new keys and values; returns those that a layer attends to, with attention in two parts those of all slots."""
        self._layers_seen += 1
        keys, values = (self._updated(number, part, layer_idx) for number, part in enumerate((key_states, value_states)))
        self._layer, self._handed = layer_idx, (keys, values)
        return keys, values

    def _updated(self, number: int, new: torch.Tensor, layer: int) -> torch.Tensor:
        """Stores new keys (0) or values (1); returns those that a layer attends to."""
        _, heads, _, size = new.shape
        both = self._kept.setdefault(layer, [])
        if len(both) == number:
            # masked entries are multiplied by 0, so they must be numbers
            slots = new.new_zeros(self._pieces, self.slots, heads, self._piece, size)
            both.append((new.new_zeros(1, heads, self.prefix, size), slots))
        prefix, slots = both[number]
        if self._at is None:
            return prefix.copy_(new)
        at = self._at.to(new.device)  # layers may be on several devices
        column = at % self.capacity
        slots[column // self._piece, at // self.capacity, :, column % self._piece] = new[0].transpose(0, 1)
        if not len(self._columns):
            return torch.cat([prefix, new], dim=2) if self.prefix else new
        if self.in_parts:
            return slots
        return torch.cat([prefix, slots[:, : len(self._columns)].permute(2, 1, 0, 3, 4).flatten(1, 3)[None]], dim=2)

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Number of tokens before those of a pass, if it is the same for all."""
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
        """Replaces transformers' function, with its arguments."""
        if len(self._columns) and self.in_parts and attention_mask is not None:
            return self._attend_in_parts(query, key, value, attention_mask, scaling or query.shape[-1] ** -0.5), None
        # some models make keys from what they keep, or use those of another layer
        self._layers_attended += is_plain(keywords) and key is self._handed[0] and value is self._handed[1]
        return self._in_blocks(module, query, key, value, attention_mask, scaling, **keywords)

    def _attend_in_parts(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, scaling: float
    ) -> torch.Tensor:
        """Attention of tokens that continue texts, [1, texts × tokens, heads, size of a value]; the mask is that of `mask`.

        Queries are [1, heads, texts × tokens, size of a head], keys and values those of all slots.
        """
        (keys, _), (values, _) = self._kept[self._layer]
        rows, _, width, all_columns = mask.shape
        _, _, heads, piece, _ = key.shape
        groups, prefix = query.shape[1] // heads, self.prefix
        # if a model has changed the mask, all texts attend to all pieces
        seen = next((texts for other, texts in self._seen if other is mask), [slice(0, rows)] * ((all_columns - prefix) // piece))
        pieces = [(number, texts, slice(begin := prefix + number * piece, begin + piece)) for number, texts in enumerate(seen)]
        # for the prefix [heads, texts × tokens …], for slots [texts × heads, tokens …]: neither copies keys and values
        asked = query[0].reshape(heads, groups, rows, width, -1).transpose(1, 2)
        scores = query.new_empty(rows, heads, groups, width, all_columns, dtype=torch.promote_types(query.dtype, torch.float32))
        of_prefix = scaled_products(asked.flatten(1, 3), keys[0], scaling)
        scores[..., :prefix] = of_prefix.view(heads, rows, groups, width, prefix).transpose(0, 1)
        of_texts = asked.transpose(0, 1).reshape(rows, heads, groups * width, -1)
        for number, texts, columns in pieces:
            of_piece = scaled_products(of_texts[texts].flatten(0, 1), key[number, texts].flatten(0, 1), scaling)
            scores[texts, ..., columns] = of_piece.view(-1, heads, groups, width, piece)
        weights = F.softmax(scores.masked_fill_(~mask[:, :, None], -torch.inf), dim=-1).to(value.dtype)
        of_prefix = weights[..., :prefix].transpose(0, 1).flatten(1, 3) @ values[0]
        found = of_prefix.view(heads, rows, groups, width, -1).transpose(0, 1).float()  # a sum of many parts
        for number, texts, columns in pieces:
            of_piece = weights[texts, ..., columns].flatten(0, 1).flatten(1, 2) @ value[number, texts].flatten(0, 1)
            found[texts] += of_piece.view(-1, heads, groups, width, found.shape[-1])
        return found.to(value.dtype).permute(0, 3, 1, 2, 4).reshape(1, rows * width, heads * groups, -1)
