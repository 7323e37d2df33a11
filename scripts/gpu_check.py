#!/usr/bin/env python3
"""Runs one step of `gpu_check.sh` and appends what it found as a line of JSON; the step `table` prints what all found.

    environment   versions, the GPU, its memory
    kernels       which attention kernel PyTorch takes, with and without a mask; the first call of a shape against the second
    batches       `hf` and `hf-shared-prefix` at several batch sizes: seconds, tokens a pass
    passes        where a ranking's time goes: share of the device's time by kind of kernel, launches, waits
    attention     the implementations of attention that the model takes
    long_prefix   64 options behind prefixes of 4,000 to 32,000 tokens: seconds, peak of memory
    memory        a ranking with 30 and 20 % of the memory: whether it succeeds, and how many tokens it computes
    generation    texts: tokens a second of both backends
    agreement     differences from `hf`, with softmax_dtype=float32 and without
    exactness     wrong answers in 32 bits, from a model with wide attention heads
    vllm          `vllm` and `vllm-shared-prefix`, where vLLM is installed

The weights are random: times and memory do not depend on them.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import logging
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import written
from bench_workloads import Texts, generate, make_model, rank
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

from lm_eval_sea.models import SharedPrefixLM

Found = dict[str, Any]
BACKENDS = {"hf": HFLM, "hf-shared-prefix": SharedPrefixLM}
KINDS = {  # of kernels, by parts of their names
    "attention": ("flash", "fmha", "attention", "softmax"),
    "matrix products": ("gemm", "cutlass", "cublas", "mm", "xmma"),
    "copies": ("memcpy", "copy", "cat", "index", "gather", "scatter", "memset"),
}


class Check:
    """What the steps share; with `small` a tiny model on the CPU stands in for a 7B one on a GPU."""

    def __init__(self, folder: Path, *, small: bool) -> None:
        """Makes the model if the folder has none: the 7B one has 14 GB."""
        self.small, self.folder = small, folder
        self.device, self.dtype = ("cpu", "float32") if small else ("cuda", "bfloat16")
        self.rows = 4 if small else 300
        if not (folder / "config.json").exists():
            make_model(folder, "1m" if small else "7b", self.dtype)

    def load(self, backend: str, batch_size: int | str = 16, **arguments: Any) -> Any:
        """A backend with the model."""
        arguments = {"device": self.device, "dtype": self.dtype} | arguments
        return BACKENDS[backend](str(self.folder), batch_size=batch_size, **arguments)

    def requests(self, rows: int = 0) -> list[Texts]:
        """Rows of a passage, a question and four options."""
        return generate("text-options", rows or self.rows)

    def timed(self, work: Callable[[], Any]) -> Found:
        """Seconds of some work, and the peak of the device's memory."""
        if self.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        begin = time.perf_counter()
        work()
        if self.device == "cuda":
            torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        memory = torch.cuda.max_memory_allocated() / 1e9 if self.device == "cuda" else None
        return {"seconds": round(seconds, 4), "memory GB": memory and round(memory, 1)}


