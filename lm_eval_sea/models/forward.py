"""The forward pass over rows that stand behind a common prefix and branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from transformers import DynamicCache, PreTrainedModel

from .layout import Layout, Predictions

# Logits turned into log-probabilities at a time: a copy of all of them would double the peak of memory.
SOFTMAX_ROWS = 256


@dataclass(frozen=True, slots=True)
class Prefix:
    """Keys and values of tokens computed before.

    Attributes:
        length: number of tokens.
        layers: for each layer the keys and values, [1, heads, length, size of a head].
    """

    length: int = 0
    layers: dict[int, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)


class PrefixCache(DynamicCache):
    """Shows each row of a batch the keys and values of one prefix.

    The keys and values of the rows themselves are gone once a layer is done, unless `kept` is asked for: no token follows
    from theirs.
    """

    def __init__(self, prefix: Prefix, *, keep: bool) -> None:
        """Begins behind a prefix.

        Args:
            prefix: what the rows stand behind.
            keep: whether to gather the keys and values of prefix and rows in `kept`.
        """
        super().__init__()
        self.kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._prefix = prefix
        self._keep = keep

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any):
        """The keys and values that a layer attends to."""
        if self._prefix.length:
            keys, values = self._prefix.layers[layer_idx]
            rows = key_states.shape[0]
            key_states = torch.cat([keys.expand(rows, -1, -1, -1), key_states], dim=-2)
            value_states = torch.cat([values.expand(rows, -1, -1, -1), value_states], dim=-2)
        if self._keep:
            self.kept[layer_idx] = key_states, value_states
        return key_states, value_states

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Number of tokens before the rows."""
        return self._prefix.length


def attention_mask(ends: torch.Tensor, positions: torch.Tensor, prefix: int, window: int | None) -> torch.Tensor:
    """Which keys each token attends to: the prefix, itself and the tokens it follows from.

    Args:
        ends: for each token of a row, the slot behind the last token that follows from it; [rows, width].
        positions: positions in the text; [rows, width].
        prefix: number of tokens before the rows.
        window: the number of positions a token looks back on, itself included, where the model has such a limit.

    Returns:
        True where attended; [rows, 1, width, prefix + width].
    """
    rows, width = ends.shape
    slots = torch.arange(width, device=ends.device)
    mask = torch.ones(rows, width, prefix + width, dtype=torch.bool, device=ends.device)
    mask[:, :, prefix:] = (slots[None, None, :] <= slots[None, :, None]) & (slots[None, :, None] < ends[:, None, :])
    if window is not None:
        keys = torch.cat([torch.arange(prefix, device=ends.device).expand(rows, -1), positions], dim=1)
        mask &= positions[:, :, None] - keys[:, None, :] < window
    return mask[:, None]


@dataclass(frozen=True, slots=True)
class Scores:
    """Log-probabilities of the targets of `Predictions`, and whether each target is the most probable token.

    Attributes:
        logprobs: natural logarithms, as float32.
        greedy: whether the target is the most probable token.
        dtype: the type the logarithms were computed in.
    """

    logprobs: np.ndarray
    greedy: np.ndarray
    dtype: torch.dtype


