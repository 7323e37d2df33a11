#!/usr/bin/env python3
"""Measures the shared-prefix backend against lm-eval's `hf` on the same requests, and prints a Markdown table.

The model has random weights, so its answers mean nothing; time, memory and agreement do not depend on that. Each backend
runs in a process of its own. A workload is a task of lm-eval or of this pack (start in a folder that holds its data, or with
a network), or a generated one, which needs no data:

    text-options     3 exemplars, a passage and a question, four options of some words, two questions a passage
    letter-options   the same with the options shown and letters to choose from
    three-labels     3 exemplars, two sentences, one of three labels
    nothing-shared   no exemplars, one continuation a row

Examples:
    python scripts/bench_backend.py
    python scripts/bench_backend.py --rows 100 sea_belebele_th_to_ppl sea_belebele_th_litilo_ppl
    python scripts/bench_backend.py --shape 7b --dtype bfloat16 --device cuda --batch-size 64 --rows 1000 sea_belebele_th_to_ppl
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from make_tiny_model import SAMPLES, train_tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

ROOT = Path(__file__).resolve().parents[1]
GENERATED = ("text-options", "letter-options", "three-labels", "nothing-shared")
BACKENDS = ("hf", "hf-shared-prefix")
SHAPES = {  # hidden size, size of the feed-forward layer, layers, heads, key-value heads, vocabulary
    "40m": (512, 1376, 8, 8, 4, 32000),
    "0.5b": (896, 4864, 24, 14, 2, 151936),
    "7b": (3584, 18944, 28, 28, 4, 152064),
}

PASSAGES = SAMPLES / "sail" / "Sailcompass_data" / "data" / "belebele" / "ind_Latn.jsonl"

Texts = list[tuple[str, str]]


def make_model(folder: Path, shape: str, dtype: str) -> tuple[int, int]:
    """Writes a Llama with random weights and a tokenizer; returns the number of parameters, all and outside embeddings."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.rglob("*.json*"))]
    tokenizer = train_tokenizer(texts, bos=True)
    hidden, feed_forward, layers, heads, key_value_heads, vocabulary = SHAPES[shape]
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=feed_forward,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=key_value_heads,
        max_position_embeddings=8192,
        tie_word_embeddings=shape != "7b",
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        dtype=dtype,
    )
    torch.manual_seed(0)
    torch.set_default_dtype(getattr(torch, dtype))
    model = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model.num_parameters(), model.num_parameters(exclude_embeddings=True)


