"""What `bench_backend.py` runs: models with random weights, and the requests of tasks and of generated workloads."""

from __future__ import annotations

import json
import random
from pathlib import Path

import torch
from make_tiny_model import SAMPLES, train_tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

ROOT = Path(__file__).resolve().parents[1]
GENERATED = ("text-options", "letter-options", "three-labels", "nothing-shared")
SHAPES = {  # hidden size, size of the feed-forward layer, layers, heads, key-value heads, vocabulary
    "40m": (512, 1376, 8, 8, 4, 32000),
    "0.5b": (896, 4864, 24, 14, 2, 151936),
    "7b": (3584, 18944, 28, 28, 4, 152064),
}
PASSAGES = SAMPLES / "sail" / "Sailcompass_data" / "data" / "belebele" / "ind_Latn.jsonl"

Texts = list[tuple[str, str]]


def make_model(folder: Path, shape: str, dtype: str) -> int:
    """Writes a Llama with random weights and a tokenizer; returns the number of parameters."""
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
    return model.num_parameters()


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
