"""The beginning that prompts to generate from share, such as instruction and exemplars: computed once, shown to all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from transformers import DynamicCache

from .branching import BranchingModel
from .forward import Prefix
from .prefix_tree import common_prefix, sort_key
from .tolerance import Agreement

# Fewer tokens in common are not worth a forward pass of their own.
LEAST_TOKENS = 32


def common_length(keys: Sequence[bytes]) -> int:
    """How many of their first tokens sequences, given by their keys (`sort_key`), have in common."""
    return min(common_prefix(keys[0], key) for key in keys)


def padded(states: torch.Tensor, paddings: Sequence[int], length: int) -> torch.Tensor:
    """What a layer keeps of the first `length` columns of a batch that is padded on the left.

    A row with p columns of padding has the first `length` − p tokens of the prefix there; the rest of the prefix is computed with
    its own tokens, so that all rows begin in one column.

    Args:
        states: keys or values of the prefix; [1, heads, tokens, size of a head].
        paddings: columns of padding of each row.
        length: columns, at most as many as the prefix has tokens.

    Returns:
        [rows, heads, `length`, size of a head]; 0 in the padding.
    """
    batch = states.new_zeros(len(paddings), *states.shape[1:2], length, states.shape[-1])
    for row, padding in enumerate(paddings):
        if padding < length:
            batch[row, :, padding:] = states[0, :, : length - padding]
    return batch


class PromptPrefix:
    """Keys and values of the longest beginning that the prompts of late have shared."""

    def __init__(self, model: BranchingModel, agreement: Agreement) -> None:
        """Begins without a prefix.

        Args:
            model: computes it.
            agreement: judges whether batches come out as without a prefix.
        """
        self._model = model
        self._agreement = agreement
        self._prefix = Prefix()
        self._key = b""  # of the tokens of the prefix
        self._previous: bytes | None = None  # the key of a prompt of the batch before
        self._verified = 0  # the longest prompt that was seen to come out as without a prefix
        self._verified_padding = False  # whether one behind padding was

    def begin(self) -> None:
        """Prompts of another task follow."""
        self._previous = None

    def cache(self, prompts: torch.Tensor, mask: torch.Tensor) -> DynamicCache | None:
        """What the model may be given of a batch as computed; None: nothing that is worth it.

        Args:
            prompts: tokens, padded on the left; [rows, width].
            mask: 1 for tokens and 0 for padding; [rows, width].

        Raises:
            Mismatch: if the batch does not come out as without it.
            RuntimeError: if the model does not use a cache.
        """
        rows = [tokens[seen.bool()].tolist() for tokens, seen in zip(prompts, mask, strict=True)]
        keys = [sort_key(row) for row in rows]
        others = [] if self._previous is None else [self._previous]
        # Each prompt needs a token of its own: the answer begins with the prediction behind it.
        length = min(common_length([*keys, *others]), *(len(row) - 1 for row in rows))
        alone = len(rows) == 1 and self._previous is None
        self._previous = keys[0]
        if alone or length < LEAST_TOKENS:
            return None
        length = self._compute(rows[0][:length], len(rows))
        if length < LEAST_TOKENS:
            return None
        paddings = (mask == 0).sum(1).tolist()
        is_padded = any(paddings)
        if max(map(len, rows)) > self._verified or (is_padded and not self._verified_padding):
            self._verify(prompts, mask, paddings, length)
            self._verified, self._verified_padding = max(map(len, rows)), self._verified_padding or is_padded
        return self._cache(paddings, length)

    def _compute(self, tokens: list[int], rows: int) -> int:
        """Computes a prefix, unless the present one does as well for this batch and the next.

        Returns:
            How many of the tokens the prefix begins with.
        """
        key = sort_key(tokens)
        known = common_prefix(key, self._key)
        if 2 * rows * (len(tokens) - known) <= len(tokens):
            return known
        self._prefix = Prefix()  # not two at a time
        self._key, self._prefix = key, self._model.compute_prefix(tokens)
        return len(tokens)

    def _cache(self, paddings: Sequence[int], length: int) -> DynamicCache:
        cache = DynamicCache()
        with torch.inference_mode():
            (kept,) = self._prefix.kept
            for layer, states in sorted(kept.items()):
                keys, values = (padded(part, paddings, length) for part in states)
                cache.update(keys, values, layer)
        return cache

    def _verify(self, prompts: torch.Tensor, mask: torch.Tensor, paddings: Sequence[int], length: int) -> None:
        """Holds what follows from one prompt, the one with the most padding, against the plain forward pass."""
        row = max(range(len(paddings)), key=paddings.__getitem__)
        positions = (mask[row : row + 1].cumsum(1) - 1).clamp(min=0)[:, length:]
        keywords: dict[str, Any] = {
            "attention_mask": mask[row : row + 1],
            "position_ids": positions,
            "past_key_values": self._cache(paddings[row : row + 1], length),
            "use_cache": True,
        }
        shared = self._model.next_logprobs(prompts[row : row + 1, length:], keywords)
        whole = prompts[row : row + 1, paddings[row] :]
        plain = self._model.next_logprobs(whole, {"use_cache": False})
        self._agreement.check_predictions(shared, plain, partial(self._model.next_logprobs_again, whole, self._agreement.dtype))
        token = int(plain.argmax())
        self._agreement.check_sum(float(shared[0, token]), float(plain[0, token]), 1)
