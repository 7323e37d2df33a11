"""What keeps a model from being computed along shared prefixes."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedModel

ATTENTION = ("sdpa", "eager")
LAYER_TYPES = {"full_attention", "sliding_attention"}


def find_obstacle(model: PreTrainedModel) -> str | None:
    """Why a causal model cannot be computed along shared prefixes, as the end of a sentence; None if nothing is known.

    A model without a known obstacle is still held against the plain forward pass before its numbers are used.
    """
    config = model.config.get_text_config()
    attention = getattr(config, "_attn_implementation", None)
    other_layers = set(getattr(config, "layer_types", None) or ()) - LAYER_TYPES
    if getattr(model, "_is_stateful", False) or other_layers:
        return f"it keeps a state besides keys and values ({', '.join(sorted(other_layers)) or 'state space'})"
    if _has_alibi(config):
        return "its attention measures distances in columns of the cache (ALiBi)"
    if attention not in ATTENTION:
        return f"its attention {attention!r} takes no mask of its own; attn_implementation=sdpa does"
    if any(adapter.is_prompt_learning for adapter in _adapters(model)):
        return "its adapter puts learnt tokens before the text"
    if model.get_output_embeddings() is None:
        return "its language-model head is not known"
    return None


def _has_alibi(config: Any) -> bool:
    attention = getattr(config, "attn_config", None)  # MPT
    alibi = getattr(config, "alibi", False) or getattr(attention, "alibi", False)
    return bool(alibi) or config.model_type == "bloom"


def _adapters(model: PreTrainedModel) -> list[Any]:
    configs = getattr(model, "peft_config", None)
    return list(configs.values()) if isinstance(configs, dict) else []
