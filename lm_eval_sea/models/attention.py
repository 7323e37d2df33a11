"""Attention for cases where a PyTorch kernel gives wrong numbers, and in blocks for cases where it is too slow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

# Arguments of transformers' `sdpa` that do not change attention once there is a mask and a scaling. Anything else, such as sinks
# and soft caps, is left to the model's own function.
HARMLESS = {
    "dropout", "is_causal", "sliding_window", "position_ids", "cache_position", "use_cache", "output_attentions",
    "output_router_logits",
}  # fmt: skip

# The most tokens in a block of attention and, in 16 bits, about its most scores, so that they stay in the processor's cache.
BLOCK = 256
LEAST_BLOCK = 64
BLOCK_SCORES = 2**18


@contextmanager
def plain_attention() -> Iterator[None]:
    """Computes masked attention by plain matrix products on a GPU.

    PyTorch's memory-efficient kernel silently gives single tokens wrong numbers: seen with Gemma 3 270M (heads of 256, one
    key head) in float32 on an H200, torch 2.11, where 8 of 3,014 log-likelihoods were up to 6 nats off. The same is
    reported of Gemma 4 in https://github.com/pytorch/pytorch/issues/191937. cuDNN's kernel makes a plan for each new shape, and
    here every pass has a new shape. The flash kernel, which takes no masks, stays on.
    """
    cuda: Any = torch.backends.cuda
    switches: list[tuple[Callable[[bool], None], bool, bool]] = [
        (cuda.enable_mem_efficient_sdp, cuda.mem_efficient_sdp_enabled(), False),
        (cuda.enable_cudnn_sdp, cuda.cudnn_sdp_enabled(), False),
        # keeps matrix products in 16 bits on a GPU, as transformers' own are; CPUs obey the same switch
        (cuda.allow_fp16_bf16_reduction_math_sdp, cuda.fp16_bf16_reduction_math_sdp_allowed(), torch.cuda.is_available()),
    ]
    for switch, _, wanted in switches:
        switch(wanted)
    try:
        yield
    finally:
        for switch, before, _ in switches:
            switch(before)


def has_rare_heads(config: Any) -> bool:
    """Whether a model's attention has a shape for which `plain_attention` is needed: one key head, or heads of more than 128."""
    heads, size = getattr(config, "num_attention_heads", None), getattr(config, "head_dim", None)
    if not isinstance(size, int):
        size = getattr(config, "hidden_size", 0) // heads if isinstance(heads, int) and heads else 0
    return size > 128 or getattr(config, "num_key_value_heads", None) == 1 or bool(getattr(config, "multi_query", False))


@contextmanager
def in_place_of_sdpa(attend: Callable[..., Any]) -> Iterator[None]:
    """Makes models whose attention is transformers' `sdpa` call another function with its arguments."""
    ALL_ATTENTION_FUNCTIONS["sdpa"] = attend  # only for this object; its class keeps transformers' own
    try:
        yield
    finally:
        del ALL_ATTENTION_FUNCTIONS["sdpa"]


def is_plain(keywords: dict[str, Any]) -> bool:
    """Whether the arguments that a model passes to `sdpa` ask for nothing but masked softmax attention."""
    return all(value is None for name, value in keywords.items() if name not in HARMLESS)


def scaled_products(queries: torch.Tensor, keys: torch.Tensor, scaling: float) -> torch.Tensor:
    """Scaled products of queries [batch, queries, size] and keys [batch, keys, size]: [batch, queries, keys], in 32 bits or more.

    16 bits round a product of 100, as in Qwen 2.5, by up to 0.25, which changes its weight by a quarter. A second multiplication
    gives the rounding error: it subtracts the rounded product before its own sum is rounded.
    """
    products = queries @ keys.mT
    if products.dtype.itemsize == 2:
        lost = torch.baddbmm(products, queries, keys.mT, beta=-1)
        products = products.float().add_(lost.float())
    return products.mul_(scaling)


class BlockwiseAttention:
    """Attention on a CPU in blocks of tokens; each block skips the columns before and after all that its tokens see.

    In 16 bits, matrix products take half the time of PyTorch's kernel for heads of 256 entries, and the same time for 64.
    """

    def __init__(self) -> None:
        self._sdpa: Callable[..., Any] = ALL_ATTENTION_FUNCTIONS["sdpa"]
        self._known: list[tuple[torch.Tensor, list[tuple[slice, slice]]]] = []  # the masks of a pass, with what `_blocks` found

    def __call__(
        self,
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: torch.Tensor | None,
        scaling: float | None = None,
        **keywords: Any,
    ) -> tuple[torch.Tensor, None]:
        """Attention of queries to keys and values, [rows, heads, tokens, size]: [rows, tokens, heads, size of a value].

        Takes the arguments of transformers' function, which computes each block of 32-bit queries, and everything at once on
        another device, without one mask for all heads, or where a model asks for more.
        """
        attend = partial(self._sdpa, module, scaling=scaling, **keywords)
        rows, heads, tokens, size = query.shape
        columns, mask = key.shape[2], attention_mask
        if query.device.type != "cpu" or mask is None or mask.shape != (rows, 1, tokens, columns) or not is_plain(keywords):
            return attend(query, key, value, mask)[0], None
        in_16_bits = query.dtype.itemsize == 2
        block = min(max(BLOCK_SCORES // (rows * heads * columns), LEAST_BLOCK), BLOCK) if in_16_bits else BLOCK
        found = []
        for here, seen in self._blocks(mask, block):
            parts = query[:, :, here], key[:, :, seen], value[:, :, seen], mask[:, :, here, seen]
            found.append(_by_products(*parts, scaling or size**-0.5) if in_16_bits else attend(*parts)[0])
        return torch.cat(found, dim=1), None

    def _blocks(self, mask: torch.Tensor, size: int) -> list[tuple[slice, slice]]:
        """The tokens of each block, and the columns from the first to the last that any of them sees.

        The layers of a pass share a mask, so its blocks are kept, also for another size, which would only cost or save some time.
        """
        for other, known in self._known:
            if other is mask:
                return known
        is_seen = (mask if mask.dtype == torch.bool else mask >= 0)[:, 0].any(dim=0)
        blocks = [slice(begin, begin + size) for begin in range(0, len(is_seen), size)]
        columns = [is_seen[block].any(dim=0).nonzero() for block in blocks]
        found = [(block, slice(int(seen[0]), int(seen[-1]) + 1)) for block, seen in zip(blocks, columns, strict=True)]
        self._known.append((mask, found))
        return found


def _by_products(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, scaling: float) -> torch.Tensor:
    """Attention by matrix products, with the shapes of `BlockwiseAttention`."""
    rows, heads, tokens, size = query.shape
    shared, columns = key.shape[1:3]
    scores = scaled_products(query.reshape(rows * shared, -1, size), key.flatten(0, 1), scaling)
    by_head = scores.view(rows, heads, tokens, columns)
    if mask.dtype == torch.bool:
        by_head.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    else:
        by_head += mask
    sums = F.softmax(scores, dim=-1).to(value.dtype) @ value.flatten(0, 1)
    return sums.view(rows, heads, tokens, -1).transpose(1, 2)
