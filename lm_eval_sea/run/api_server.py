"""Whether an API server can give what tasks ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run.request import RunError


def check_api_server(model: str, tasks: Mapping[str, Any], *, apply_chat_template: bool | str) -> None:
    """Refuses what a server that chats cannot give: it answers messages, and tells no log-probabilities.

    Without this the run would end with the first request that cannot be made, after what could be was paid for.
    """
    if not _chats(model):
        return
    ranked = [name for name, task in tasks.items() if task.OUTPUT_TYPE != "generate_until"]
    if ranked:
        raise RunError(
            f"--model {model} gives no log-probabilities, which are needed for {some_names(ranked)}; "
            "leave them out, or use local-completions with a server that echoes them, such as vllm serve"
        )
    if not apply_chat_template:
        raise RunError(f"--model {model} takes messages; add --apply_chat_template")


def _chats(model: str) -> bool:
    from lm_eval.api.registry import get_model
    from lm_eval.models.openai_completions import LocalChatCompletion

    try:
        kind = get_model(model)
    except Exception:  # a name or a package that is missing; lm-eval says it
        return False
    return isinstance(kind, type) and issubclass(kind, LocalChatCompletion)
