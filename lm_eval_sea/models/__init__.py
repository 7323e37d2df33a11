"""Model backends for lm-eval. vLLM is imported when its backend is asked for."""

import pkgutil
from typing import Any

import lm_eval.models  # noqa: F401 (lm-eval registers its own models when the registry is empty, so they must be in it first)
from lm_eval.api.registry import get_model, model_registry

from .shared_prefix import SharedPrefixLM

__all__ = ["SharedPrefixLM", "class_of"]

MODELS = {
    "chat-api": "lm_eval_sea.models.chat_api:ChatAPI",
    "hf-shared-prefix": "lm_eval_sea.models.shared_prefix:SharedPrefixLM",
    "vllm-shared-prefix": "lm_eval_sea.models.vllm_shared_prefix:VLLMSharedPrefixLM",
}
# lm-eval's own backends that can report why a text ended.
RECORDED = {
    **dict.fromkeys(("hf", "hf-auto", "huggingface"), "lm_eval_sea.models.recorded_hf:RecordedHF"),
    "vllm": "lm_eval_sea.models.recorded_vllm:RecordedVLLM",
}

for _name, _target in MODELS.items():
    if _name not in model_registry:  # lm-eval may have read the entry points already
        model_registry.register(_name, target=_target)


def class_of(backend: str) -> Any:
    """The class of a backend; for `hf` and `vllm` a subclass of lm-eval's that computes the same and reports why a text ended."""
    return pkgutil.resolve_name(RECORDED[backend]) if backend in RECORDED else get_model(backend)
