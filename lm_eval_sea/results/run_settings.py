"""With what settings runs were made, and in which of them two runs differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lm_eval_sea.results.provenance import provenance_of

if TYPE_CHECKING:
    from lm_eval_sea.results.run_files import Run, TaskResult

NOT_RECORDED = "none recorded"
# Arguments of a model that have a setting of their own, or change no number.
_APART = {"pretrained", "revision", "dtype", "softmax_dtype", "batch_size", "max_batch_size", "device", "trust_remote_code"}


def run_settings(run: Run) -> dict[str, Any]:
    """What a run says of how its numbers were made; None for what it does not say.

    `arguments` are those of the model that have no entry of their own, such as an adapter or a quantisation.
    """
    config = run.config
    given = config.get("model_args")
    arguments: Mapping[str, Any] = given if isinstance(given, dict) else {}
    return {
        "backend": config.get("model"),
        "revision": _text(config.get("model_sha") or config.get("model_revision") or arguments.get("revision")),
        "dtype": str(config.get("model_dtype") or arguments.get("dtype") or "").removeprefix("torch.") or None,
        "softmax_dtype": _text(arguments.get("softmax_dtype")),
        "arguments": ", ".join(f"{name}={value}" for name, value in sorted(arguments.items()) if name not in _APART) or None,
        "limit": config.get("limit"),
        "chat_template": config.get("chat_template_sha"),
        "system_instruction": config.get("system_instruction_sha"),
        "generation": str(config["gen_kwargs"]) if config.get("gen_kwargs") else None,
        "lm_eval": run.versions.get("lm_eval"),
        "transformers": run.versions.get("transformers"),
    }


def _text(value: Any) -> str | None:
    return str(value) if value else None


def _task_settings(task: TaskResult) -> dict[str, Any]:
    metadata: Mapping[str, Any] = task.metadata
    return {
        "exemplars": task.num_fewshot,
        "version of the task": task.version,
        "prompt book": metadata.get("prompt_book_version"),
        "data": provenance_of(metadata).data,
        "pack": provenance_of(metadata).pack_version,
    }


def differing_settings(left_out: Run, kept: Run, tasks: Iterable[str]) -> list[str]:
    """In what two runs differ that both have these tasks: "dtype: float16, kept bfloat16"."""
    pairs = [(run_settings(left_out), run_settings(kept))]
    pairs += [(_task_settings(left_out.tasks[name]), _task_settings(kept.tasks[name])) for name in tasks]
    found: dict[str, None] = {}
    for old, new in pairs:
        for name in old:
            if old[name] != new[name]:
                values = (NOT_RECORDED if value is None else str(value) for value in (old[name], new[name]))
                found.setdefault("{}: {}, kept {}".format(name.replace("_", " "), *values))
    return list(found)
