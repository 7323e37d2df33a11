"""What `bench_backend.py` runs: models with random weights, and the requests of tasks and of generated workloads."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from lm_eval.api.instance import Instance
from make_tiny_model import SAMPLES, train_tokenizer
from transformers import AutoConfig, AutoModelForCausalLM

from lm_eval_sea.results.types import grouped

ROOT = Path(__file__).resolve().parents[1]
GENERATED = ("text-options", "letter-options", "three-labels", "nothing-shared")
SHAPES = {  # family, hidden size, size of the feed-forward layer, layers, heads, key-value heads, vocabulary
    "1m": ("llama", 128, 192, 2, 4, 2, 8000),
    "wide-heads": ("llama", 1024, 1376, 4, 4, 1, 32000),  # as in Gemma: heads of size 256, one key-value head
    "40m": ("llama", 512, 1376, 8, 8, 4, 32000),
    "0.5b": ("llama", 896, 4864, 24, 14, 2, 151936),
    "7b": ("llama", 3584, 18944, 28, 28, 4, 152064),
    "qwen3.5-40m": ("qwen3_5_text", 512, 1376, 8, 8, 4, 32000),
    "lfm2-40m": ("lfm2", 512, 2048, 8, 8, 4, 32000),
    "falcon-h1-40m": ("falcon_h1", 512, 1376, 6, 8, 4, 32000),
    "nemotron-h-40m": ("nemotron_h", 512, 2048, 8, 8, 4, 32000),
    "mamba2-40m": ("mamba2", 512, 0, 16, 8, 8, 32000),
    "llama4-40m": ("llama4_text", 512, 1376, 8, 8, 4, 32000),
}
# Family → its name, and its configuration besides the sizes. In most hybrids, every fourth layer is an attention layer.
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {}),
    "qwen3_5_text": (
        "Qwen3.5",
        {
            "layer_types": (["linear_attention"] * 3 + ["full_attention"]) * 2,
            "head_dim": 64,
            "linear_num_key_heads": 4,
            "linear_num_value_heads": 8,
            "linear_key_head_dim": 64,
            "linear_value_head_dim": 64,
        },
    ),
    "lfm2": ("LFM2", {"layer_types": (["conv"] * 3 + ["full_attention"]) * 2, "block_auto_adjust_ff_dim": False}),
    "falcon_h1": (
        "Falcon-H1",
        {
            "head_dim": 64,
            "mamba_n_heads": 16,
            "mamba_d_head": 32,
            "mamba_d_ssm": 512,
            "mamba_d_state": 32,
            "mamba_n_groups": 1,
            "mamba_chunk_size": 128,
        },
    ),
    "nemotron_h": (
        "Nemotron-H",
        {
            "layer_types": ["linear_attention", "mlp", "full_attention", "mlp"] * 2,
            "head_dim": 64,
            "mamba_num_heads": 16,
            "mamba_head_dim": 64,
            "ssm_state_size": 64,
            "n_groups": 1,
            "chunk_size": 128,
        },
    ),
    "mamba2": ("Mamba-2", {"num_heads": 16, "head_dim": 64, "state_size": 64, "n_groups": 1, "chunk_size": 128}),
    "llama4_text": (
        "Llama 4",
        {
            "layer_types": (["chunked_attention"] * 3 + ["full_attention"]) * 2,
            "no_rope_layers": [1, 1, 1, 0] * 2,
            "attention_chunk_size": 512,
            "head_dim": 64,
            "intermediate_size_mlp": 1376,
            "moe_layers": [],
        },
    ),
}
PASSAGES = SAMPLES / "sail" / "Sailcompass_data" / "data" / "belebele" / "ind_Latn.jsonl"

Texts = list[tuple[str, str]]


def make_model(folder: Path, shape: str, dtype: str) -> str:
    """Writes a model with random weights and a tokenizer; returns its description."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.rglob("*.json*"))]
    tokenizer = train_tokenizer(texts, bos=True)
    family, hidden, feed_forward, layers, heads, key_value_heads, vocabulary = SHAPES[shape]
    name, settings = FAMILIES[family]
    config = AutoConfig.for_model(
        family,
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
        **settings,
    )
    torch.manual_seed(0)
    torch.set_default_dtype(getattr(torch, dtype))
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):  # seven billion random numbers take minutes on a CPU
        model = AutoModelForCausalLM.from_config(config)
    torch.set_default_dtype(torch.float32)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"{name} with random weights, {model.num_parameters() / 1e6:,.0f}M parameters"


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


def rank(lm: Any, requests: Iterable[Texts]) -> list[tuple[float, bool]]:
    """A model's answers to the requests of all rows."""
    instances = [Instance("loglikelihood", {}, args, 0) for row in requests for args in row]
    answers: list[tuple[float, bool]] = lm.loglikelihood(instances, disable_tqdm=True)
    return answers


def task_requests(task: str, rows: int, folder: Path) -> list[Texts]:
    """The requests of each row of a task."""
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), metadata={"pretrained": str(folder)})
    instance = manager.load([task])["tasks"][task]
    instance.build_all_requests(limit=rows, rank=0, world_size=1)
    return list(grouped((request.doc_id, request.args) for request in instance.instances).values())
