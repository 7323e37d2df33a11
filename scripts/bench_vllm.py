"""Measures lm-eval's `vllm` and `vllm-shared-prefix` for `bench_backend.py`; needs vLLM."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

BACKENDS = ("vllm", "vllm-shared-prefix")


def measure_vllm(
    backend: str, folder: Path, requests: list[list[tuple[str, str]]], options: argparse.Namespace, batch_size: int
) -> dict[str, Any]:
    """The answers to the requests of all rows, seconds, and the tokens that the engine computed, beside the least possible.

    The engine is warmed up with a few requests of the same kind, for it compiles kernels when it first needs them. On a CPU it
    runs in this process: in processes of its own, those that wait for it take time from its threads.
    """
    os.environ |= {"VLLM_LOGGING_LEVEL": "ERROR", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": str(options.threads)}
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")
    on_gpu = options.device.startswith("cuda")
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", str(int(on_gpu)))
    from lm_eval.api.instance import Instance
    from lm_eval.models.vllm_causallms import VLLM

    from lm_eval_sea.models.vllm_shared_prefix import CPU_BLOCK_SIZE, VLLMSharedPrefixLM, computed_tokens
    from lm_eval_sea.models.work import Work

    model_class = {"vllm": VLLM, "vllm-shared-prefix": VLLMSharedPrefixLM}[backend]
    blocks = {} if on_gpu else {"block_size": CPU_BLOCK_SIZE}
    lm = model_class(str(folder), dtype=options.dtype, enforce_eager=True, batch_size=batch_size or "auto", **blocks)
    instances = [Instance("loglikelihood", {}, args, 0) for row in requests for args in row]
    rows = requests[:: max(len(requests) // 3, 1)]
    lm.loglikelihood([Instance("loglikelihood", {}, args, 0) for row in rows for args in row], disable_tqdm=True)
    lm.model.reset_prefix_cache()
    lm.work = Work()  # `vllm` leaves it empty
    lm._verified = False  # the check is part of what is measured
    computed: list[int] = []
    generate = lm._model_generate

    def counted(*args: Any, **kwargs: Any) -> list[Any]:
        outputs: list[Any] = generate(*args, **kwargs)
        computed.extend(map(computed_tokens, outputs))
        return outputs

    lm._model_generate = counted
    begin = time.perf_counter()
    answers = lm.loglikelihood(instances, disable_tqdm=True)
    seconds = time.perf_counter() - begin
    lm.model.llm_engine.engine_core.shutdown()  # this process could not end before the engine's
    return {
        "answers": answers,
        "seconds": seconds,
        "batch_size": lm.batch_size,
        "tokens": sum(computed),
        "requests": len(computed),
        "work": {"distinct": lm.work.distinct, "forwarded": lm.work.forwarded, "verification": lm.work.verification},
    }
