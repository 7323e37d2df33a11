"""What `bench_backend.py` reads beside the clock: tokens, operations and memory."""

from __future__ import annotations

from pathlib import Path

import torch


class FlopCounter:
    """Counts what passes through a model.

    Attributes:
        tokens: tokens that went through the layers, padding included.
        flops: two for each weight and token, of the layers, and of the head where it is computed. The products of attention
            itself are left out.
    """

    def __init__(self, model: torch.nn.Module) -> None:
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
