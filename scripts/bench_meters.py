"""How `bench_backend.py` loads a model of transformers, and what its work costs: seconds, tokens, operations and memory."""

from __future__ import annotations

import argparse
import ctypes
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from accelerate.utils.memory import should_reduce_batch_size


class FlopCounter:
    """Counts what passes through a model.

    `tokens` went through the layers, padding included. `flops` are two for each weight and token, of the layers, and of the head
    where it is computed; the products of attention itself are left out.
    """

    def __init__(self, model: Any) -> None:
        """Watches a model with a language-model head."""
        embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
        of_head = head.weight.numel()
        # `parameters` gives tied weights once
        of_layers = sum(weight.numel() for weight in model.parameters())
        of_layers -= sum(weight.numel() for weight in {embedding.weight, head.weight})
        self.tokens = 0
        self.flops = 0

        def pass_layers(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...], __: torch.Tensor) -> None:
            self.tokens += inputs[0].numel()
            self.flops += 2 * of_layers * inputs[0].numel()

        def pass_head(_: torch.nn.Module, __: tuple[torch.Tensor, ...], logits: torch.Tensor) -> None:
            self.flops += 2 * of_head * logits.shape[:-1].numel()

        embedding.register_forward_hook(pass_layers)
        head.register_forward_hook(pass_head)


class Memory:
    """The peak of memory from now on: of the GPU where the model is, or else of this process (Linux)."""

    def __init__(self, device: str) -> None:
        """Begins to watch."""
        self._cuda = device.startswith("cuda")
        if self._cuda:
            torch.cuda.reset_peak_memory_stats()
            self._before = torch.cuda.memory_allocated()
        else:
            ctypes.CDLL(None).malloc_trim(0)  # what earlier passes freed would be used again without a peak
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins at what is used now
            self._before = self._of_process("VmRSS")

    def peak(self) -> int:
        """Bytes above those in use at the beginning."""
        return (torch.cuda.max_memory_allocated() if self._cuda else self._of_process("VmHWM")) - self._before

    @staticmethod
    def _of_process(field: str) -> int:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        (line,) = (line for line in lines if line.startswith(f"{field}:"))
        return 1024 * int(line.split()[1])


def load(backend: str, folder: Path, options: argparse.Namespace, batch_size: int) -> Any:
    """The backend's model."""
    logging.disable(logging.WARNING)
    from lm_eval.models.huggingface import HFLM

    from lm_eval_sea.models import SharedPrefixLM

    torch.set_num_threads(options.threads)
    model_class = {"hf": HFLM, "hf-shared-prefix": SharedPrefixLM}[backend]
    return model_class(str(folder), device=options.device, dtype=options.dtype, batch_size=batch_size)


def measured(lm: Any, ask: Callable[[], Sequence[Any]], clock: Callable[[], float] = time.perf_counter) -> dict[str, Any] | None:
    """What the model answers, and what that costs; None if it does not fit memory."""
    counter, memory = FlopCounter(lm.model), Memory(str(lm.device))
    begin = clock()
    try:
        answers = ask()
    except RuntimeError as error:
        if should_reduce_batch_size(error):
            return None
        raise
    seconds = clock() - begin
    return {
        "answers": answers,
        "seconds": seconds,
        "batch_size": lm.batch_size,
        "bytes": memory.peak(),
        "tokens": counter.tokens,
        "flops": counter.flops,
    }