class BranchingModel:
    """Runs a causal language model over branching rows."""

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        device: torch.device,
        autocast_dtype: torch.dtype | None = None,
        softmax_dtype: torch.dtype | None = None,
    ) -> None:
        """Wraps a model.

        Args:
            model: the model.
            device: where its inputs go.
            autocast_dtype: type of mixed precision, if any.
            softmax_dtype: type of the log-probabilities; None for that of the logits.
        """
        self._model = model
        self._device = device
        self._autocast_dtype = autocast_dtype
        self._softmax_dtype = softmax_dtype
        config = model.config.get_text_config()
        self._additive = config._attn_implementation == "eager"  # other implementations take masks of truth values
        self._window = getattr(config, "sliding_window", None)
        self._layer_types = set(getattr(config, "layer_types", None) or ())

    def run(
        self, layouts: Sequence[Layout], predictions: Sequence[Predictions], prefix: Prefix, *, keep: bool = False
    ) -> tuple[list[Scores], Prefix]:
        """Computes rows.

        Args:
            layouts: the rows.
            predictions: what is read off each.
            prefix: what they stand behind.
            keep: whether to return the keys and values, for a single row without branches.

        Returns:
            The scores of each row, and the prefix that a kept row makes.

        Raises:
            RuntimeError: if the model did not hand over its keys and values.
        """
        width = max(len(layout.tokens) for layout in layouts)
        ids = self._tensor([layout.tokens + [0] * (width - len(layout.tokens)) for layout in layouts])
        keywords: dict[str, Any] = {"use_cache": False}
        if prefix.length or keep or not all(layout.is_chain for layout in layouts):
            keywords = self._branching_arguments(layouts, width, prefix)
        cache = None
        if prefix.length or keep:
            cache = PrefixCache(prefix, keep=keep)
            keywords |= {"past_key_values": cache, "use_cache": True}
        rows = np.repeat(np.arange(len(layouts)), [len(prediction.slots) for prediction in predictions])
        slots = np.concatenate([prediction.slots for prediction in predictions])
        logits = self._logits(ids, rows, slots, keywords)
        if keep and not cache.kept:
            raise RuntimeError("it does not use the key-value cache it is given")
        return self._score(logits, predictions), Prefix(prefix.length + width, cache.kept if keep else {})

    def _tensor(self, values: Any) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.long, device=self._device)

    def _branching_arguments(self, layouts: Sequence[Layout], width: int, prefix: Prefix) -> dict[str, Any]:
        # Padding attends to itself and nothing attends to it; without any key its attention would not be a number.
        ends = self._tensor([layout.ends + list(range(len(layout.ends) + 1, width + 1)) for layout in layouts])
        positions = self._tensor([layout.positions + [0] * (width - len(layout.positions)) for layout in layouts])
        kinds = ["full_attention", "sliding_attention"] if "sliding_attention" in self._layer_types else [None]
        masks = {}
        for kind in kinds:
            window = self._window if kind == "sliding_attention" or not self._layer_types else None
            masks[kind] = self._as_model_takes_it(attention_mask(ends, positions, prefix.length, window))
        return {"attention_mask": masks.get(None, masks), "position_ids": positions}

    def _as_model_takes_it(self, mask: torch.Tensor) -> torch.Tensor:
        if not self._additive:
            return mask
        dtype = self._autocast_dtype or self._model.dtype
        return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, torch.finfo(dtype).min)

    def _logits(self, ids: torch.Tensor, rows: np.ndarray, slots: np.ndarray, keywords: dict[str, Any]) -> torch.Tensor:
        """Logits at the given slots, [slots, vocabulary]; the head sees nothing else."""
        # A head of no tokens at all is more than some kernels can do.
        at = (rows, slots) if len(rows) else (np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))

        def select(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            hidden = inputs[0]
            index = [torch.from_numpy(axis).to(hidden.device) for axis in at]
            return hidden[index[0], index[1]][None], *inputs[1:]

        hook = self._model.get_output_embeddings().register_forward_pre_hook(select)
        try:
            with (
                torch.inference_mode(),
                torch.autocast(self._device.type, dtype=self._autocast_dtype, enabled=self._autocast_dtype is not None),
            ):
                logits = self._model(input_ids=ids, **keywords).logits
        finally:
            hook.remove()
        if logits.shape[:2] != (1, len(at[0])):
            raise RuntimeError(f"its logits have shape {tuple(logits.shape)} where {len(at[0])} positions were asked for")
        return logits[0, : len(rows)]

    def _score(self, logits: torch.Tensor, predictions: Sequence[Predictions]) -> list[Scores]:
        offsets = np.cumsum([0, *(len(prediction.slots) for prediction in predictions)])
        of = np.concatenate([prediction.of + offset for prediction, offset in zip(predictions, offsets[:-1], strict=True)])
        targets = torch.from_numpy(np.concatenate([prediction.targets for prediction in predictions])).to(logits.device)
        logprobs, greedy = [], []
        dtype = self._softmax_dtype or logits.dtype
        for begin in range(0, len(logits), SOFTMAX_ROWS):
            chunk = F.log_softmax(logits[begin : begin + SOFTMAX_ROWS], dim=-1, dtype=self._softmax_dtype)
            low, high = np.searchsorted(of, [begin, begin + SOFTMAX_ROWS])
            index = torch.from_numpy(of[low:high] - begin).to(logits.device)
            logprobs.append(chunk[index, targets[low:high]])
            greedy.append(chunk.argmax(dim=-1)[index] == targets[low:high])
        if not logprobs:
            return [Scores(np.zeros(0, np.float32), np.zeros(0, bool), dtype) for _ in predictions]
        all_logprobs, all_greedy = torch.cat(logprobs).float().cpu().numpy(), torch.cat(greedy).cpu().numpy()
        cuts = np.cumsum([len(prediction.of) for prediction in predictions])[:-1]
        parts = zip(np.split(all_logprobs, cuts), np.split(all_greedy, cuts), predictions, strict=True)
        return [Scores(logprob[part.order], flags[part.order], dtype) for logprob, flags, part in parts]
