"""What is loaded for a model: which of its arguments name it, and at which revision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Arguments of lm-eval's backends that name a folder or a repository of the hub, with a file that all such have.
LOADED = {
    "pretrained": "config.json",
    "delta": "config.json",
    "tokenizer": "tokenizer_config.json",
    "peft": "adapter_config.json",
    "lora_local_path": "adapter_config.json",
}


def revision_of(argument: str, model_args: Mapping[str, Any]) -> str:
    """The revision at which lm-eval loads what an argument names, if it is a repository of the hub.

    It gives the model's own to all but vLLM's adapters.
    """
    return str((argument != "lora_local_path" and model_args.get("revision")) or "main")
