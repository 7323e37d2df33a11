"""Room for the thoughts of reasoning models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_sea.run.request import RunError

_LIMIT = "max_gen_toks"


def add_thinking_tokens(tasks: Mapping[str, Any], number: int, gen_kwargs: Any) -> None:
    """Raises the limit of tokens of every task that generates, through lm-eval's own `set_config`.

    Raises:
        RunError: for a number below 1, if `--gen_kwargs` has a limit for all tasks, or a task has none of its own.
    """
    if number < 1:
        raise RunError(f"--thinking_tokens {number}: expected 1 or more")
    if _LIMIT in gen_kwargs:
        raise RunError(
            f"--thinking_tokens is added to each task's own limit, which {_LIMIT} in --gen_kwargs replaces; give one of them"
        )
    generating = {name: task for name, task in tasks.items() if task.get_config("output_type") == "generate_until"}
    for name, task in generating.items():
        own = (task.config.generation_kwargs or {}).get(_LIMIT)
        if own is None:
            raise RunError(f"--thinking_tokens: {name} has no {_LIMIT} of its own; give --gen_kwargs {_LIMIT}=N instead")
        task.set_config("generation_kwargs", {_LIMIT: own + number}, update=True)
