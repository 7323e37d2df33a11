"""The forward pass after copies of a cache, for models that keep a state or do not accept our masks.

Each row is one sequence in the order of its tokens, padded on the right, where no token sees the padding. The model makes its own
masks, and its own cache holds whatever it needs of the prefix: keys and values, windows of them, states.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from transformers import DynamicCache, PreTrainedModel

from .forward import Prefix, PrefixModel, Scores, upload
from .layout import Batch
from .obstacles import forward_parameters
from .predictions import Predictions


class CopyingModel(PrefixModel):
    """A model that gives each row a copy of the cache of the prefix."""

    branches = False
    least_width = 2  # a single token counts as generation, whose kernels are not all as exact
    prefix_memory = 1  # each row has a copy of all layers at the same time

    def __init__(self, model: PreTrainedModel, **options: Any) -> None:
        super().__init__(model, **options)
        self._takes_positions = "position_ids" in forward_parameters(model)

    def run(self, batch: Batch, predictions: Predictions, prefix: Prefix, *, keep: bool) -> tuple[Scores, Prefix]:
        """Computes rows, as `PrefixModel.run` says; none of them may branch."""
        (tokens,) = upload(self.device, batch.tokens)
        if not prefix.length and not keep:
            logits, indices = self._logits(tokens, predictions, {"use_cache": False})
            return self._score(logits, predictions, indices), prefix
        rows, width = batch.tokens.shape
        cache = self._copy(prefix, rows)
        keywords = self._with_cache(cache)
        if self._takes_positions:
            positions = torch.arange(prefix.length, prefix.length + width, device=self.device)
            keywords["position_ids"] = positions.expand(rows, -1)
        logits, indices = self._logits(tokens, predictions, keywords)
        scores = self._score(logits, predictions, indices)
        if not keep:
            return scores, prefix
        if not any(map(_holds_something, cache.layers)):
            raise RuntimeError("it does not use the cache it is given")
        return scores, Prefix(prefix.length + width, cache)

    def _copy(self, prefix: Prefix, rows: int) -> DynamicCache:
        """A cache for each row that holds the prefix; the model writes into it."""
        if not prefix.length:
            return DynamicCache(config=self._model.config.get_text_config())
        with torch.inference_mode():
            cache: DynamicCache = copy.deepcopy(prefix.kept)
            if rows > 1:
                # `LongTensor`, which transformers asks for, is a type of the CPU
                same: Any = torch.zeros(rows, dtype=torch.long, device=self.device)
                cache.reorder_cache(same)
        return cache


def _holds_something(layer: Any) -> bool:
    """Whether a layer of a cache has been written to."""
    return getattr(layer, "is_initialized", False) or any(getattr(layer, "has_previous_state", {}).values())
