"""Model backends for lm-eval. vLLM is imported when its backend is asked for."""

import lm_eval.models  # noqa: F401 (lm-eval registers its own models when the registry is empty, so they must be in it first)
from lm_eval.api.registry import model_registry

from .shared_prefix import SharedPrefixLM

__all__ = ["SharedPrefixLM"]

MODELS = {
    "chat-api": "lm_eval_sea.models.chat_api:ChatAPI",
    "hf-shared-prefix": "lm_eval_sea.models.shared_prefix:SharedPrefixLM",
    "vllm-shared-prefix": "lm_eval_sea.models.vllm_shared_prefix:VLLMSharedPrefixLM",
}

for _name, _target in MODELS.items():
    if _name not in model_registry:  # where lm-eval reads entry points, they are in it
        model_registry.register(_name, target=_target)
