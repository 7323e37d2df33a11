"""Whether a model can do what shared prefixes need."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

import transformers
from transformers import PreTrainedModel

ATTENTION = ("sdpa", "eager")
LAYER_TYPES = {"full_attention", "sliding_attention"}

# Kinds of rotary embeddings whose frequencies depend on the length of the text.
DEPENDS_ON_LENGTH = ("longrope", "dynamic")
# Types of models whose state transformers resets in a forward pass of several tokens.
ONE_TOKEN_STATES = {"falcon_mamba", "jamba", "mamba", "zamba"}


def find_obstacle(model: PreTrainedModel) -> str | None:
    """Why a causal model cannot be computed along shared prefixes, as the end of a sentence; None if nothing is known.

    A model without a known obstacle is still compared with the plain forward pass before its numbers are used.
    """
    config = model.config.get_text_config()
    if config.model_type in ONE_TOKEN_STATES:
        return f"the state of a {config.model_type} continues by only one token at a time"
    if _keeps_state(model) and not hasattr(transformers.cache_utils, "LinearAttentionLayer"):
        return "its cache holds no state before transformers 5"
    if any(adapter.is_prompt_learning for adapter in (getattr(model, "peft_config", None) or {}).values()):
        return "its adapter puts learnt tokens before the text"
    if model.get_output_embeddings() is None:
        return "its language-model head is not known"
    return None


def length_border(model: PreTrainedModel) -> int | None:
    """The longest text, in tokens, whose positions are encoded as those of shorter ones; None if all texts are encoded alike.

    Beyond the length of pretraining, Longrope (Ding et al. 2024) has other frequencies, and dynamic NTK new ones for every
    length. A prefix computed for a text within the border is not that of a text beyond it.
    """
    config = model.config.get_text_config()
    borders = [
        rope.get("original_max_position_embeddings")
        or getattr(config, "original_max_position_embeddings", None)
        or config.max_position_embeddings
        for rope in ropes_of(config)
        if rope.get("rope_type", rope.get("type")) in DEPENDS_ON_LENGTH
    ]
    return min(borders, default=None)


def ropes_of(config: Any) -> list[Mapping[str, Any]]:
    """The settings of a model's rotary embeddings: one for all layers, or one for each type of layer."""
    found = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    return [rope for rope in (found, *found.values()) if isinstance(rope, dict)]


def takes_masks(model: PreTrainedModel) -> bool:
    """Whether our masks alone decide which other tokens a token of the model sees."""
    config = model.config.get_text_config()
    # ALiBi and GPT-Neo's local attention measure distances in columns of the cache, as do models that take no positions
    counts_columns = _has_alibi(config) or "local" in getattr(config, "attention_layers", ())
    may_mask = config._attn_implementation in ATTENTION and not _keeps_state(model) and not counts_columns
    return may_mask and "position_ids" in forward_parameters(model)


def forward_parameters(model: PreTrainedModel) -> Collection[str]:
    """The named parameters of a model's forward pass; it ignores others."""
    # an adapter's signature says nothing
    bare: Any = model.get_base_model() if hasattr(model, "get_base_model") else model  # type: ignore[operator]
    return inspect.signature(type(bare).forward).parameters


def cache_keyword(model: PreTrainedModel) -> str:
    """The name of the cache in a model's forward pass; in transformers it is always `cache` since 5.24."""
    named = forward_parameters(model)
    return next((name for name in ("cache", "cache_params") if name in named), "past_key_values")


def _keeps_state(model: PreTrainedModel) -> bool:
    """Whether a model keeps anything but keys and values of earlier tokens, or keeps these in chunks."""
    config = model.config.get_text_config()
    other_layers = set(getattr(config, "layer_types", None) or ()) - LAYER_TYPES
    return bool(getattr(model, "_is_stateful", False) or other_layers)


def _has_alibi(config: Any) -> bool:
    of_mpt = getattr(config, "attn_config", None)
    return bool(getattr(config, "alibi", False) or getattr(of_mpt, "alibi", False)) or config.model_type == "bloom"
