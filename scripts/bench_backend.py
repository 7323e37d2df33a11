#!/usr/bin/env python3
"""Measures a shared-prefix backend against lm-eval's own on the same requests, and prints a Markdown table.

The model has random weights, so its answers mean nothing. Time, memory and agreement of rankings do not depend on that, but
generated texts go on to the token limit, unless `--model` names a trained model. Each backend runs in its own process.
A workload is a task of lm-eval or of this pack (start in a folder that holds its data, or with a network), or a generated
one, which needs no data:

    text-options     3 exemplars, a passage and a question, four options of some words, two questions a passage
    letter-options   the same with the options shown and letters to choose from
    three-labels     3 exemplars, two sentences, one of three labels
    nothing-shared   no exemplars, one continuation a row

Each backend is shown at the batch size at which it is fastest; sizes that do not fit into memory are left out.
vLLM makes its own batches (batch size 0).

Examples:
    python scripts/bench_backend.py
    python scripts/bench_backend.py --rows 100 sea_belebele_th_to_ppl sea_belebele_th_litilo_ppl
    python scripts/bench_backend.py --save results.jsonl --rows 200 sea_xcopa_id_tito_ppl
    python scripts/bench_backend.py --engine vllm --rows 50 --repeats 3 sea_xnli_th
    python scripts/bench_backend.py --shape qwen3.5-40m --rows 24 sea_belebele_th_to_ppl
    python scripts/bench_backend.py --shape 7b --dtype bfloat16 --device cuda --batch_size 8 16 32 64 --rows 1000 \\
        sea_belebele_th_to_ppl sea_xnli_th
    python scripts/bench_backend.py --texts --model FOLDER --threads 1 --batch_size 8 --rows 32 sea_flores_en_id sea_xquad_th
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import importlib.metadata
import json
import logging
import multiprocessing
import os
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch
from accelerate.utils.memory import should_reduce_batch_size
from backend_table import render
from bench_workloads import GENERATED, SHAPES, Texts, generate, make_model, rank, task_requests
from lm_eval.api.instance import Instance
from lm_eval.api.registry import get_model

from lm_eval_sea.models.work import Work

BACKENDS = {"transformers": ("hf", "hf-shared-prefix"), "vllm": ("vllm", "vllm-shared-prefix")}


def measure(backend: str, folder: Path, requests: list[Texts], options: argparse.Namespace) -> dict[str, Any]:
    """What was measured at a backend's fastest batch size; each size runs in a fresh process."""
    found = []
    function: Any = _measure_texts if options.texts else _measure_vllm if options.engine == "vllm" else _measure
    for batch_size in options.batch_size:
        # Not `multiprocessing.Pool`: its workers cannot start processes, such as vLLM's engine.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            found.append(pool.submit(function, backend, folder, requests, options, batch_size).result())
    fitting = [result for result in found if result]
    if not fitting:
        raise MemoryError(f"{backend} does not fit memory at any of the batch sizes {options.batch_size}; give smaller ones")
    return min(fitting, key=lambda result: result["seconds"])


class Memory:
    """The peak of memory from now on: of the GPU where the model is, or else of this process (Linux)."""

    def __init__(self, device: str) -> None:
        """Begins to watch."""
        self._cuda = device.startswith("cuda")
        if self._cuda:
            torch.cuda.reset_peak_memory_stats()
            self._before = torch.cuda.memory_allocated()
        else:
            ctypes.CDLL(None).malloc_trim(0)  # or memory that earlier passes freed would be reused without raising the peak
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


def _load(backend: str, folder: Path, options: argparse.Namespace, batch_size: int) -> Any:
    logging.disable(logging.WARNING)
    torch.set_num_threads(options.threads)
    return get_model(backend)(str(folder), device=options.device, dtype=options.dtype, batch_size=batch_size)


def _measured(lm: Any, ask: Callable[[], Sequence[Any]], clock: Callable[[], float] = time.perf_counter) -> dict[str, Any] | None:
    """What the model answers, and what that costs; None if it does not fit into memory."""
    tokens = 0  # that go through the layers, padding included

    def count(_: torch.nn.Module, inputs: tuple[torch.Tensor, ...], __: torch.Tensor) -> None:
        nonlocal tokens
        tokens += inputs[0].numel()

    lm.model.get_input_embeddings().register_forward_hook(count)
    memory, begin = Memory(str(lm.device)), clock()
    try:
        answers = ask()
    except RuntimeError as error:
        if should_reduce_batch_size(error):
            return None
        raise
    found = {"answers": answers, "seconds": clock() - begin, "batch_size": lm.batch_size}
    return found | {"bytes": memory.peak(), "tokens": tokens}