def environment(check: Check) -> Found:
    """Versions and the GPU."""
    versions = {}
    for name in ("torch", "transformers", "accelerate", "lm_eval", "lm_eval_sea", "vllm", "flash_attn"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    found: Found = {"python": platform.python_version(), "model": "1m" if check.small else "7b", **versions}
    if check.device == "cuda":
        card = torch.cuda.get_device_properties(0)
        found |= {"card": card.name, "memory GB": round(card.total_memory / 1e9), "cuDNN": torch.backends.cudnn.version()}  # type: ignore[no-untyped-call]
    return found


def kernels(check: Check) -> Found:
    """Names of the attention kernels, and milliseconds of a shape's first and second call."""
    found: Found = {}
    length = 64 if check.small else 2048
    dtype = getattr(torch, check.dtype)
    for number, (name, masked, grouped) in enumerate(
        [("no mask", False, False), ("mask", True, False), ("mask, grouped heads", True, True)]
    ):
        size = length + 8 * number  # a shape of its own
        query = torch.rand(2, 8, size, 64, device=check.device, dtype=dtype)
        key = torch.rand(2, 2 if grouped else 8, size, 64, device=check.device, dtype=dtype)
        mask = torch.ones(size, size, device=check.device, dtype=torch.bool).tril() if masked else None
        attend = partial(torch.nn.functional.scaled_dot_product_attention, query, key, key, attn_mask=mask, enable_gqa=grouped)
        first, second = (check.timed(attend)["seconds"] for _ in range(2))
        with torch.profiler.profile() as profile:
            attend()
        longest = max(profile.key_averages(), key=lambda event: event.device_time_total or event.cpu_time_total)
        found[name] = {"first ms": round(1000 * first, 1), "second ms": round(1000 * second, 1), "kernel": longest.key}
    return found


def batches(check: Check) -> Found:
    """Seconds of a ranking by backend and batch size."""
    found: Found = {}
    requests = check.requests()
    for backend, sizes in (("hf", [16]), ("hf-shared-prefix", [1, 16, 64])):
        for size in sizes:
            lm = check.load(backend, size)
            found[f"{backend}, batch size {size}"] = check.timed(partial(rank, lm, requests))
            if backend != "hf":
                found[f"{backend}, batch size {size}"]["tokens"] = lm.work.forwarded
            del lm
    plain = found["hf, batch size 16"]["seconds"]
    shared = [each["seconds"] for name, each in found.items() if name.startswith("hf-shared")]
    return found | {"times faster": round(plain / min(shared), 1)}


def passes(check: Check) -> Found:
    """Where the time of a ranking goes."""
    lm, requests = check.load("hf-shared-prefix"), check.requests(4 if check.small else 40)
    rank(lm, requests[:2])  # warm-up, with the self-check
    begin = time.perf_counter()
    with torch.profiler.profile() as profile:
        rank(lm, requests)
    seconds = time.perf_counter() - begin
    events = profile.key_averages()
    on_device = [event for event in events if event.self_device_time_total]
    total = sum(event.self_device_time_total for event in on_device)
    shares = dict.fromkeys(KINDS, 0.0)
    for event in on_device:
        kind = next((kind for kind, parts in KINDS.items() if any(part in event.key.casefold() for part in parts)), None)
        if kind:
            shares[kind] += event.self_device_time_total / total
    counts = {name: sum(event.count for event in events if name in event.key) for name in ("LaunchKernel", "StreamSynchronize")}
    busy = round(total / 1e6 / seconds, 2) if total else None
    return {"device busy": busy, **counts, **{kind: round(share, 2) for kind, share in shares.items()}}


def attention(check: Check) -> Found:
    """Seconds of a ranking by implementation of attention."""
    found: Found = {}
    for name in ("sdpa", "eager", "flash_attention_2"):
        try:
            lm = check.load("hf-shared-prefix", attn_implementation=name)
        except (ImportError, ValueError) as error:
            found[name] = str(error).splitlines()[0][:100]
            continue
        rank(lm, check.requests(2))  # warm-up, with the self-check
        found[name] = check.timed(partial(rank, lm, check.requests(check.rows // 2)))
    return found


def long_prefix(check: Check) -> Found:
    """Seconds and memory of 64 options behind one long prefix."""
    found: Found = {}
    for length in (128, 512) if check.small else (4_000, 16_000, 32_000):
        lm = check.load("hf-shared-prefix", max_length=length + 64)
        ids = lm.tokenizer("kata " * 2 * length)["input_ids"][:length]
        prefix = lm.tokenizer.decode(ids, skip_special_tokens=True)
        options = [[(prefix, f" {number}") for number in range(64)]]
        found[f"{length:,} tokens"] = check.timed(partial(rank, lm, options))
    return found


def memory(check: Check) -> Found:
    """Whether a ranking succeeds with little memory."""
    if check.device != "cuda":
        return {"left out": "needs a GPU"}
    found: Found = {}
    for share in (0.3, 0.2):
        torch.cuda.set_per_process_memory_fraction(share)
        try:
            lm = check.load("hf-shared-prefix", 64)
            found[f"{share:.0%}"] = check.timed(partial(rank, lm, check.requests())) | {"tokens": lm.work.forwarded}
        except torch.OutOfMemoryError as error:
            found[f"{share:.0%}"] = str(error).splitlines()[0][:100]
        lm = None  # two at once would not fit
        torch.cuda.empty_cache()
    return found


def generation(check: Check) -> Found:
    """Seconds of texts by backend."""
    found: Found = {}
    limit = 8 if check.small else 64
    prompts = [row[0][0] for row in check.requests(8 if check.small else 128)]
    instances = [
        Instance(
            "generate_until", {}, (prompt, {"until": ["\n\n"], "do_sample": False, "max_gen_toks": limit}), 0, ("gpu_check", 0, 1)
        )
        for prompt in prompts
    ]
    for backend in BACKENDS:
        for size in (16, 64):
            lm = check.load(backend, size)
            found[f"{backend}, batch size {size}"] = check.timed(partial(lm.generate_until, list(instances), disable_tqdm=True))
    return found


def agreement(check: Check) -> Found:
    """The largest and the mean difference of an option from `hf` in nats, and the share of rows with another choice."""
    found: Found = {}
    requests = check.requests(4 if check.small else 60)
    for name, arguments in (("as it is", {}), ("softmax_dtype=float32", {"softmax_dtype": "float32"})):
        plain, shared = (
            torch.tensor([answer[0] for answer in rank(check.load(backend, **arguments), requests)], dtype=torch.float64)
            for backend in BACKENDS
        )
        choices = [side.view(len(requests), -1)[:, :4].argmax(1) for side in (plain, shared)]
        found[name] = {
            "largest": float((plain - shared).abs().max()),
            "mean": float((plain - shared).abs().mean()),
            "other choices": float((choices[0] != choices[1]).float().mean()),
        }
    return found


def exactness(check: Check) -> Found:
    """How many answers differ from `hf` by more than rounding explains, for a small model with a rare shape of attention.

    In 32 bits, with heads of size 256 and one key-value head, a kernel of PyTorch gives single tokens wrong numbers. If far more
    tokens are computed than are distinct, the self-check has fallen back, and all answers are those of `hf`.
    """
    requests = check.requests()
    with tempfile.TemporaryDirectory() as folder:
        make_model(Path(folder), "wide-heads", "float32")
        arguments: Found = {"batch_size": 16, "device": check.device, "dtype": "float32"}
        plain = rank(HFLM(folder, **arguments), requests)
        lm = SharedPrefixLM(folder, **arguments)
        shared = rank(lm, requests)
    apart = [abs(one[0] - other[0]) for one, other in zip(plain, shared, strict=True)]
    off = sum(distance > 1e-4 * abs(answer[0]) + 1e-3 for distance, answer in zip(apart, plain, strict=True))
    return {
        "answers": len(apart),
        "largest": max(apart),
        "wrong": off,
        "times the distinct tokens": lm.work.forwarded / lm.work.distinct,
    }


def vllm(check: Check) -> Found:
    """What `bench_backend.py --engine vllm` finds."""
    try:
        importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        return {"left out": "vLLM is not installed"}
    command = [sys.executable, "bench_backend.py", "text-options", "--engine", "vllm", "--dtype", check.dtype]
    command += ["--model", str(check.folder.resolve())]  # making a model takes longer than measuring it
    command += ["--device", check.device, "--rows", str(check.rows)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    return {"table": run.stdout.splitlines()}


STEPS = (environment, kernels, batches, passes, attention, long_prefix, memory, generation, agreement, exactness, vllm)


def faults(found: dict[str, Found]) -> list[str]:
    """What is worse on a GPU than it should be."""
    missing = [f"{step}: {result['failed']}" for step, result in found.items() if "failed" in result]
    busy, faster = found.get("passes", {}).get("device busy"), found.get("batches", {}).get("times faster")
    if busy is not None and busy < 0.6:
        missing.append(f"the device is busy {busy:.0%} of a ranking's time, less than 60 %")
    if found.get("environment", {}).get("card") and faster is not None and faster < 8:
        missing.append(f"hf-shared-prefix is {faster} times faster than hf, less than 8")
    if wrong := found.get("exactness", {}).get("wrong"):
        missing.append(f"{wrong} answers are wrong in 32 bits: do not use hf-shared-prefix with this card and PyTorch")
    return missing


def table(path: Path) -> int:
    """Prints what the steps found; the exit status is 1 if something is amiss."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = {record.pop("step"): record for record in records}
    cells = []
    for step, result in found.items():
        for name, value in result.items():
            shown = ", ".join(f"{key} {each}" for key, each in value.items()) if isinstance(value, dict) else str(value)
            cells.append([step, name, shown])
    amiss = faults(found)
    print(written.table(["step", "what", "found"], cells), *(amiss or ["Nothing is amiss."]), sep="\n")
    return int(bool(amiss))


def main() -> int:
    """Runs one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=[*(step.__name__ for step in STEPS), "table"])
    parser.add_argument("--save", type=Path, required=True, metavar="FILE", help="where the lines of JSON go")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="where the model is kept for further steps")
    parser.add_argument("--small", action="store_true", help="a tiny model on the CPU, to try the script")
    options = parser.parse_args()
    if options.step == "table":
        return table(options.save)
    logging.disable(logging.INFO)
    step = next(step for step in STEPS if step.__name__ == options.step)
    with tempfile.TemporaryDirectory() as folder:
        found = step(Check(options.model or Path(folder), small=options.small))
    with options.save.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"step": options.step} | found) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
