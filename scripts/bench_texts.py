"""What `bench_backend.py` measures of generation: the prompts of a task through lm-eval's `hf` and the pack's own backend."""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path
from typing import Any

import torch
from accelerate.utils.memory import should_reduce_batch_size
from bench_meters import FlopCounter, Memory

Requests = list[tuple[str, dict[str, Any]]]


def measure_texts(
    backend: str, folder: Path, rows: list[Requests], options: argparse.Namespace, batch_size: int
) -> dict[str, Any] | None:
    """One run; None if it does not fit memory. The seconds are those of the processor, or, with a GPU, of the clock."""
    logging.disable(logging.WARNING)
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from lm_eval_sea.models import SharedPrefixLM

    torch.set_num_threads(options.threads)
    model_class: Any = {"hf": HFLM, "hf-shared-prefix": SharedPrefixLM}[backend]
    lm = model_class(str(folder), device=options.device, dtype=options.dtype, batch_size=batch_size)
    asked = [args for row in rows for args in row]
    warm_up = Instance("generate_until", {}, ("a", asked[0][1] | {"max_gen_toks": 2}), 0)
    lm.generate_until([warm_up], disable_tqdm=True)
    if backend != "hf":
        lm._greedy._verified.update({False: 0, True: 0})  # the check is part of what is measured
    counter, memory = FlopCounter(lm.model), Memory(options.device)
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    begin = clock()
    try:
        answers = lm.generate_until(
            [Instance("generate_until", {}, args, number, metadata=("task", number, 1)) for number, args in enumerate(asked)],
            disable_tqdm=True,
        )
    except RuntimeError as error:
        if should_reduce_batch_size(error):
            return None
        raise
    seconds = clock() - begin
    if backend != "hf" and lm._greedy is None:
        raise RuntimeError("the texts were generated as by hf")
    tokens = {} if backend == "hf" else {"kept": sum(answer.answer_tokens + answer.thought_tokens for answer in answers)}
    return {
        "answers": [str(answer) for answer in answers],
        "seconds": seconds,
        "batch_size": batch_size,
        "bytes": memory.peak(),
        "tokens": counter.tokens,
    } | tokens


def compare_texts(plain: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """How many texts are the same."""
    return {"equal_texts": sum(one == other for one, other in zip(plain["answers"], shared["answers"], strict=True))}
