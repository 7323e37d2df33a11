"""What `bench_backend.py` measures of generation: the prompts of a task through lm-eval's `hf` and the pack's own backend."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from bench_meters import load, measured

Requests = list[tuple[str, dict[str, Any]]]


def measure_texts(
    backend: str, folder: Path, rows: list[Requests], options: argparse.Namespace, batch_size: int
) -> dict[str, Any] | None:
    """One run; None if it does not fit memory. The seconds are those of the processor, or, with a GPU, of the clock."""
    from lm_eval.api.instance import Instance

    lm = load(backend, folder, options, batch_size)
    asked = [args for row in rows for args in row]
    warm_up = Instance("generate_until", {}, ("a", asked[0][1] | {"max_gen_toks": 2}), 0)
    lm.generate_until([warm_up], disable_tqdm=True)
    if backend != "hf":
        lm._greedy._verified.update({False: 0, True: 0})  # the check is part of what is measured
    requests = [Instance("generate_until", {}, args, number, metadata=("task", number, 1)) for number, args in enumerate(asked)]
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    found = measured(lm, lambda: lm.generate_until(requests, disable_tqdm=True), clock)
    if found is None or backend == "hf":
        return found and found | {"answers": list(map(str, found["answers"]))}
    if lm._greedy is None:
        raise RuntimeError("the texts were generated as by hf")
    kept = sum(answer.answer_tokens + answer.thought_tokens for answer in found["answers"])
    return found | {"answers": list(map(str, found["answers"])), "kept": kept}


def compare_texts(plain: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """How many texts are the same."""
    return {"equal_texts": sum(one == other for one, other in zip(plain["answers"], shared["answers"], strict=True))}
