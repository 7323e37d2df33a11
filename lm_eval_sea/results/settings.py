"""The settings of runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lm_eval_sea.results.types import count_of, list_of, mapping_of
from lm_eval_sea.results.visible_text import one_line
from lm_eval_sea.thinking_switches import SWITCHES

# The names that generation settings may have for the most tokens of an answer; task files use the first.
LIMITS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
NOT_RECORDED = "none recorded"
OF_SERVER = "the server's"  # the chat template of a model that gets messages; results have no digest of it
# Model arguments that are recorded elsewhere, or change no score.
_APART = {
    *("pretrained", "revision", "dtype", "softmax_dtype"),
    *("batch_size", "max_batch_size", "device", "trust_remote_code", "seed"),
}
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
ADAPTERS = ("peft", "lora_local_path", "delta")  # model arguments that name weights to add to a model's
# Model arguments that make another model of the same weights.
_OTHER_MODEL = {
    *ADAPTERS,
    *("quantization", "load_in_4bit", "load_in_8bit", "gguf_file", "autogptq", "gptqmodel"),
}


def limit_in(generation: Mapping[str, Any]) -> Any:
    """The token limit in generation settings, under the first of `LIMITS` that they have; None without a limit."""
    return next((generation[name] for name in LIMITS if generation.get(name) is not None), None)


@dataclass(frozen=True)
class Settings:
    """What a run says about how its numbers were made; None for what it does not say."""

    backend: Any = None
    revision: str | None = None
    branch: str | None = None  # the branch or tag that was asked for: its weights may differ
    dtype: str | None = None
    softmax_dtype: str | None = None
    arguments: str | None = None  # model arguments without a field here, such as an adapter or a quantisation
    limit: Any = None
    chat_template: Any = None  # its digest, or `OF_SERVER`
    system_instruction: Any = None  # its digest
    thinking: str | None = None  # "on" or "off", if the run set it
    effort: str | None = None  # of reasoning, if the run set it
    generation: str | None = None
    weights: str | None = None  # digest of the weights in a local folder
    refused_parameters: str | None = None  # those that a server refused, with what was sent instead
    answered_by: str | None = None  # the server's names for the model, if not the one asked for
    prompts_cut_at: int | None = None  # tokens; concluded from the server's counts
    template_date: str | None = None  # that the chat template shows, if the run set it
    lm_eval: str | None = None
    transformers: str | None = None

    @property
    def in_name(self) -> str:
        """What is added to the model's name: branch, GGUF file (a folder has many), adapter, quantisation, thinking, effort."""
        others = [("file" if name == "gguf_file" else name, value) for name, value in self._of_other_model]
        modes = (("revision", self.branch), *others, ("thinking", self.thinking), ("effort", self.effort))
        parts = [f"{what} {mode}" for what, mode in modes if mode]
        return f" ({', '.join(parts)})" if parts else ""

    @property
    def adapter_or_quantisation(self) -> str | None:
        """The arguments that make another model of the same weights: "load_in_4bit=True"; None without them."""
        return ", ".join(f"{name}={value}" for name, value in self._of_other_model) or None

    @property
    def _of_other_model(self) -> list[tuple[str, str]]:
        given = (argument.partition("=") for argument in (self.arguments or "").split(", "))
        return [(name, value) for name, _, value in given if name in _OTHER_MODEL and value not in ("False", "None", "")]


def is_chat_server(backend: Any) -> bool:
    """Whether a backend sends messages to a server, which applies the chat template; such backends have "chat" in their names."""
    return "chat" in str(backend)


def settings_of(config: Mapping[str, Any], versions: Mapping[str, Any]) -> Settings:
    """The settings of a run, from lm-eval's `config` with the digests beside it, and from the versions of libraries."""
    arguments, refused = mapping_of(config.get("model_args")), mapping_of(config.get("refused_parameters"))
    names = [name for name in list_of(config.get("answered_by")) if isinstance(name, str)]
    answered_by = None if names == [arguments.get("model")] else _text(one_line(", ".join(names)))
    modes = {"on": "on", "true": "on", "off": "off", "false": "off"}
    of_request = mapping_of(config.get("gen_kwargs"))
    of_template = _template_arguments(arguments) | _template_arguments(of_request)
    branch = _text(arguments.get("revision"))
    switches = (of.get(name) for of in (arguments, of_template) for name, *_ in SWITCHES)
    stated = (config.get("thinking"), arguments.get("thinking"), *switches)  # what `run` and chat-api record comes first
    return Settings(
        backend=config.get("model"),
        revision=_text(config.get("model_sha") or config.get("model_revision") or arguments.get("revision")),
        branch=branch if branch != "main" and not _COMMIT.fullmatch(branch or "") else None,
        dtype=str(config.get("model_dtype") or arguments.get("dtype") or "").removeprefix("torch.") or None,
        softmax_dtype=_text(arguments.get("softmax_dtype")),
        # a folder's name may contain the separator
        arguments=", ".join(
            f"{name}={value}".replace(", ", ",") for name, value in sorted(arguments.items()) if name not in _APART
        )
        or None,
        limit=config.get("limit"),
        chat_template=config.get("chat_template_sha") or (OF_SERVER if is_chat_server(config.get("model")) else None),
        system_instruction=config.get("system_instruction_sha"),
        thinking=next((modes[value] for value in map(str.lower, map(str, stated)) if value in modes), None),
        effort=_text(of_request.get("reasoning_effort") or arguments.get("effort") or of_template.get("reasoning_effort")),
        generation=_text({name: value for name, value in of_request.items() if name != "seed"} or config.get("gen_kwargs")),
        weights=_text(config.get("weights_digest")),
        refused_parameters=refused_text(refused) or None,
        answered_by=answered_by,
        prompts_cut_at=count_of(config.get("prompts_cut_at")) or None,
        template_date=_text(config.get("template_date")),
        lm_eval=_text(versions.get("lm_eval")),
        transformers=_text(versions.get("transformers")),
    )


def refused_text(refused: Mapping[str, Any]) -> str:
    """Parameters that a server refused, each with what was sent instead: "top_k (not sent)"."""
    return ", ".join(f"{name} ({instead})" for name, instead in refused.items())


def _template_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that lm-eval's backends or a server gave the chat template, as a mapping or as JSON text."""
    found: dict[str, Any] = {}
    for given in (arguments.get("chat_template_args"), arguments.get("chat_template_kwargs")):
        with suppress(ValueError):
            found |= mapping_of(json.loads(given) if isinstance(given, str) else given)
    return found


def _text(value: Any) -> str | None:
    return str(value) if value else None
