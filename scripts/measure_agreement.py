#!/usr/bin/env python3
"""Measures, for families of models, how far `hf` and `hf-shared-prefix` are from 32 bits, and prints a Markdown table.

Each model is a small one with random weights of 16 bits. What `hf` says with them in 32 bits, at batch size 1, counts as the
truth: log-likelihoods of options of one to five tokens behind prompts that begin alike, and greedy texts behind such prompts.

Examples:
    python scripts/measure_agreement.py
    python scripts/measure_agreement.py --dtype float16 llama gpt-neo
"""

from __future__ import annotations

import argparse
import logging
import random
from typing import Any

import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from make_tiny_model import train_tokenizer
from transformers import AutoConfig, AutoModelForCausalLM

from lm_eval_sea.models import SharedPrefixLM
from lm_eval_sea.models.branching import BranchingModel

VOCABULARY = 1000
WINDOW = 400

_SIZES = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 128, "initializer_range": 0.1}
_LONG = _SIZES | {"max_position_embeddings": 514}
_GROUPED = _SIZES | {"num_key_value_heads": 2, "max_position_embeddings": 512}
_WINDOWED = _GROUPED | {"head_dim": 16, "sliding_window": 48}
_ALTERNATING = _WINDOWED | {"layer_types": ["sliding_attention", "full_attention"] * 2}
_HYBRID = _GROUPED | {
    "layer_types": ["linear_attention", "full_attention"] * 2, "head_dim": 16, "linear_num_key_heads": 2,
    "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
}  # fmt: skip
_MAMBA2 = _GROUPED | {
    "mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_expand": 2, "mamba_chunk_size": 16,
}  # fmt: skip
_GPT = {"n_embd": 64, "n_layer": 4, "n_head": 4, "n_positions": 512, "initializer_range": 0.1}
# The border lies within the texts.
_LONGROPE = {
    "rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 110,
    "short_factor": [1 + place / 10 for place in range(8)], "long_factor": [2 + place for place in range(8)],
}  # fmt: skip
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "Llama": ("llama", _GROUPED),
    "Mistral, windows": ("mistral", _WINDOWED),
    "Qwen2": ("qwen2", _GROUPED),
    "Qwen3": ("qwen3", _GROUPED | {"head_dim": 16}),
    "Qwen3 MoE": (
        "qwen3_moe", _GROUPED | {"num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 16, "num_experts": 8}
    ),
    "Gemma 2": ("gemma2", _WINDOWED),
    "Gemma 3": ("gemma3_text", _ALTERNATING),
    "Phi-3, longrope": ("phi3", _GROUPED | {"rope_parameters": _LONGROPE, "original_max_position_embeddings": 110}),
    "gpt-oss": ("gpt_oss", _ALTERNATING | {"num_local_experts": 4, "num_experts_per_tok": 2}),
    "GPT-2": ("gpt2", _GPT),
    "GPT-J": ("gptj", _GPT | {"rotary_dim": 16}),
    "GPT-Neo": (
        "gpt_neo",
        {
            "hidden_size": 64, "num_layers": 4, "num_heads": 4, "attention_types": [[["global", "local"], 2]], "window_size": 48,
            "max_position_embeddings": 512, "initializer_range": 0.1,
        },
    ),
    "GPT-NeoX": ("gpt_neox", _LONG),
    "OPT": (
        "opt",
        {
            "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "ffn_dim": 128, "max_position_embeddings": 512,
            "word_embed_proj_dim": 64, "init_std": 0.1,
        },
    ),
    "BLOOM (ALiBi)": ("bloom", {"hidden_size": 64, "n_layer": 4, "n_head": 4, "initializer_range": 0.1}),
    "BERT decoder": ("bert", _LONG | {"is_decoder": True}),
    "RoBERTa decoder": ("roberta", _LONG | {"is_decoder": True}),
    "RoFormer decoder": ("roformer", _LONG | {"is_decoder": True, "embedding_size": 64}),
    "Mamba-2": (
        "mamba2",
        {
            "hidden_size": 64, "num_hidden_layers": 4, "num_heads": 8, "head_dim": 16, "state_size": 16, "n_groups": 1,
            "chunk_size": 16, "initializer_range": 0.1,
        },
    ),
    "Qwen3.5": ("qwen3_5_text", _HYBRID),
    "Falcon-H1": ("falcon_h1", _MAMBA2 | {"mamba_d_ssm": 128, "head_dim": 16}),
    "LFM2": ("lfm2", _GROUPED | {"layer_types": ["conv", "full_attention"] * 2}),
    "RecurrentGemma": (
        "recurrent_gemma",
        _GROUPED | {
            "num_hidden_layers": 3, "lru_width": 64, "attention_window_size": 48, "head_dim": 16,
            "block_types": ["recurrent", "recurrent", "attention"],
        },
    ),
}  # fmt: skip
HEADER = (
    "| family | log-likelihoods | largest difference to `hf`, 32 bits | `hf` to 32 bits | shared to 32 bits "
    "| shared / `hf` | self-check, tokens | texts like `hf`'s, 32 bits |\n|---|---|---:|---:|---:|---:|---:|---:|"
)


