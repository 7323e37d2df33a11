"""The forward pass over rows that stand behind a common prefix and branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from transformers import DynamicCache, PreTrainedModel

from .layout import Batch
from .predictions import Predictions

# Logits turned into log-probabilities at a time: a copy of all of them would double the peak of memory.
SOFTMAX_ROWS = 256

# What a forward pass takes longer than its tokens do, in tokens: on a CPU the weights have to be read; an accelerator could
# compute this many while the pass is launched.
PASS_TOKENS = {"cpu": 32}
ACCELERATOR_PASS_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Prefix:
    """Keys and values of tokens computed before.

    Attributes:
        length: number of tokens.
        parts: the tokens in runs as they were computed: for each layer the keys and values, [1, heads, tokens, size of a
            head]. A prefix that continues another shares its parts.
    """

    length: int = 0
    parts: tuple[dict[int, tuple[torch.Tensor, torch.Tensor]], ...] = ()


class PrefixCache(DynamicCache):
    """Shows each row of a batch the keys and values of one prefix.

    The keys and values of the rows themselves are gone once a layer is done, unless `kept` is asked for: no token follows
    from theirs.
    """

    def __init__(self, prefix: Prefix, *, keep: bool) -> None:
        """Begins behind a prefix.

        Args:
            prefix: what the rows stand behind.
            keep: whether to gather the keys and values of the rows in `kept`.
        """
        super().__init__()
        self.kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._prefix = prefix
        self._keep = keep

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *_: Any, **__: Any):
        """The keys and values that a layer attends to."""
        if self._keep:  # a view would keep what it is a view of, queries included
            self.kept[layer_idx] = key_states.contiguous(), value_states.contiguous()
        if not self._prefix.length:
            return key_states, value_states
        rows = key_states.shape[0]
        before = [part[layer_idx] for part in self._prefix.parts]
        keys = torch.cat([*(keys.expand(rows, -1, -1, -1) for keys, _ in before), key_states], dim=-2)
        values = torch.cat([*(values.expand(rows, -1, -1, -1) for _, values in before), value_states], dim=-2)
        return keys, values

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
        logprobs: natural logarithms, in a type of numpy that holds them exactly.
        greedy: whether the target is the most probable token.
        dtype: the type the logarithms were computed in.
    """

    logprobs: np.ndarray
    greedy: np.ndarray
    dtype: torch.dtype


class BranchingModel:
    """Runs a causal language model over branching rows.

    Attributes:
        pass_tokens: what a forward pass costs, in tokens, besides its own.
    """

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
        self.pass_tokens = PASS_TOKENS.get(device.type, ACCELERATOR_PASS_TOKENS)
        self._model = model
        self._device = device
        self._autocast_dtype = autocast_dtype
        self._softmax_dtype = softmax_dtype
        config = model.config.get_text_config()
        self._additive = config._attn_implementation == "eager"  # other implementations take masks of truth values
        self._window = getattr(config, "sliding_window", None) if getattr(config, "use_sliding_window", True) else None
        self._layer_types = set(getattr(config, "layer_types", None) or ())

    def run(self, batch: Batch, predictions: Predictions, prefix: Prefix, *, keep: bool) -> tuple[Scores, Prefix]:
        """Computes rows.

        Args:
            batch: the rows.
            predictions: what is read off them.
            prefix: what they stand behind.
            keep: whether to return the keys and values, for a single row without branches.

        Returns:
            The scores, and the prefix that a kept row makes of the one before.

        Raises:
            RuntimeError: if the model does not work as its kind of model should.
        """
        keywords: dict[str, Any] = {"use_cache": False}
        if prefix.length or keep or batch.branches:
            keywords |= self._branching_arguments(batch, prefix)
        cache = PrefixCache(prefix, keep=keep)
        if prefix.length or keep:
            keywords |= {"past_key_values": cache, "use_cache": True}
        logits = self._logits(batch, predictions, keywords)
        if keep and not cache.kept:
            raise RuntimeError("it does not use the key-value cache it is given")
        longer = Prefix(prefix.length + batch.tokens.shape[1], (*prefix.parts, cache.kept)) if keep else prefix
        return self._score(logits, predictions), longer

    def _branching_arguments(self, batch: Batch, prefix: Prefix) -> dict[str, Any]:
        ends, positions = (torch.from_numpy(array).to(self._device) for array in (batch.ends, batch.positions))

        def mask(window: int | None) -> torch.Tensor:
            return self._as_model_takes_it(attention_mask(ends, positions, prefix.length, window))

        if "sliding_attention" in self._layer_types:
            masks = {"full_attention": mask(None), "sliding_attention": mask(self._window)}
        else:
            masks = mask(None if self._layer_types else self._window)
        return {"attention_mask": masks, "position_ids": positions}

    def _as_model_takes_it(self, mask: torch.Tensor) -> torch.Tensor:
        if not self._additive:
            return mask
        dtype = self._autocast_dtype or self._model.dtype
        return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, torch.finfo(dtype).min)

    def _logits(self, batch: Batch, predictions: Predictions, keywords: dict[str, Any]) -> torch.Tensor:
        """Logits at the needed slots, [slots, vocabulary]; the head sees nothing else."""

        def select(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            hidden = inputs[0]
            slots = torch.from_numpy(predictions.slots).to(hidden.device)
            return hidden.flatten(0, 1)[slots][None], *inputs[1:]

        hook = self._model.get_output_embeddings().register_forward_pre_hook(select)
        try:
            with (
                torch.inference_mode(),
                torch.autocast(self._device.type, dtype=self._autocast_dtype, enabled=self._autocast_dtype is not None),
            ):
                logits = self._model(input_ids=torch.from_numpy(batch.tokens).to(self._device), **keywords).logits
        finally:
            hook.remove()
        expected = (1, len(predictions.slots))
        if logits.shape[:2] != expected:
            raise RuntimeError(f"its logits have shape {tuple(logits.shape[:2])} where {expected} was asked for")
        return logits[0]

    def _score(self, logits: torch.Tensor, predictions: Predictions) -> Scores:
        order = np.argsort(predictions.of, kind="stable")
        of = predictions.of[order]
        targets = torch.from_numpy(predictions.targets[order]).to(logits.device)
        logprobs, greedy = [], []
        for begin in range(0, len(logits), SOFTMAX_ROWS):
            chunk = F.log_softmax(logits[begin : begin + SOFTMAX_ROWS], dim=-1, dtype=self._softmax_dtype)
            low, high = np.searchsorted(of, [begin, begin + SOFTMAX_ROWS])
            rows = torch.from_numpy(of[low:high] - begin).to(logits.device)
            logprobs.append(chunk[rows, targets[low:high]])
            greedy.append(_is_first_maximum(chunk, rows, targets[low:high]))
        back = np.argsort(order)
        dtype = logprobs[0].dtype
        all_logprobs = torch.cat(logprobs).to(torch.promote_types(dtype, torch.float32)).cpu().numpy()
        return Scores(all_logprobs[back], torch.cat(greedy).cpu().numpy()[back], dtype)


def _is_first_maximum(values: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Whether `values[row, column]` is what `argmax` finds in its row.

    `argmax` takes several times as long as the maximum alone, so that it only decides between equal values.
    """
    found = values[rows, columns] == values.amax(dim=-1)[rows]
    candidates = found.nonzero()[:, 0]
    found[candidates] = values[rows[candidates]].argmax(dim=-1) == columns[candidates]
    return found