def _measure(
    backend: str, folder: Path, requests: list[Texts], options: argparse.Namespace, batch_size: int
) -> dict[str, Any] | None:
    """One run; None if it does not fit into memory."""
    lm = _load(backend, folder, options, batch_size)
    rank(lm, [[("a", " b")]])  # warm-up
    lm.work = Work()  # `hf` leaves it empty
    if backend != "hf":
        lm._verified.clear()  # the check is part of what is measured
    longest = max(len(lm.tok_encode("".join(args))) for row in requests for args in row)
    before = seconds_of_a_token(lm, batch_size, longest)
    found = _measured(lm, lambda: rank(lm, requests))
    if found is None:
        return None
    after = seconds_of_a_token(lm, batch_size, longest)
    return found | {"work": dataclasses.asdict(lm.work), "plain_seconds_of_a_token": (before + after) / 2}


def _measure_texts(
    backend: str, folder: Path, rows: list[list[tuple[str, dict[str, Any]]]], options: argparse.Namespace, batch_size: int
) -> dict[str, Any] | None:
    """One run; None if it does not fit into memory. Seconds are CPU seconds or, with a GPU, those of the clock."""
    lm = _load(backend, folder, options, batch_size)
    asked = [args for row in rows for args in row]
    warm_up = Instance("generate_until", {}, ("a", asked[0][1] | {"max_gen_toks": 2}), 0)
    lm.generate_until([warm_up], disable_tqdm=True)
    if backend != "hf":
        lm._greedy._verified.update({False: 0, True: 0})  # the check is part of what is measured
    requests = [Instance("generate_until", {}, args, number, metadata=("task", number, 1)) for number, args in enumerate(asked)]
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    found = _measured(lm, lambda: lm.generate_until(requests, disable_tqdm=True), clock)
    if found is None:
        return None
    kept = {}
    if backend != "hf":
        if lm._greedy is None:
            raise RuntimeError("the texts were generated as by hf")
        kept = {"kept": sum(answer.answer_tokens + answer.thought_tokens for answer in found["answers"])}
    return found | kept | {"answers": list(map(str, found["answers"]))}


