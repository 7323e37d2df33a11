"""Runs tasks in several processes on the CPU, as lm-eval's `hf` does on several GPUs.

`accelerate launch` does not help here: lm-eval makes several ranks only where there are several GPUs.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.distributed as distributed
import torch.multiprocessing as multiprocessing
from accelerate.state import AcceleratorState
from lm_eval.models.huggingface import HFLM

from lm_eval_sea.models import SharedPrefixLM

from .evaluation import all_scores, evaluate


class Ranked:
    """Makes a model one of several ranks.

    Attributes:
        gathered: for each call of `gather_object`, which brings the rows of a rank home, the number of its entries by task.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.gathered = []

    @property
    def rank(self):
        return distributed.get_rank()

    @property
    def world_size(self):
        return distributed.get_world_size()

    def gather_object(self, obj, dst=0):
        self.gathered.append({task: len(rows) for task, rows in obj.items()})
        return super().gather_object(obj, dst)


LIMITS = {"limit": 3, "bootstrap_iters": 100, "gen_kwargs": {"max_gen_toks": 4}}
BACKENDS = {"hf": HFLM, "hf-shared-prefix": SharedPrefixLM}


def summary(results: dict, **more: object) -> dict:
    """Scores and predictions as JSON has them, and whatever else is said of a run."""
    predictions = {
        task: [
            (sample["doc_id"], sample["doc"].get("predictions"), sample["doc"].get("answer"))
            for sample in sorted(samples, key=lambda sample: sample["doc_id"])
        ]
        for task, samples in results["samples"].items()
    }
    found = {f"{task} {metric}": value for (task, metric), value in all_scores(results).items()}
    return json.loads(json.dumps({"scores": found, "predictions": predictions, **more}, default=str))


def _run(rank: int, port: int, backend: str, tasks: Sequence[str], folder: Path, model: Path, output: Path) -> None:
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2}
    os.environ |= {"ACCELERATE_USE_CPU": "true", **{name: str(value) for name, value in where.items()}}
    torch.set_num_threads(1)
    AcceleratorState._reset_state(reset_partial_state=True)  # an earlier test's, of one process
    lm = type("RankedLM", (Ranked, BACKENDS[backend]), {})(pretrained=str(model), device="cpu", dtype="float32")
    results = evaluate(folder, list(tasks), lm, metadata={"pretrained": str(model)}, **LIMITS)
    shares: list = [None, None]
    distributed.all_gather_object(shares, [lm.gathered[0][task] for task in tasks] if lm.gathered else [])
    if rank == 0:
        rows = [list(of_task) for of_task in zip(*shares, strict=True)]
        output.write_text(json.dumps(summary(results, rows_of_ranks=rows)), encoding="utf-8")
    distributed.destroy_process_group()


def run_two(tasks: Sequence[str], folder: Path, model: Path, output: Path, *, backend: str = "hf") -> dict:
    """The summary of tasks on the rows of `folder` that two processes share, by way of the file `output`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = (port, backend, tasks, folder, model, output)
    multiprocessing.start_processes(_run, given, nprocs=2, start_method="fork")  # which need not import all libraries anew
    return json.loads(output.read_text(encoding="utf-8"))