def generate(workload: str, rows: int) -> list[Texts]:
    """The requests of each row of a generated workload."""
    source = " ".join(json.loads(line)["flores_passage"] for line in PASSAGES.read_text(encoding="utf-8").splitlines())
    words, dice = source.split(), random.Random(0)

    def text(low: int, high: int) -> str:
        return " ".join(dice.choices(words, k=dice.randint(low, high)))

    if workload == "nothing-shared":
        return [[(text(60, 120), f" {text(3, 12)}")] for _ in range(rows)]
    labels = ["netral", "implikasi", "kontradiksi"]

    def block(passage: str) -> tuple[str, list[str]]:
        """A row up to the answer, and the answers."""
        shown = f"{passage}\n{text(8, 20)}"
        if workload == "three-labels":
            return shown, labels
        options = [text(3, 12) for _ in range(4)]
        if workload == "text-options":
            return shown, options
        return "\n".join([shown, *map("{}. {}".format, "ABCD", options)]), list("ABCD")

    length = (15, 30) if workload == "three-labels" else (80, 160)
    passages = [text(*length) for _ in range(3 + rows)]
    exemplars = [block(passage) for passage in passages[:3]]
    prefix = "".join(f"{shown}\n{answers[0]}\n\n" for shown, answers in exemplars)
    requests = []
    for row in range(rows):
        shown, answers = block(passages[3 + (row if workload == "three-labels" else row // 2)])
        requests.append([*((f"{prefix}{shown}", f" {answer}") for answer in answers), ("", f"{prefix}{shown}")])
    return requests


def task_requests(task: str, rows: int, folder: Path) -> list[Texts]:
    """The requests of each row of a task."""
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), metadata={"pretrained": str(folder)})
    instance = manager.load([task])["tasks"][task]
    instance.build_all_requests(limit=rows, rank=0, world_size=1)
    requests: dict[int, Texts] = {}
    for request in instance.instances:
        requests.setdefault(request.doc_id, []).append(request.args)
    return list(requests.values())


def measure(backend: str, folder: Path, requests: list[Texts], options: argparse.Namespace) -> dict:
    """Runs the requests through a backend, in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (backend, folder, requests, options))


def _measure(backend: str, folder: Path, requests: list[Texts], options: argparse.Namespace) -> dict:
    logging.disable(logging.WARNING)
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from lm_eval_sea.models import SharedPrefixLM

    torch.set_num_threads(options.threads)
    model_class = {"hf": HFLM, "hf-shared-prefix": SharedPrefixLM}[backend]
    lm = model_class(str(folder), device=options.device, dtype=options.dtype, batch_size=options.batch_size)
    instances = [Instance("loglikelihood", {}, args, 0) for row in requests for args in row]
    cuda = options.device.startswith("cuda")
    lm.loglikelihood([Instance("loglikelihood", {}, ("a", " b"), 0)], disable_tqdm=True)  # kernels and threads start
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated() if cuda else _peak_of_process()
    begin = time.perf_counter()
    answers = lm.loglikelihood(instances, disable_tqdm=True)
    seconds = time.perf_counter() - begin
    after = torch.cuda.max_memory_allocated() if cuda else _peak_of_process()
    result = {"answers": answers, "seconds": seconds, "bytes": after - before}
    if backend == "hf-shared-prefix":
        result["work"] = lm.work
    return result


def _peak_of_process() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def compare(workload: str, requests: list[Texts], parameters: int, hf: dict, shared: dict) -> dict[str, str]:
    """A row of the table; its TFLOP/s are those of the layers alone, by their number of parameters."""
    work = shared["work"]
    checked = work.forwarded + work.verification
    pairs = list(zip(hf["answers"], shared["answers"], strict=True))
    begin, same = 0, 0
    for row in requests:
        answers = pairs[begin : begin + len(row)]
        options = [pair for pair, (context, _) in zip(answers, row, strict=True) if context] or answers
        best = [max(range(len(options)), key=lambda index: options[index][side][0]) for side in (0, 1)]
        same += best[0] == best[1]
        begin += len(row)
    difference = max((abs(one - other), abs(one)) for (one, _), (other, _) in pairs)
    return {
        "workload": workload,
        "rows": str(len(requests)),
        "requests": str(len(pairs)),
        "hf s": f"{hf['seconds']:.1f}",
        "shared s": f"{shared['seconds']:.1f}",
        "times faster": f"{hf['seconds'] / shared['seconds']:.1f}",
        "rows/s": f"{len(requests) / shared['seconds']:.1f}",
        "work ratio (with self-check)": f"{work.forwarded / work.distinct:.3f} ({checked / work.distinct:.3f})",
        "shared TFLOP/s": f"{2e-12 * parameters * work.forwarded / shared['seconds']:.3g}",
        "hf MB": f"{hf['bytes'] / 1e6:.0f}",
        "shared MB": f"{shared['bytes'] / 1e6:.0f}",
        "largest difference (of)": f"{difference[0]:.1e} ({difference[1]:.0f})",
        "same predictions": f"{same / len(requests):.1%}",
        "same is_greedy": f"{sum(one[1] == other[1] for one, other in pairs) / len(pairs):.1%}",
    }


def table(rows: Iterator[dict[str, str]]) -> None:
    """Prints a Markdown table, each row as soon as it is known."""
    for number, row in enumerate(rows):
        if number == 0:
            print("|", " | ".join(row), "|")
            print("|", " | ".join("---" for _ in row), "|")
        print("|", " | ".join(row.values()), "|", flush=True)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", default=GENERATED, help="generated workloads or tasks (default: the generated)")
    parser.add_argument("--rows", type=int, default=50, help="rows of a workload (default: %(default)s)")
    parser.add_argument("--shape", choices=SHAPES, default="40m", help="size of the model (default: %(default)s)")
    parser.add_argument("--dtype", default="float32", help="type of the weights (default: %(default)s)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: %(default)s)")
    parser.add_argument("--batch-size", type=int, default=16, help="batch size of both backends (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parameters, without_embeddings = make_model(folder, options.shape, options.dtype)
        print(
            f"Llama, {parameters / 1e6:.0f}M parameters, {options.dtype}, {options.device}, batch size {options.batch_size}, "
            f"{options.threads} threads, torch {torch.__version__}\n"
        )

        def rows() -> Iterator[dict[str, str]]:
            for workload in options.workloads:
                generated = workload in GENERATED
                requests = generate(workload, options.rows) if generated else task_requests(workload, options.rows, folder)
                results = [measure(backend, folder, requests, options) for backend in BACKENDS]
                yield compare(workload, requests, without_embeddings, *results)

        table(rows())


if __name__ == "__main__":
    main()