def _measure_vllm(
    backend: str, folder: Path, requests: list[Texts], options: argparse.Namespace, batch_size: int
) -> dict[str, Any]:
    """The answers to the requests of all rows, seconds, and the tokens that the engine computed, beside the least possible.

    The engine is warmed up with a few requests of the same kind, because it compiles kernels when it first needs them. On a CPU
    it runs in this process, because processes that wait for it would take time from its threads.
    """
    os.environ |= {"VLLM_LOGGING_LEVEL": "ERROR", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": str(options.threads)}
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")
    on_gpu = options.device.startswith("cuda")
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", str(int(on_gpu)))
    from lm_eval_sea.models.vllm_shared_prefix import CPU_BLOCK_SIZE, computed_tokens

    blocks = {} if on_gpu else {"block_size": CPU_BLOCK_SIZE}
    lm: Any = get_model(backend)(str(folder), dtype=options.dtype, enforce_eager=True, batch_size=batch_size or "auto", **blocks)
    rank(lm, requests[:: max(len(requests) // 3, 1)])
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
    answers = rank(lm, requests)
    seconds = time.perf_counter() - begin
    lm.model.llm_engine.engine_core.shutdown()  # or this process would wait for the engine's at its end
    return {
        "answers": answers,
        "seconds": seconds,
        "batch_size": lm.batch_size,
        "tokens": sum(computed),
        "requests": len(computed),
        "work": dataclasses.asdict(lm.work),
    }


def seconds_of_a_token(lm: Any, rows: int, length: int) -> float:
    """Seconds per token of a plain forward pass over rows of full length, with the logits of all tokens."""
    tokens = torch.randint(lm.vocab_size, (rows, length), device=lm.device)
    begin = time.perf_counter()
    lm._model_call(tokens).sum().item()  # waits for the device
    return (time.perf_counter() - begin) / tokens.numel()


def times_faster(run: dict[str, dict[str, Any]]) -> float:
    """How many times faster the second backend of a run is than the first."""
    plain, shared = (float(found["seconds"]) for found in run.values())
    return plain / shared


def compare(requests: list[Texts], plain: list[Any], shared: list[Any]) -> dict[str, Any]:
    """The largest difference in nats, and the log-likelihood it occurs at, of continuations and of whole prompts (requests
    without a context); the shares of rows with the same prediction and of requests with the same `is_greedy`.
    """
    pairs = list(zip(plain, shared, strict=True))
    texts = [args for row in requests for args in row]

    def largest(*, whole: bool) -> dict[str, float] | None:
        found = [
            (abs(one - other), abs(one))
            for ((one, _), (other, _)), (context, _) in zip(pairs, texts, strict=True)
            if (context == "") == whole
        ]
        return dict(zip(("nats", "of"), max(found), strict=True)) if found else None

    begin, same = 0, 0
    for row in requests:
        answers = pairs[begin : begin + len(row)]
        options = [pair for pair, (context, _) in zip(answers, row, strict=True) if context] or answers
        best = [max(range(len(options)), key=lambda index: options[index][side][0]) for side in (0, 1)]
        same += best[0] == best[1]
        begin += len(row)
    return {
        "differences": {"options": largest(whole=False), "prompts": largest(whole=True)},
        "same_predictions": same / len(requests),
        "same_greedy": sum(one[1] == other[1] for one, other in pairs) / len(pairs),
    }


def describe(options: argparse.Namespace, model: str) -> dict[str, Any]:
    """What the figures depend on besides the workload."""
    if options.device.startswith("cuda"):
        device = torch.cuda.get_device_name()
    else:
        names = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        device = f"{names[0] if names else 'CPU'}, {os.cpu_count()} cores"
    return {
        "model": model,
        "dtype": options.dtype,
        "device": device,
        "threads": options.threads,
        "versions": {name: importlib.metadata.version(name) for name in ("torch", options.engine, "lm_eval")},
    }


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", default=GENERATED, help="generated workloads or tasks (default: the generated)")
    parser.add_argument("--engine", choices=BACKENDS, default="transformers", help="what runs the model (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=50, help="rows of a workload (default: %(default)s)")
    parser.add_argument("--texts", action="store_true", help="measure generation; the workloads are tasks that generate")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="a trained model in place of a random one")
    parser.add_argument("--options_only", action="store_true", help="leave out the requests for whole prompts, as other tasks do")
    parser.add_argument("--shape", choices=SHAPES, default="40m", help="size of the model (default: %(default)s)")
    parser.add_argument("--dtype", default="float32", help="type of the weights (default: %(default)s)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: %(default)s)")
    parser.add_argument("--batch_size", type=int, nargs="+", help="batch sizes to try (default: 16; with vLLM 0)")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each backend; the median counts (default: %(default)s)")
    parser.add_argument("--save", type=Path, metavar="FILE", help="append what was measured, one line of JSON for each workload")
    options = parser.parse_args()
    options.batch_size = options.batch_size or [0 if options.engine == "vllm" else 16]
    records = []
    with tempfile.TemporaryDirectory() as name:
        folder = options.model or Path(name)
        setting = describe(options, folder.name if options.model else make_model(folder, options.shape, options.dtype))
        for workload in options.workloads:
            generated = workload in GENERATED
            requests = generate(workload, options.rows) if generated else task_requests(workload, options.rows, folder)
            if options.options_only:
                workload += ", options only"
                requests = [[args for args in row if args[0]] for row in requests]
            runs = [
                {backend: measure(backend, folder, requests, options) for backend in BACKENDS[options.engine]}
                for _ in range(options.repeats)
            ]
            found = sorted(runs, key=times_faster)[len(runs) // 2]
            answers = [of_backend.pop("answers") for of_backend in found.values()]
            equal = {"equal_texts": sum(one == other for one, other in zip(*answers, strict=True))}
            agreement = equal if options.texts else compare(requests, *answers)
            measured = {"workload": workload, "rows": len(requests), "times_faster": sorted(map(times_faster, runs))}
            records.append({"setting": setting} | measured | found | agreement)
            if options.save:
                with options.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(records[-1]) + "\n")
    print(render(records), end="")


if __name__ == "__main__":
    main()