def make_model(family: str, dtype: torch.dtype) -> Any:
    """A model with random weights that `dtype` can hold, in 32 bits."""
    kind, settings = FAMILIES[family]
    torch.manual_seed(0)
    ids = {"vocab_size": VOCABULARY, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **settings, **ids)).eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:  # biases and norms begin as nothing
            parameter.data += torch.randn_like(parameter) * 0.05
    return model.to(dtype).float()


def make_requests(rows: int) -> list[tuple[tuple[str, str], list[int], list[int]]]:
    """Prompts of 98 to 130 tokens, of which the first 90 are common, with four options each."""
    dice = random.Random(0)

    def tokens(count: int) -> list[int]:
        return [dice.randrange(2, VOCABULARY) for _ in range(count)]

    exemplars = tokens(90)
    prompts = [exemplars + tokens(dice.randint(8, 40)) for _ in range(rows)]
    return [(("", ""), prompt, tokens(dice.randint(1, 5))) for prompt in prompts for _ in range(4)]


def make_prompts(count: int) -> list[Instance]:
    """Prompts to generate from, in words that the tokenizer knows."""
    dice = random.Random(0)
    exemplars = " ".join(dice.choices("abcd", k=60))
    settings = {"until": [], "max_gen_toks": 12, "do_sample": False}
    prompts = [f"{exemplars} " + " ".join(dice.choices("abcd", k=dice.randint(1, 20))) for _ in range(count)]
    return [
        Instance("generate_until", {}, (prompt, settings), 0, metadata=("task", row, 1)) for row, prompt in enumerate(prompts)
    ]


def measure(family: str, dtype: torch.dtype, rows: int) -> str:
    """A line of the table."""
    tokenizer = train_tokenizer(["a b c d"], bos=False, vocabulary=260)
    model, requests = make_model(family, dtype), make_requests(rows)

    def ask(backend: type[HFLM]) -> tuple[Any, list[float]]:
        # at a larger size the longest text of a batch decides how hf encodes positions, where that depends on the length
        batch_size = 8 if backend is SharedPrefixLM else 1
        lm = backend(model, tokenizer=tokenizer, batch_size=batch_size, max_length=WINDOW)
        return lm, [answer for answer, _ in lm._loglikelihood_tokens(requests, disable_tqdm=True)]

    def texts(backend: type[HFLM]) -> list[str]:
        lm = backend(model, tokenizer=tokenizer, batch_size=4, max_length=WINDOW)
        return lm.generate_until(make_prompts(8), disable_tqdm=True)

    (_, truth), (exact, shared) = ask(HFLM), ask(SharedPrefixLM)
    equal = sum(one == other for one, other in zip(texts(HFLM), texts(SharedPrefixLM), strict=True))
    model = model.to(dtype)
    (_, plain), (rounded, near) = ask(HFLM), ask(SharedPrefixLM)
    ways = list(dict.fromkeys("as `hf`" if lm._plain else _way(lm) for lm in (exact, rounded)))
    of_plain, of_shared = (sum(abs(a - b) for a, b in zip(answers, truth, strict=True)) / len(truth) for answers in (plain, near))
    largest = max(abs(a - b) for a, b in zip(shared, truth, strict=True))
    return (
        f"| {family} | {', then '.join(ways)} | {largest:.0e} | {of_plain:.4f} | {of_shared:.4f} | {of_shared / of_plain:.2f} "
        f"| {rounded.work.verification} | {equal} of 8 |"
    )


def _way(lm: SharedPrefixLM) -> str:
    return "rows that branch" if isinstance(lm._prefix_model(), BranchingModel) else "copies of the cache"


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", default=list(FAMILIES), help="families of the table (default: all)")
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16"], help="the 16 bits (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=24, help="prompts of four options (default: %(default)s)")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print(HEADER)
    for family in options.families:
        print(measure(family, getattr(torch, options.dtype), options.rows), flush=True)


if __name__ == "__main__":
    main()
