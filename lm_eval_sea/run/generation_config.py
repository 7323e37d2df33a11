"""What a model's publishers say of its generation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def generation_config_of(model_args: Mapping[str, Any]) -> dict[str, Any]:
    """What the generation config of a model states other than transformers' defaults; nothing where there is none."""
    name = model_args.get("pretrained")
    if not isinstance(name, str):
        return {}
    from transformers import GenerationConfig

    try:
        config = GenerationConfig.from_pretrained(name, revision=model_args.get("revision") or "main")
    except (OSError, ValueError):  # it has none
        return {}
    return config.to_diff_dict()
