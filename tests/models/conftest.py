"""A tokenizer, random models, and a comparison of the backend with lm-eval's hf."""

import random

import pytest
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from peft import get_peft_model
from transformers import AutoConfig, AutoModelForCausalLM

from lm_eval_sea.models import SharedPrefixLM, planning

from ..quick import quick_of

TEXT = "sebuah kota besar di tepi sungai yang ramai pada hari pasar ketika para pedagang datang dari desa"
WORDS = TEXT.split()

_SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
_GQA = _SIZES | {"num_key_value_heads": 2, "max_position_embeddings": 256, "initializer_range": 0.3}
_WINDOWED = _GQA | {"head_dim": 8, "sliding_window": 24}
_ALTERNATING = _WINDOWED | {"layer_types": ["sliding_attention", "full_attention"]}
_VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
_VISION |= {"image_size": 28, "patch_size": 14}
_EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 16}
_LATENT = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8}
_PER_LAYER_SIZES = {"vocab_size_per_layer_input": 400, "hidden_size_per_layer_input": 8, "num_kv_shared_layers": 0}
_PER_LAYER = _PER_LAYER_SIZES | {"laurel_rank": 4, "altup_num_inputs": 2, "activation_sparsity_pattern": [0.0, 0.0]}
_GEMMA4 = _ALTERNATING | _PER_LAYER_SIZES | {"global_head_dim": 8}
_HYBRID = {"layer_types": ["linear_attention", "full_attention"]}
_DELTA = _GQA | _HYBRID | {"head_dim": 8, "initializer_range": 0.1, "linear_num_key_heads": 2, "linear_num_value_heads": 4}
_DELTA |= {"linear_key_head_dim": 8, "linear_value_head_dim": 8}
_SHARED_EXPERT = _EXPERTS | {"num_experts": 4, "shared_expert_intermediate_size": 16}
_MAMBA2 = _GQA | {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_expand": 2}
_MAMBA2 |= {"mamba_chunk_size": 16}
# Computed in rows that branch.
ARCHITECTURES = {
    "llama": ("llama", _GQA),
    "llama-tied": ("llama", _GQA | {"tie_word_embeddings": True}),
    "llama-all-heads": ("llama", _GQA | {"num_key_value_heads": 4}),
    "qwen2": ("qwen2", _GQA),
    "qwen2-windowed": ("qwen2", _GQA | {"use_sliding_window": True, "sliding_window": 24, "max_window_layers": 1}),
    "qwen3": ("qwen3", _GQA | {"head_dim": 8}),
    "gemma": ("gemma", _GQA | {"head_dim": 8}),
    "gemma2": ("gemma2", _WINDOWED | {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 5.0}),
    "gemma3": ("gemma3_text", _ALTERNATING),
    "gemma3-multimodal": ("gemma3", {"text_config": _ALTERNATING, "vision_config": _VISION, "mm_tokens_per_image": 4}),
    "gemma3n": ("gemma3n_text", _ALTERNATING | _PER_LAYER),
    "gemma4": ("gemma4_text", _GEMMA4),
    "gemma4-multimodal": ("gemma4", {"text_config": _GEMMA4}),
    "cohere2": ("cohere2", _ALTERNATING),
    "olmo3": ("olmo3", _GQA | {"sliding_window": 24, "layer_types": ["sliding_attention", "full_attention"]}),
    "phi3": ("phi3", _GQA),
    "glm4": ("glm4", _GQA | {"head_dim": 8}),
    "gpt-oss": ("gpt_oss", _ALTERNATING | {"num_local_experts": 4, "num_experts_per_tok": 2}),
    "qwen3-moe": ("qwen3_moe", _GQA | _EXPERTS | {"head_dim": 8, "num_experts": 4}),
    "deepseek-v3": (
        "deepseek_v3",
        _GQA | _EXPERTS | _LATENT | {"num_key_value_heads": 4, "n_routed_experts": 4, "n_group": 1, "topk_group": 1},
    ),
    "mistral": ("mistral", _GQA | {"sliding_window": None}),
    "mistral-windowed": ("mistral", _GQA | {"sliding_window": 24}),
    "gpt2": ("gpt2", {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256, "initializer_range": 0.3}),
    "gpt-neox": ("gpt_neox", _SIZES | {"max_position_embeddings": 256, "initializer_range": 0.3}),
    "falcon": ("falcon", _SIZES | {"alibi": False, "max_position_embeddings": 256, "initializer_range": 0.3}),
}
# Those whose soft-capped attention or attention sinks transformers computes with eager attention alone.
NO_SDPA = ("gemma2", "gpt-oss")
# Each kind of attention takes masks in its own form, so some models of each kind of layer are computed with both.
EAGER = (*NO_SDPA, "llama", "mistral-windowed", "gemma3", "gpt-neox")
WITH_ATTENTION = quick_of(
    ["llama-sdpa", "gemma3-sdpa", "gpt2-sdpa", "deepseek-v3-sdpa", "gemma2-eager", "mistral-windowed-eager"],
    [*((name, "sdpa") for name in ARCHITECTURES if name not in NO_SDPA), *((name, "eager") for name in EAGER)],
)
# Computed behind copies of a cache: models with a state or chunks of attention, and those that take no masks of our own.
COPYING = {
    "qwen3-next": ("qwen3_next", _DELTA | _SHARED_EXPERT),
    "qwen3.5": ("qwen3_5_text", _DELTA),
    "qwen3.5-moe": ("qwen3_5_moe_text", _DELTA | _SHARED_EXPERT),
    "olmo-hybrid": ("olmo_hybrid", _DELTA),
    "nemotron-h": ("nemotron_h", _GQA | {
        "num_hidden_layers": 4, "layer_types": ["linear_attention", "mlp", "full_attention", "moe"], "head_dim": 8,
        "mamba_num_heads": 4, "mamba_head_dim": 16, "ssm_state_size": 8, "n_groups": 1, "chunk_size": 16, "n_routed_experts": 4,
        "num_experts_per_tok": 2, "moe_intermediate_size": 16, "moe_shared_expert_intermediate_size": 16,
    }),
    "falcon-h1": ("falcon_h1", _MAMBA2 | {"mamba_d_ssm": 64, "head_dim": 8}),
    "granite-hybrid": ("granitemoehybrid", _MAMBA2 | {
        "layer_types": ["mamba", "attention"], "num_local_experts": 4, "shared_intermediate_size": 32,
    }),
    "bamba": ("bamba", _MAMBA2 | {"attn_layer_indices": [1], "attn_rotary_emb": 4}),
    "zamba2": ("zamba2", _MAMBA2 | {
        "n_mamba_heads": 4, "mamba_headdim": 16, "layers_block_type": ["mamba", "hybrid"], "hybrid_layer_ids": [1],
        "num_mem_blocks": 1, "chunk_size": 16, "attention_hidden_size": 64, "attention_head_dim": 16,
    }),
    "mamba2": ("mamba2", {
        "hidden_size": 32, "num_hidden_layers": 2, "num_heads": 4, "head_dim": 16, "state_size": 8, "n_groups": 1,
        "chunk_size": 16, "initializer_range": 0.3,
    }),
    "lfm2": ("lfm2", _GQA | {"layer_types": ["conv", "full_attention"]}),
    "lfm2-moe": ("lfm2_moe", _GQA | _EXPERTS | {
        "layer_types": ["conv", "full_attention"], "num_experts": 4, "num_dense_layers": 1,
    }),
    "llama4": ("llama4_text", _GQA | {
        "head_dim": 8, "layer_types": ["chunked_attention", "full_attention"], "attention_chunk_size": 16,
        "no_rope_layers": [1, 0], "num_local_experts": 2, "moe_layers": [1], "intermediate_size_mlp": 64,
    }),
    # its window counts columns, not positions
    "gpt-neo": ("gpt_neo", {
        "hidden_size": 32, "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]], "window_size": 24,
        "max_position_embeddings": 256, "initializer_range": 0.3,
    }),
    # rotates keys by column, so a beginning computed in other columns cannot be used
    "roformer": ("roformer", _SIZES | {"embedding_size": 32, "is_decoder": True, "initializer_range": 0.3}),
    "falcon-alibi": ("falcon", _SIZES | {"alibi": True, "new_decoder_architecture": False, "initializer_range": 0.3}),
    "bloom": ("bloom", {"hidden_size": 32, "n_layer": 2, "n_head": 4, "initializer_range": 0.3}),
    "mpt": ("mpt", {"d_model": 32, "n_layers": 2, "n_heads": 4, "initializer_range": 0.3}),
}  # fmt: skip
# Cannot be computed along shared prefixes.
PLAIN = {
    "mamba": ("mamba", {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4, "initializer_range": 0.3}),
    "jamba": ("jamba", _GQA | {"mamba_d_state": 8, "mamba_dt_rank": 4, "attn_layer_period": 2, "attn_layer_offset": 1}),
    "recurrent-gemma": ("recurrent_gemma", _GQA | {
        "num_hidden_layers": 3, "lru_width": 32, "attention_window_size": 24, "head_dim": 8,
        "block_types": ["recurrent", "recurrent", "attention"],
    }),
    "roberta": ("roberta", _SIZES | {"is_decoder": True}),
    "rwkv": ("rwkv", {"hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32, "intermediate_size": 64}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def short_rows(monkeypatch):
    """Rows so short that a few requests need prefixes, branches and several batches."""
    monkeypatch.setattr(planning, "ROW_TOKENS", 80)
    monkeypatch.setattr(planning, "PACKED_ROW_TOKENS", 40)


@pytest.fixture(scope="session")
def tokenizers():
    """Byte-level tokenizers, without and with a begin-of-sequence token."""
    from make_tiny_model import train_tokenizer

    return {bos: train_tokenizer([TEXT] * 4, bos=bos, vocabulary=400) for bos in (False, True)}


@pytest.fixture(scope="module")
def llama(tokenizers):
    return make_model("llama", len(tokenizers[True]))


def make_model(name, vocabulary, *, dtype=torch.float32, attention=None, **changes):
    kind, settings = (ARCHITECTURES | COPYING | PLAIN)[name]
    common = {"vocab_size": vocabulary, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0} | changes
    settings = settings | ({"text_config": settings["text_config"] | common} if "text_config" in settings else common)
    torch.manual_seed(0)
    options = {} if attention is None else {"attn_implementation": attention}
    return AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **settings), **options).to(dtype).eval()


def make_adapter(folder, model, config):
    """Writes an adapter with random weights for a model; returns its folder."""
    torch.manual_seed(1)
    adapted = get_peft_model(AutoModelForCausalLM.from_pretrained(model), config)
    for parameter in adapted.parameters():
        if parameter.requires_grad:  # a new adapter changes nothing
            torch.nn.init.normal_(parameter, std=0.3)
    adapted.save_pretrained(folder)
    return str(folder)


def text(dice, low, high=None):
    return " ".join(dice.choices(WORDS, k=dice.randint(low, high or low)))


def ranking_requests(rows=6, *, seed=0, prefix=20, bos=False):
    """Requests like the pack's: per row its options and the prompt itself; two rows share a passage."""
    dice = random.Random(seed)
    exemplars = text(dice, prefix)
    requests = []
    for row in range(rows):
        if row % 2 == 0:
            passage = text(dice, 4, 12)
        prompt = f"{exemplars}\n{passage}\n{text(dice, 2, 5)}:"
        requests += [(prompt, " " + text(dice, 1, 5)) for _ in range(3)]
        requests.append(("", prompt) if bos else (prompt[:1], prompt[1:]))
    return requests


# A float32 has 24 bits: a sum is at best within 6e-8 of itself, and the terms are rounded, too.
LOGLIKELIHOOD_ROUNDING = 3e-7


def ask(lm, requests):
    instances = [Instance("loglikelihood", {}, args, index) for index, args in enumerate(requests)]
    return lm.loglikelihood(instances, disable_tqdm=True)


def generate(lm, prompts, **settings):
    """The texts generated for prompts of one task."""
    settings = {"until": [], "max_gen_toks": 12} | settings
    asked = [Instance("generate_until", {}, (p, settings), n, metadata=("task", n, 1)) for n, p in enumerate(prompts)]
    return lm.generate_until(asked, disable_tqdm=True)


def answer(model_class, model, tokenizer, requests, **options):
    lm = model_class(model, tokenizer=tokenizer, **({"batch_size": 4} | options))
    return lm, ask(lm, requests)


def assert_equal(answers, expected, *, tolerance=1e-4, greedy=True):
    """Log-likelihoods may differ by `tolerance` nats, and large ones by the rounding of their sum."""
    for (loglikelihood, is_greedy), (expected_loglikelihood, expected_greedy) in zip(answers, expected, strict=True):
        assert loglikelihood == pytest.approx(expected_loglikelihood, abs=tolerance, rel=LOGLIKELIHOOD_ROUNDING)
        assert is_greedy == expected_greedy or not greedy


def assert_like_parent(model, tokenizer, requests, *, tolerance=1e-4, greedy=True, plain=False, parent=None, **options):
    """Compares the backend with its parent, hf; returns the backend."""
    _, expected = answer(HFLM, model, tokenizer, requests, **options | (parent or {}))
    lm, answers = answer(SharedPrefixLM, model, tokenizer, requests, **options)
    assert lm._plain == plain
    assert_equal(answers, expected, tolerance=tolerance, greedy=greedy)
    return lm
