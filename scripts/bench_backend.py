#!/usr/bin/env python3
"""Measures a shared-prefix backend against lm-eval's own on the same requests, and prints a Markdown table.

The model has random weights, so its answers mean nothing; time, memory and agreement of rankings do not depend on that, but
texts go on to the limit of tokens, unless `--model` names a model that was trained. Each backend runs in a process of its own.
A workload is a task of lm-eval or of this pack (start in a folder that holds its data, or with a network), or a generated
one, which needs no data:

    text-options     3 exemplars, a passage and a question, four options of some words, two questions a passage
    letter-options   the same with the options shown and letters to choose from
    three-labels     3 exemplars, two sentences, one of three labels
    nothing-shared   no exemplars, one continuation a row

Of several batch sizes each backend is shown with the one at which it is fastest; those that do not fit memory are left out.
vLLM makes its own batches (batch size 0).

Examples:
    python scripts/bench_backend.py
    python scripts/bench_backend.py --rows 100 sea_belebele_th_to_ppl sea_belebele_th_litilo_ppl
    python scripts/bench_backend.py --save results.jsonl --rows 200 sea_xcopa_id_tito_ppl
    python scripts/bench_backend.py --engine vllm --rows 50 --repeats 3 sea_xnli_th
    python scripts/bench_backend.py --shape qwen3.5-40m --rows 24 sea_belebele_th_to_ppl
    python scripts/bench_backend.py --shape 7b --dtype bfloat16 --device cuda --batch-size 8 16 32 64 --rows 1000 \\
        sea_belebele_th_to_ppl sea_xnli_th
    python scripts/bench_backend.py --texts --model FOLDER --threads 1 --batch-size 8 --rows 32 sea_flores_en_id sea_xquad_th
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import multiprocessing
import os
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import bench_vllm
import torch
from backend_table import peak_tflops, render
from bench_meters import load, measured
from bench_workloads import GENERATED, SHAPES, Texts, generate, make_model, task_requests

BACKENDS = {"transformers": ("hf", "hf-shared-prefix"), "vllm": bench_vllm.BACKENDS}


def measure(backend: str, folder: Path, requests: list[Texts], options: argparse.Namespace) -> dict[str, Any]:
    """What was measured at the batch size at which a backend is fastest, each in a fresh process."""
    found = []
    function: Any = _measure_texts if options.texts else bench_vllm.measure_vllm if options.engine == "vllm" else _measure
    for batch_size in options.batch_size:
        # Not a pool's: its processes may have none of their own, as vLLM's engine is.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            found.append(pool.submit(function, backend, folder, requests, options, batch_size).result())
    fitting = [result for result in found if result]
    if not fitting:
        raise MemoryError(f"{backend} does not fit memory at any of the batch sizes {options.batch_size}; give smaller ones")
    return min(fitting, key=lambda result: result["seconds"])


def _measure(
    backend: str, folder: Path, requests: list[Texts], options: argparse.Namespace, batch_size: int
) -> dict[str, Any] | None:
    """One run; None if it does not fit memory."""
    from lm_eval.api.instance import Instance

    from lm_eval_sea.models.work import Work

    lm = load(backend, folder, options, batch_size)
    lm.loglikelihood([Instance("loglikelihood", {}, ("a", " b"), 0)], disable_tqdm=True)  # kernels and threads start
    lm.work = Work()  # `hf` leaves it empty
    if backend != "hf":
        lm._verified.clear()  # the check is part of what is measured
    instances = [Instance("loglikelihood", {}, args, 0) for row in requests for args in row]
    longest = max(len(lm.tok_encode("".join(instance.args))) for instance in instances)
    before = seconds_of_a_token(lm, batch_size, longest)
    found = measured(lm, lambda: lm.loglikelihood(instances, disable_tqdm=True))
    if found is None:
        return None
    after = seconds_of_a_token(lm, batch_size, longest)
    return found | {"work": dataclasses.asdict(lm.work), "plain_seconds_of_a_token": (before + after) / 2}


def _measure_texts(
    backend: str, folder: Path, rows: list[list[tuple[str, dict[str, Any]]]], options: argparse.Namespace, batch_size: int
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


def seconds_of_a_token(lm: Any, rows: int, length: int) -> float:
    """Seconds for each token of a plain forward pass over full rows, logits of all tokens included."""
    tokens = torch.randint(lm.vocab_size, (rows, length), device=lm.device)
    begin = time.perf_counter()
    lm._model_call(tokens).sum().item()  # waits for the device
    return (time.perf_counter() - begin) / tokens.numel()


def times_faster(run: dict[str, dict[str, Any]]) -> float:
    """How many times faster the second backend of a run is than the first."""
    plain, shared = (float(found["seconds"]) for found in run.values())
    return plain / shared


def compare(requests: list[Texts], plain: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """The largest difference in nats, and the log-likelihood it occurs at, of continuations and of whole prompts (requests
    without a context); the shares of rows with the same prediction and of requests with the same `is_greedy`.
    """
    pairs = list(zip(plain["answers"], shared["answers"], strict=True))
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


def compare_texts(plain: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """How many texts are the same."""
    return {"equal_texts": sum(one == other for one, other in zip(plain["answers"], shared["answers"], strict=True))}


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
        "peak_tflops": options.peak_tflops or peak_tflops(device, options.dtype),
        "versions": {name: importlib.metadata.version(name) for name in ("torch", options.engine, "lm_eval")},
    }


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", default=GENERATED, help="generated workloads or tasks (default: the generated)")
    parser.add_argument("--engine", choices=BACKENDS, default="transformers", help="what computes (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=50, help="rows of a workload (default: %(default)s)")
    parser.add_argument("--texts", action="store_true", help="measure generation; the workloads are tasks that generate")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="a model with weights of its own in place of a random one")
    parser.add_argument("--options-only", action="store_true", help="leave out the requests for whole prompts, as other tasks do")
    parser.add_argument("--shape", choices=SHAPES, default="40m", help="size of the model (default: %(default)s)")
    parser.add_argument("--dtype", default="float32", help="type of the weights (default: %(default)s)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: %(default)s)")
    parser.add_argument("--batch-size", type=int, nargs="+", help="batch sizes to try (default: 16; with vLLM 0)")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="run both that often; the median counts (default: %(default)s)")
    parser.add_argument("--peak-tflops", type=float, help="peak of the device, for its utilisation; known of some GPUs")
    parser.add_argument("--save", type=Path, metavar="FILE", help="append what was measured, one line of JSON a workload")
    options = parser.parse_args()
    options.batch_size = options.batch_size or [0 if options.engine == "vllm" else 16]
    records = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.model:
            folder = options.model
            setting = describe(options, folder.name)
        else:
            setting = describe(options, make_model(folder, options.shape, options.dtype))
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
            agreement = compare_texts(*found.values()) if options.texts else compare(requests, *found.values())
            for of_backend in found.values():
                del of_backend["answers"]
            measured = {"workload": workload, "rows": len(requests), "times_faster": sorted(map(times_faster, runs))}
            records.append({"setting": setting} | measured | found | agreement)
            if options.save:
                with options.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(records[-1]) + "\n")
    print(render(records), end="")


if __name__ == "__main__":
    main()
