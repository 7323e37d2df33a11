"""The forward pass over rows that branch, for models that accept our masks and positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from transformers import DynamicCache, PreTrainedModel

from .attention import BlockwiseAttention, in_place_of_sdpa
from .forward import Prefix, PrefixModel, Scores, of_all_words, upload, upload_indices
from .layout import Batch
from .predictions import Predictions, predictions_at
from .tolerance import rounded_otherwise


class PrefixCache(DynamicCache):
    """Shows each row of a batch the keys and values of one prefix.

    A prefix is kept in runs of tokens as they were computed: for each layer the keys and values, [1, heads, tokens, size of a
    head]. A prefix that continues another shares its runs.

    The keys and values of the rows themselves are dropped after each layer unless `kept` is wanted, because no token follows
    them.
    """

    def __init__(self, prefix: Prefix, *, keep: bool) -> None:
        """Begins after a prefix; `keep`: whether to gather the keys and values of the rows in `kept`."""
        super().__init__()
        self.kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._prefix = prefix
        self._keep = keep

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The keys and values that a layer attends to."""
        if self._keep:  # a view would keep its whole tensor alive, queries included
            self.kept[layer_idx] = key_states.contiguous(), value_states.contiguous()
        if not self._prefix.length:
            return key_states, value_states
        rows = key_states.shape[0]
        before = [part[layer_idx] for part in self._prefix.kept]
        keys = torch.cat([*(keys.expand(rows, -1, -1, -1) for keys, _ in before), key_states], dim=-2)
        values = torch.cat([*(values.expand(rows, -1, -1, -1) for _, values in before), value_states], dim=-2)
        return keys, values

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Number of tokens before the rows."""
        return self._prefix.length


def attention_mask(ends: torch.Tensor, positions: torch.Tensor, prefix: int, window: int | None) -> torch.Tensor:
    """Which keys each token attends to: the prefix, itself and the tokens it follows from; [rows, 1, width, prefix + width].

    `ends` and `positions` are those of a `Batch`, `prefix` is the number of tokens before the rows, and `window` the size of the
    model's sliding window, the token itself included; None if it has none.
    """
    rows, width = ends.shape
    slots = torch.arange(width, device=ends.device)
    mask = torch.ones(rows, width, prefix + width, dtype=torch.bool, device=ends.device)
    mask[:, :, prefix:] = (slots[None, None, :] <= slots[None, :, None]) & (slots[None, :, None] < ends[:, None, :])
    if window is not None:
        keys = torch.cat([torch.arange(prefix, device=ends.device).expand(rows, -1), positions], dim=1)
        mask &= positions[:, :, None] - keys[:, None, :] < window
    return mask[:, None]


def _states_beside_cache(config: Any) -> float:
    """The size of a token's states in one feed-forward layer, in units of its keys and values in all layers.

    The states are the input, the sum and three tensors of the inner width. 0 if the configuration does not state the sizes.
    """
    names = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
    hidden, inner, layers, heads = (number if isinstance(number := getattr(config, name, None), int) else 0 for name in names)
    if not (hidden and inner and layers and heads):
        return 0.0
    key_heads = int(getattr(config, "num_key_value_heads", None) or heads)
    size = int(getattr(config, "head_dim", None) or hidden // heads)
    return (2 * hidden + 3 * inner) / (2 * layers * key_heads * size)


class BranchingModel(PrefixModel):
    """A model whose attention follows our masks, so that a row can hold many sequences with a common beginning."""

    branches = True
    least_width = 1
    prefix_memory = 0.25  # keys and values of the rows exist for one layer at a time

    def __init__(self, model: PreTrainedModel, **options: Any) -> None:
        super().__init__(model, **options)
        config = model.config.get_text_config()
        self._additive = config._attn_implementation == "eager"  # other implementations take boolean masks
        self._window = getattr(config, "sliding_window", None) if getattr(config, "use_sliding_window", True) else None
        in_16_bits = (self._autocast_dtype or model.dtype).itemsize == 2
        self._in_blocks = in_16_bits and self.device.type == "cpu"  # in 32 bits it would save next to nothing
        self._layer_types = set(getattr(config, "layer_types", None) or ())
        self.states_beside_cache = _states_beside_cache(config)

    def run(self, batch: Batch, predictions: Predictions, prefix: Prefix, *, keep: bool) -> tuple[Scores, Prefix]:
        """Computes rows, as `PrefixModel.run` says."""
        keywords: dict[str, Any] = {"use_cache": False}
        if prefix.length or batch.branches:  # else the flash kernel, which takes no mask, saves memory
            tokens, ends, positions = upload(self.device, batch.tokens, batch.ends, batch.positions)
            keywords |= self._masks(partial(attention_mask, ends, positions, prefix.length)) | {"position_ids": positions}
        else:
            (tokens,) = upload(self.device, batch.tokens)
        cache = PrefixCache(prefix, keep=keep)
        if prefix.length or keep:
            keywords |= self._with_cache(cache)
        with in_place_of_sdpa(BlockwiseAttention()) if self._in_blocks else nullcontext():
            logits, indices = self._logits(tokens, predictions, keywords)
        if keep and not cache.kept:
            raise RuntimeError("it does not use the cache it is given")
        longer = Prefix(prefix.length + batch.tokens.shape[1], (*(prefix.kept or ()), cache.kept)) if keep else prefix
        return self._score(logits, predictions, indices), longer

    def run_plain(self, batch: Batch, predictions: Sequence[Predictions], length: int) -> tuple[list[Scores], Prefix]:
        """Computes a single row in the ordinary way, without our masks, positions and head.

        Returns the scores of each of several sets of predictions, and the first `length` tokens as a prefix. Like `run` it raises
        `RuntimeError`.
        """
        cache = PrefixCache(Prefix(), keep=True)
        (tokens,) = upload(self.device, batch.tokens)
        (logits,) = self._forward(tokens, self._with_cache(cache))
        if not cache.kept:
            raise RuntimeError("it does not use the cache it is given")
        for layer in cache.kept:  # one by one, because each is in memory twice meanwhile
            keys, values = cache.kept[layer]
            cache.kept[layer] = keys[:, :, :length].contiguous(), values[:, :, :length].contiguous()
        scores = [self._score(logits, part, upload_indices(part, logits.device), all_slots=True) for part in predictions]
        return scores, Prefix(length, (cache.kept,))

    def next_logits(
        self,
        tokens: Sequence[int],
        wanted: Sequence[int],
        masking: Callable[[int | None], torch.Tensor],
        cache: DynamicCache,
        positions: torch.Tensor,
    ) -> torch.Tensor:
        """Logits, [wanted, vocabulary], after the tokens of a row at the `wanted` places, which must ascend.

        `masking` gives the mask for a sliding window of the given size, or for none (None); `positions` are those of the tokens
        in their texts, [1, tokens].
        """
        keywords = self._with_cache(cache) | {"position_ids": positions.to(self.device)}
        row = torch.tensor([tokens], device=self.device)
        return self._logits(row, predictions_at(wanted), self._masks(masking) | keywords)[0]

    def plain_logprobs(self, tokens: Sequence[int], last: int) -> torch.Tensor:
        """Log-probabilities of the whole vocabulary after each of the `last` last tokens of a text, by a plain forward pass."""
        wanted = range(len(tokens) - last, len(tokens))
        row = torch.tensor([tokens], device=self.device)
        return of_all_words(self._logits(row, predictions_at(wanted), {"use_cache": False})[0])

    def plain_logprobs_again(self, tokens: Sequence[int], last: int, dtype: torch.dtype, draw: int) -> torch.Tensor:
        """The same from a plain forward pass that rounds differently."""
        with rounded_otherwise(self._model, dtype, draw):
            return self.plain_logprobs(tokens, last)

    def _masks(self, masking: Callable[[int | None], torch.Tensor]) -> dict[str, Any]:
        def mask(window: int | None) -> torch.Tensor:
            seen = masking(window)
            if not self._additive:
                return seen
            dtype = self._autocast_dtype or self._model.dtype
            return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, torch.finfo(dtype).min)

        if "sliding_attention" in self._layer_types:
            return {"attention_mask": {"full_attention": mask(None), "sliding_attention": mask(self._window)}}
        return {"attention_mask": mask(None if self._layer_types else self._window)}
