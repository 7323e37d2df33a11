"""The forward pass over rows of tokens after a common prefix, and the scores read off it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from transformers import DynamicCache, PreTrainedModel

from .attention import plain_attention
from .layout import Batch
from .obstacles import cache_keyword
from .predictions import Predictions, Reading

# Rows of logits turned into log-probabilities at a time. A copy of all rows would double peak memory, in new pages each time.
# With fewer rows, an accelerator would wait for launches.
SOFTMAX_ROWS = {"cpu": 32}
ACCELERATOR_SOFTMAX_ROWS = 1024

# The same if every token has logits: fewer rows keep memory at that of a plain forward pass.
PLAIN_SOFTMAX_ROWS = 16

# The fixed cost of a forward pass on a CPU, in tokens: the weights have to be read.
PASS_TOKENS = {"cpu": 32}
# Seconds that the host takes to launch a layer, and an accelerator's operations per second: estimates for an H100.
LAUNCH, OPERATIONS = 7e-4, 4e14
LEAST_PASS_TOKENS, MOST_PASS_TOKENS = 256, 16384


@dataclass(frozen=True, slots=True)
class Prefix:
    """Tokens that are already computed."""

    length: int = 0  # number of tokens
    kept: Any = None  # what the model keeps of them; None for no tokens


@dataclass(eq=False)
class Scores:
    """Log-probabilities of the targets of `Predictions`, and whether each target is the most probable token.

    They are fetched from the device when they are first read, so that the host can prepare the next pass meanwhile.
    """

    found: torch.Tensor  # natural logarithms, and 1 for the most probable token and 0 for others, in a type of numpy; [2, scores]
    back: np.ndarray  # the order in which the scores are read
    dtype: torch.dtype  # that the logarithms were computed in
    watched: dict[int, torch.Tensor]  # log-probabilities, [predictions, vocabulary], as `Predictions.watched` asks

    @cached_property
    def _read(self) -> np.ndarray:
        return np.asarray(self.found.cpu().numpy()[:, self.back])

    def of(self, reading: Reading) -> np.ndarray:
        """What was found of the tokens of a continuation, [2, tokens]."""
        return np.concatenate([self._read[:, reading.start : reading.end], self._read[:, [reading.last]]], axis=1)


@dataclass(frozen=True, slots=True)
class Indices:
    """The arrays of `Predictions` on the device of the logits; scores are in ascending order of their slots."""

    order: np.ndarray  # the numbers that the scores have in `Predictions`
    slots: torch.Tensor
    of: torch.Tensor
    targets: torch.Tensor


def upload(device: torch.device, *arrays: np.ndarray) -> list[torch.Tensor]:
    """Arrays of integers on a device, in one copy, for which the host does not wait."""
    flat = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]))
    if device.type == "cuda":
        flat = flat.pin_memory()
    parts = torch.split(flat.to(device, non_blocking=True), [array.size for array in arrays])
    return [part.view(array.shape) for part, array in zip(parts, arrays, strict=True)]


def upload_indices(predictions: Predictions, device: torch.device) -> Indices:
    """The `Indices` of predictions, on a device."""
    order = np.argsort(predictions.of, kind="stable")
    return Indices(order, *upload(device, predictions.slots, predictions.of[order], predictions.targets[order]))


def launched_tokens(layers: int, parameters: int) -> int:
    """How many tokens an accelerator could compute while the host launches a pass: two operations per token and parameter."""
    return round(min(max(layers * LAUNCH * OPERATIONS / (2 * parameters), LEAST_PASS_TOKENS), MOST_PASS_TOKENS))


class PrefixModel(ABC):
    """Runs a causal language model over rows that follow a common prefix."""

    branches: bool  # whether the tokens of a row may branch
    least_width: int  # the fewest tokens of a row that is not kept
    prefix_memory: float  # memory of a prefix token for each row after it, relative to a token of the row
    pass_tokens: int  # the fixed cost of a forward pass, in tokens

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        device: torch.device,
        autocast_dtype: torch.dtype | None,
        softmax_dtype: torch.dtype | None,
    ) -> None:
        """Wraps a model, whose inputs go to `device`; without a `softmax_dtype` log-probabilities have the type of the logits."""
        self.pass_tokens = PASS_TOKENS.get(device.type) or launched_tokens(
            model.config.get_text_config().num_hidden_layers, sum(parameter.numel() for parameter in model.parameters())
        )
        self._softmax_rows = SOFTMAX_ROWS.get(device.type, ACCELERATOR_SOFTMAX_ROWS)
        self._is_greedy = _is_first_maximum if device.type == "cpu" else _is_maximum
        self._model = model
        self._cache_keyword = cache_keyword(model)
        self.device = device
        self._autocast_dtype = autocast_dtype
        self._softmax_dtype = softmax_dtype

    @abstractmethod
    def run(self, batch: Batch, predictions: Predictions, prefix: Prefix, *, keep: bool) -> tuple[Scores, Prefix]:
        """Computes rows after a prefix; returns the scores, and the prefix, with `keep` extended by the row.

        Only a single row without branches can be kept. Raises `RuntimeError` if a model does not work as its kind should.
        """

    def _with_cache(self, cache: DynamicCache) -> dict[str, Any]:
        """The keywords that make the model use a cache."""
        return {self._cache_keyword: cache, "use_cache": True}

    def _logits(self, tokens: torch.Tensor, predictions: Predictions, keywords: dict[str, Any]) -> tuple[torch.Tensor, Indices]:
        """Logits at the needed slots of a batch, [slots, vocabulary], and their indices; the head computes no other slots."""
        uploaded: list[Indices] = []

        def select(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            hidden = inputs[0]
            uploaded.append(upload_indices(predictions, hidden.device))
            return hidden.flatten(0, 1)[uploaded[-1].slots][None], *inputs[1:]

        with self._model.get_output_embeddings().register_forward_pre_hook(select):
            logits = self._forward(tokens, keywords)
        expected = (1, len(predictions.slots))
        if logits.shape[:2] != expected:
            raise RuntimeError(f"its logits have shape {tuple(logits.shape[:2])} instead of {expected}")
        return logits[0], uploaded[-1]

    def _forward(self, tokens: torch.Tensor, keywords: dict[str, Any]) -> torch.Tensor:
        with (
            torch.inference_mode(),
            plain_attention(),
            torch.autocast(self.device.type, dtype=self._autocast_dtype, enabled=self._autocast_dtype is not None),
        ):
            logits: torch.Tensor = self._model(input_ids=tokens, **keywords).logits
        return logits

    def _score(self, logits: torch.Tensor, predictions: Predictions, indices: Indices, *, all_slots: bool = False) -> Scores:
        """The scores of predictions, from the logits at their slots or, with `all_slots`, at every slot of the batch."""
        of = predictions.of[indices.order]
        logprobs, greedy = [], []
        size = PLAIN_SOFTMAX_ROWS if all_slots else self._softmax_rows
        for begin in range(0, len(predictions.slots), size):
            here = slice(begin, begin + size)
            chunk = F.log_softmax(logits[indices.slots[here]] if all_slots else logits[here], dim=-1, dtype=self._softmax_dtype)
            scored = slice(*np.searchsorted(of, [begin, begin + size]))
            rows, targets = indices.of[scored] - begin, indices.targets[scored]
            logprobs.append(chunk[rows, targets])
            greedy.append(self._is_greedy(chunk, rows, targets))
        dtype = logprobs[0].dtype
        found = torch.cat(logprobs).to(torch.promote_types(dtype, torch.float32))
        watched = {
            number: of_all_words(logits[indices.slots[wanted] if all_slots else wanted])
            for number, places in predictions.watched.items()
            for wanted in upload(logits.device, places)
        }
        return Scores(torch.stack([found, torch.cat(greedy).to(found.dtype)]), np.argsort(indices.order), dtype, watched)


def of_all_words(logits: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of the whole vocabulary, in 32 bits and in main memory, to be compared."""
    return F.log_softmax(logits.float(), dim=-1).cpu()


def _is_first_maximum(values: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """The same as `_is_maximum`, for a CPU.

    There, finding the place of the maximum takes several times as long as the maximum alone, so it is done only for targets with
    the maximal value. In 16 bits `argmax` takes several times as long as `max`. On an accelerator the host would have to wait.
    """
    found = values[rows, columns] == values.amax(dim=-1)[rows]
    for place in found.nonzero()[:, 0].tolist():
        found[place] = values[rows[place]].max(dim=-1).indices == columns[place]
    return found


def _is_maximum(values: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Whether `values[row, column]` is what `argmax` finds in its row."""
    return values.argmax(dim=-1)[rows] == columns
