"""The forward pass over rows of tokens behind a common prefix, and the scores read off it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from transformers import PreTrainedModel

from .layout import Batch
from .predictions import Predictions

# Logits turned into log-probabilities at a time: a copy of all of them would double the peak of memory.
SOFTMAX_ROWS = 256

# Where there are logits of every token, fewer at a time keep to the memory of a plain forward pass.
PLAIN_SOFTMAX_ROWS = 16

# What a forward pass takes longer than its tokens do, in tokens: on a CPU the weights have to be read; an accelerator could
# compute this many while the pass is launched.
PASS_TOKENS = {"cpu": 32}
ACCELERATOR_PASS_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Prefix:
    """Tokens that were computed before.

    Attributes:
        length: number of tokens.
        kept: what the model keeps of them; None of no tokens.
    """

    length: int = 0
    kept: Any = None


@dataclass(frozen=True, slots=True)
class Scores:
    """Log-probabilities of the targets of `Predictions`, and whether each target is the most probable token.

    Attributes:
        logprobs: natural logarithms, in a type of numpy that holds them exactly.
        greedy: whether the target is the most probable token.
        dtype: the type the logarithms were computed in.
        watched: those of every word, [predictions, vocabulary], where `Predictions.watched` asks for them.
    """

    logprobs: np.ndarray
    greedy: np.ndarray
    dtype: torch.dtype
    watched: dict[int, torch.Tensor] = field(default_factory=dict)


class PrefixModel(ABC):
    """Runs a causal language model over rows that stand behind a common prefix.

    Attributes:
        branches: whether the tokens of a row may branch.
        least_width: the fewest tokens of a row that is not kept.
        prefix_memory: what a token of the prefix takes in memory for each row behind it, beside a token of the row.
        pass_tokens: what a forward pass costs, in tokens, besides its own.
    """

    branches: bool
    least_width: int
    prefix_memory: float

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

    @abstractmethod
    def run(self, batch: Batch, predictions: Predictions, prefix: Prefix, *, keep: bool) -> tuple[Scores, Prefix]:
        """Computes rows.

        Args:
            batch: the rows.
            predictions: what is read off them.
            prefix: what they stand behind.
            keep: whether the row, a single one without branches, becomes part of a prefix.

        Returns:
            The scores, and the prefix that a kept row makes of the one before.

        Raises:
            RuntimeError: if the model does not work as its kind of model should.
        """

    def _logits(self, tokens: np.ndarray, predictions: Predictions, keywords: dict[str, Any]) -> torch.Tensor:
        """Logits at the needed slots of a batch, [slots, vocabulary]; the head sees nothing else."""

        def select(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            hidden = inputs[0]
            slots = torch.from_numpy(predictions.slots).to(hidden.device)
            return hidden.flatten(0, 1)[slots][None], *inputs[1:]

        hook = self._model.get_output_embeddings().register_forward_pre_hook(select)
        try:
            logits = self._forward(tokens, keywords)
        finally:
            hook.remove()
        expected = (1, len(predictions.slots))
        if logits.shape[:2] != expected:
            raise RuntimeError(f"its logits have shape {tuple(logits.shape[:2])} where {expected} was asked for")
        return logits[0]

    def _forward(self, tokens: np.ndarray, keywords: dict[str, Any]) -> torch.Tensor:
        with (
            torch.inference_mode(),
            without_cudnn(),
            torch.autocast(self._device.type, dtype=self._autocast_dtype, enabled=self._autocast_dtype is not None),
        ):
            logits: torch.Tensor = self._model(input_ids=torch.from_numpy(tokens).to(self._device), **keywords).logits
        return logits

    def _score(self, logits: torch.Tensor, predictions: Predictions, slots: np.ndarray | None = None) -> Scores:
        """The scores of predictions.

        Args:
            logits: a row for each slot of the predictions, or for each of the batch.
            predictions: what is to be scored.
            slots: where in `logits` the slots of the predictions stand, if not in order.
        """
        order = np.argsort(predictions.of, kind="stable")
        of = predictions.of[order]
        targets = torch.from_numpy(predictions.targets[order]).to(logits.device)
        logprobs, greedy = [], []
        size = SOFTMAX_ROWS if slots is None else PLAIN_SOFTMAX_ROWS
        for begin in range(0, len(predictions.slots), size):
            here = slice(begin, begin + size)
            part = logits[here] if slots is None else logits[torch.from_numpy(slots[here]).to(logits.device)]
            chunk = F.log_softmax(part, dim=-1, dtype=self._softmax_dtype)
            low, high = np.searchsorted(of, [begin, begin + size])
            rows = torch.from_numpy(of[low:high] - begin).to(logits.device)
            logprobs.append(chunk[rows, targets[low:high]])
            greedy.append(_is_first_maximum(chunk, rows, targets[low:high]))
        back = np.argsort(order)
        dtype = logprobs[0].dtype
        all_logprobs = torch.cat(logprobs).to(torch.promote_types(dtype, torch.float32)).cpu().numpy()
        watched = {
            number: of_all_words(logits[torch.from_numpy(wanted if slots is None else slots[wanted]).to(logits.device)])
            for number, wanted in predictions.watched.items()
        }
        return Scores(all_logprobs[back], torch.cat(greedy).cpu().numpy()[back], dtype, watched)


@contextmanager
def without_cudnn() -> Iterator[None]:
    """Has attention computed by other kernels than cuDNN's, which make a plan for each new shape: here all passes have one."""
    before = torch.backends.cuda.cudnn_sdp_enabled()  # type: ignore[no-untyped-call]
    torch.backends.cuda.enable_cudnn_sdp(False)
    try:
        yield
    finally:
        torch.backends.cuda.enable_cudnn_sdp(before)


def of_all_words(logits: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of every word, in 32 bits and in main memory, to be compared."""
    return F.log_softmax(logits.float(), dim=-1).cpu()


def _is_first_maximum(values: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Whether `values[row, column]` is what `argmax` finds in its row.

    `argmax` takes several times as long as the maximum alone, so that it only decides between equal values.
    """
    found = values[rows, columns] == values.amax(dim=-1)[rows]
    candidates = found.nonzero()[:, 0]
    found[candidates] = values[rows[candidates]].argmax(dim=-1) == columns[candidates]
    return found
