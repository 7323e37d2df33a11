#!/usr/bin/env python3
"""Measures whole suites from the command to the printed table: a backend of lm-eval against the pack's, and where the time goes.

Both backends run the same command in turn, each in its own process, and the run with the median seconds counts. Seconds are CPU
seconds, or seconds of the clock with a GPU, for which the CPU waits. Each second counts for the innermost part that runs:

    start       imports, reading the command, loading the model
    rows        loading rows and writing prompts
    tokenizer   text to tokens and back
    planning    the rest of the backend's own code: grouping, batches, searching for the end of texts
    model       forward passes and the choice of tokens; with vLLM, all that its engine does
    metrics     scores of rows, means and errors
    writing     results and samples
    other       the rest

The table also has the peak of the process's memory in GB, without that of a GPU.

Needs a model, and the rows: from the hub, or from a folder laid out like it, which then is the current one.

Examples:
    python scripts/bench_suite.py --model MODEL                            three suites, hf against hf-shared-prefix
    python scripts/bench_suite.py --model MODEL --suite sea_sailcompass --limit 10 --times 1
    python scripts/bench_suite.py --model MODEL --batch_size 2 --own_batch_size auto   where lm-eval's takes more memory
    python scripts/bench_suite.py --model MODEL --backend vllm --chat --suite sea_sailcompass_chat
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import written
from bench_start import PACK, carry_out, machine

SUITES = ("sea_sailcompass", "sea_helm_id", "sea_language_th")
OURS = {"hf": "hf-shared-prefix", "vllm": "vllm-shared-prefix"}
PARTS = ("start", "rows", "tokenizer", "planning", "model", "metrics", "writing", "other")


@dataclass(frozen=True)
class Run:
    """What one run took."""

    memory: float  # GB
    seconds: dict[str, float]  # by part

    @property
    def whole(self) -> float:
        """Seconds of all parts."""
        return sum(self.seconds.values())


class Meter:
    """Seconds by part: a call counts for its own part, without the calls of other parts inside it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.seconds = clock, defaultdict[str, float](float)
        self._stack, self._since = ["start"], clock()
        self.seconds["start"] = time.process_time()  # what was imported before

    def switch(self, part: str | None) -> None:
        """Enters a part; None leaves the current one."""
        now = self.clock()
        self.seconds[self._stack[-1]] += now - self._since
        self._since = now
        if part is None:
            self._stack.pop()
        else:
            self._stack.append(part)

    def watch(self, owner: Any, name: str, part: str) -> None:
        """Counts the calls of a function for a part."""
        original = getattr(owner, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            self.switch(part)
            try:
                return original(*args, **kwargs)
            finally:
                self.switch(None)

        setattr(owner, name, timed)


def _watch_all(meter: Meter, backend: str) -> None:
    """Watches the functions of lm-eval, transformers and vLLM that begin each part."""
    import lm_eval.evaluator
    import torch
    from lm_eval.api.registry import get_model
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.loggers import EvaluationTracker
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    import lm_eval_sea.models  # noqa: F401  # registers the backends of the pack

    meter.watch(lm_eval.evaluator, "evaluate", "other")
    for name in ("__init__", "build_all_requests"):
        meter.watch(ConfigurableTask, name, "rows")
    for name in ("loglikelihood", "generate_until"):
        meter.watch(get_model(backend), name, "planning")
    for name in ("__call__", "encode", "decode", "batch_decode"):
        meter.watch(PreTrainedTokenizerBase, name, "tokenizer")
    if backend.startswith("vllm"):
        import vllm

        meter.watch(vllm.LLM, "generate", "model")
    else:
        meter.watch(PreTrainedModel, "__call__", "model")
        meter.watch(torch.nn.functional, "log_softmax", "model")
        if torch.cuda.is_available():
            for name in ("cpu", "item", "to", "tolist"):  # they wait for the GPU
                meter.watch(torch.Tensor, name, "model")
    meter.watch(ConfigurableTask, "process_results", "metrics")
    meter.watch(lm_eval.evaluator, "_process_results", "metrics")
    for name in ("save_results_aggregated", "save_results_samples"):
        meter.watch(EvaluationTracker, name, "writing")


def _child(found: Path, backend: str, command: list[str]) -> None:
    """Runs a command in this process and writes its seconds by part."""
    import torch

    meter = Meter(time.perf_counter if torch.cuda.is_available() else time.process_time)
    _watch_all(meter, backend)
    carry_out(command)
    meter.switch("other")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # Linux counts kilobytes
    found.write_text(json.dumps({"memory": memory, "seconds": meter.seconds}))


def _environment() -> dict[str, str]:
    """Variables of a measured process; on CPUs vLLM's engine runs in it, so that its seconds count."""
    import torch

    of_engine = {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_CPU_KVCACHE_SPACE": "2"}
    return {"PYTHONPATH": str(PACK.parent)} | ({} if torch.cuda.is_available() else of_engine)


def measure(backend: str, suite: str, folder: Path, given: argparse.Namespace) -> Run:
    """One run."""
    own = backend in OURS.values()
    program = ["lm-eval-sea", "run"] if own else ["lm_eval", "run", "--include_path", str(PACK / "tasks")]
    command = [*program, "--model", backend, "--model_args", f"pretrained={given.model},{given.model_args}", "--tasks", suite]
    batch_size = given.own_batch_size if own and given.own_batch_size else given.batch_size
    command += ["--limit", str(given.limit), "--batch_size", batch_size, "--log_samples"]
    command += ["--output_path", str(folder / "results"), *(["--apply_chat_template"] if given.chat else [])]
    child = [sys.executable, __file__, "--child", str(folder / "found.json"), "--backend", backend, "--", *command]
    done = subprocess.run(child, env=os.environ | _environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr[-2000:]}")
    shutil.rmtree(folder / "results", ignore_errors=True)  # or the next run would reuse its answers
    return Run(**json.loads((folder / "found.json").read_text()))


def table(found: dict[tuple[str, str], list[Run]]) -> str:
    """One line for each suite and backend; of several runs, the one with the median seconds."""
    cells = []
    first: dict[str, float] = {}
    for (suite, backend), runs in found.items():
        middle = sorted(runs, key=lambda run: run.whole)[len(runs) // 2]
        first.setdefault(suite, middle.whole)
        parts = (f"{middle.seconds.get(part, 0.0):,.1f}" for part in PARTS)
        times = f"{first[suite] / middle.whole:.1f}"
        cells.append([f"`{suite}`", f"`{backend}`", f"{middle.whole:,.0f}", times, f"{middle.memory:.1f}", *parts])
    return written.table(["suite", "backend", "seconds", "times faster", "GB", *PARTS], cells, texts=2)


def main() -> int:
    """Prints the machine and a table after each suite."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a folder, or a name on the hub")
    parser.add_argument("--model_args", default="dtype=float32", help="arguments of both backends (default: %(default)s)")
    parser.add_argument("--backend", default="hf", help="hf or vllm, against the pack's (default: %(default)s)")
    parser.add_argument("--suite", action="append", help=f"suite to run instead of {', '.join(SUITES)}")
    parser.add_argument("--chat", action="store_true", help="apply the chat template")
    parser.add_argument("--limit", type=int, default=100, metavar="N", help="rows of each task (default: %(default)s)")
    parser.add_argument("--batch_size", default="16", help="batch size of both backends (default: %(default)s)")
    parser.add_argument("--own_batch_size", metavar="BATCH_SIZE", help="that of the pack's backend, instead of --batch_size")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="runs of each backend (default: %(default)s)")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        _child(given.child, given.backend, given.command)
        return 0
    if not given.model or given.backend not in OURS:
        parser.error("--model is missing" if not given.model else f"--backend {given.backend}: expected {' or '.join(OURS)}")
    print(machine(), flush=True)
    found: dict[tuple[str, str], list[Run]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for suite in given.suite or SUITES:
            for _ in range(given.times):
                for backend in (given.backend, OURS[given.backend]):
                    found[suite, backend].append(measure(backend, suite, Path(folder), given))
            print(f"\n{table(found)}", end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
