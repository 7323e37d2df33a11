"""Checks how a model is used before any of it is loaded: backend, arguments, generation, tokenizer.

Each `check_…` raises a `RunError` that says what is wrong and how to fix it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from lm_eval_sea.catalogue.names import meant
from lm_eval_sea.models.obstacles import ropes_of
from lm_eval_sea.results.read import read
from lm_eval_sea.results.settings import LIMITS
from lm_eval_sea.results.types import ResultsError
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run.chat_template import how_to_load, load_tokenizer
from lm_eval_sea.run.model_files import is_elsewhere, reads_folders
from lm_eval_sea.run.request import CHAT_API, RunError, Tasks, in_one_line
from lm_eval_sea.tasks._shared.facts import facts
from lm_eval_sea.tasks._shared.sea_helm.conversations import samples_file
from lm_eval_sea.tasks._shared.tokenization import TextTokenizer, refuse_another

logger = logging.getLogger("lm_eval_sea")

# The backends that pass structured outputs to their engine.
CHOOSING = ("vllm-shared-prefix", CHAT_API)
_OF_TRANSFORMERS = ("hf", "huggingface")
# Metadata that a task of the pack sets and a user must not change.
STATED_BY_TASKS = {
    *("rows", "chance", "headline_metric", "version", "dataset", "data_set", "data_source", "language", "variant", "task"),
    *("prompt_language", "prompt_book_version", "provenance", "answer_cue", "answer_tag", "setting", "source_language"),
    *("answer_language", "exemplar_language", "exemplar_book_version", "label_words", "as_published", "turn_text", "subset"),
}
_NOT_OF_LM_EVAL = {
    "max_length": "the prompt would count, too, and the task's limit would not; give max_gen_toks",
    "num_return_sequences": "one answer of a prompt is scored; leave it out, or use --seeds N",
    "stop_strings": "give until",
}


def check_backend(name: str) -> None:
    """Refuses an unknown backend, or one whose package is missing."""
    from lm_eval.api.registry import get_model, model_registry  # the pack's are there since `lm_eval_sea.models` was imported

    if name not in model_registry:
        raise RunError(f"there is no backend {name!r}; the backends are {', '.join(sorted(model_registry))}")
    try:
        get_model(name)
    except Exception as error:  # a missing package, or a broken one, which can raise anything
        raise RunError(f"the backend {name} cannot be used: {in_one_line(error)}") from error


def check_arguments(backend: str, model_args: Mapping[str, Any], device: str | None) -> None:
    """Refuses arguments that lm-eval would silently misread, whatever the machine."""
    if reads_folders(backend) and model_args.get("pretrained") is None:
        raise RunError(f"--model {backend} needs a model: --model_args pretrained=…, a folder or a repository of the hub")
    if backend == CHAT_API and "model" not in model_args:
        raise RunError("--model chat-api needs the name that the server knows: --model_args model=…,base_url=…")
    if backend == CHAT_API and "tokenizer" in model_args:
        raise RunError("--model chat-api sends messages, which the server tokenizes: leave tokenizer out of --model_args")
    for name in ("max_length", "max_model_len"):
        if name in model_args and not (isinstance(model_args[name], int) and model_args[name] > 0):
            raise RunError(
                f"--model_args {name}={model_args[name]}: expected a number of tokens; leave it out for the model's own"
            )
    for name, value in model_args.items():
        if str(value).lower() in ("yes", "no", "on", "off") and name not in ("thinking", "effort"):
            raise RunError(f"--model_args {name}={value}: a text, which counts as True; give True or False")
    if not backend.startswith(_OF_TRANSFORMERS):
        return
    for name in ("device", "batch_size", "max_batch_size"):
        if name in model_args:
            raise RunError(f"{name} in --model_args: give it as --{name}")
    import torch

    for name in ("dtype", "softmax_dtype"):
        named = getattr(torch, given, None) if isinstance(given := model_args.get(name), str) else given
        if given not in (None, "auto") and not isinstance(named, torch.dtype):
            raise RunError(f"--model_args {name}={given}: torch has no such type; give bfloat16, float16 or float32")
    try:
        torch.device("cpu" if device is None else device)
    except RuntimeError as error:
        raise RunError(f"--device {device}: there is no such device; leave it out, or give cpu or one such as cuda:0") from error


def check_device(backend: str, model_args: Mapping[str, Any], device: str | None) -> None:
    """Refuses a device that this machine lacks, for which lm-eval would silently take another."""
    if not backend.startswith(_OF_TRANSFORMERS):
        return
    if model_args.get("parallelize") and device is None and not _is_usable("cuda"):
        raise RunError("parallelize=True in --model_args spreads a model over GPUs, and there is none here; leave it out")
    if device is not None and not _is_usable(device):
        raise RunError(f"--device {device}: there is no such device here; leave it out, or give cpu or one such as cuda:0")


def check_metadata(metadata: Mapping[str, Any], model_args: Mapping[str, Any], tasks: Iterable[str]) -> None:
    """Refuses metadata (to which lm-eval adds the model's arguments) that would replace a task's own."""
    replaced = sorted(name for name in STATED_BY_TASKS & set(metadata) if metadata[name] != model_args.get(name))
    if replaced and any(name.startswith("sea_") for name in tasks):
        raise RunError(f"--metadata {', '.join(replaced)}: the tasks set this themselves; leave it out")


def check_generation(backend: str, gen_kwargs: Mapping[str, Any]) -> None:
    """Refuses generation settings that transformers does not know or cannot use; other engines do so themselves."""
    if not backend.startswith(_OF_TRANSFORMERS):
        return
    from transformers import GenerationConfig

    if unknown := sorted(set(gen_kwargs) - {*vars(GenerationConfig()), *LIMITS, "until"}):
        like = "; did you mean until?" if unknown[0] == "stop" else meant(unknown[0], vars(GenerationConfig()), 1)
        raise RunError(f"--gen_kwargs {unknown[0]!r}: transformers has no such generation setting{like}")
    if gen_kwargs.get("top_k") == -1:  # vLLM's
        raise RunError("--gen_kwargs top_k=-1: transformers takes 0 for all tokens")
    for name, why in _NOT_OF_LM_EVAL.items():
        if name in gen_kwargs:
            raise RunError(f"--gen_kwargs {name}={gen_kwargs[name]}: {why}")


def check_batch_size(backend: str, batch_size: Any, max_batch_size: Any) -> None:
    """Refuses lm-eval's search for the largest batch on a CPU: nothing stops it there before all memory is taken."""
    if backend not in ("hf", "huggingface") or not str(batch_size).startswith("auto") or max_batch_size:
        return
    import torch

    if not torch.accelerator.is_available():
        raise RunError(
            f"--batch_size {batch_size}: without an accelerator the search for the largest batch may take all memory, which "
            "kills the run; give a number, add --max_batch_size 16, or take --model hf-shared-prefix"
        )


def check_positions(backend: str, model_args: Mapping[str, Any]) -> None:
    """Refuses a window longer than a transformers model's positions; other engines do so themselves."""
    given = model_args.get("max_length")
    if not isinstance(given, int) or not backend.startswith(_OF_TRANSFORMERS):
        return
    config = text_config(model_args)
    if (most := positions_of(config)) is None:
        return
    stretched = [
        (rope.get("original_max_position_embeddings") or most) * factor
        for rope in ropes_of(config)
        if isinstance(factor := rope.get("factor"), int | float)
    ]
    if given > (most := max([most, *map(int, stretched)])):
        raise RunError(
            f"--model_args max_length={given}: the model has {most:,} positions (max_position_embeddings of its config.json), "
            "and computes nonsense beyond them; leave max_length out, or lower it"
        )


def text_config(model_args: Mapping[str, Any]) -> Any | None:
    """The text part of a model's configuration; None if only the backend can read it, or say why not."""
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(model_args["pretrained"], **how_to_load(model_args)).get_text_config()
    except Exception:
        return None


def positions_of(config: Any | None) -> int | None:
    """The number of a model's positions, from what `text_config` returns; None if it is not stated."""
    positions = getattr(config, "max_position_embeddings", None)
    return positions if isinstance(positions, int) else None


def generation_config_of(model_args: Mapping[str, Any]) -> dict[str, Any]:
    """What a model's generation config sets other than transformers' defaults; empty if there is none."""
    name = model_args.get("pretrained")
    if not isinstance(name, str):
        return {}
    from transformers import GenerationConfig

    try:
        return GenerationConfig.from_pretrained(name, revision=model_args.get("revision") or "main").to_diff_dict()
    except (OSError, ValueError):  # it has none
        return {}


def _is_usable(device: str) -> bool:
    """Whether lm-eval accepts a device and torch has it; for an unknown name lm-eval silently uses the CPU or a GPU."""
    import torch

    kind = device.partition(":")[0]
    if kind == "cpu":
        return device == kind
    of_kind: Any = getattr(torch, kind, None)
    there = [f"{kind}:{number}" for number in range(of_kind.device_count())] if hasattr(of_kind, "device_count") else []
    return device in there or (bool(there) and device in ("cuda", "mps"))


def check_constraints(backend: str, tasks: Tasks) -> None:
    """Refuses tasks that need answers constrained to the options, with a backend that cannot constrain them."""
    if backend not in CHOOSING and (asked := _choices(tasks)):
        raise RunError(
            f"--model {backend} cannot constrain answers, as {some_names(asked)} asks; take {' or '.join(CHOOSING)}, or the "
            "tasks with _chat in place of _choice"
        )


def check_choices_follow_thoughts(model_args: Mapping[str, Any], tasks: Tasks) -> None:
    """Refuses tasks with constrained answers if the engine cannot tell thoughts from answers: it would constrain the thought."""
    if "reasoning_parser" not in model_args and (asked := _choices(tasks)):
        raise RunError(
            f"{some_names(asked)}: the model thinks, and its thought would have to be one of the options; name vLLM's parser of "
            "its thoughts, such as --model_args reasoning_parser=qwen3, or add --thinking off, or take _chat in place of _choice"
        )


def _choices(tasks: Tasks) -> list[str]:
    return [name for name, task in tasks.items() if (task.config.metadata or {}).get("variant") == "choice"]


def check_first_turns(model_args: Mapping[str, Any], weights: str | None, tasks: Tasks) -> None:
    """Refuses a second turn that would continue another model's first answers; `weights` is the digest of this model's."""
    for name, task in tasks.items():
        known = facts(task.config.metadata or {})
        if "first_turn_task" not in known:
            continue
        file = samples_file(known["first_turn_task"], str(known["first_turn"])).resolve()
        try:
            found = read(file.parent).tasks
        except ResultsError:  # a file of another name, without results
            continue
        for first in (of.run for of in found if of.samples == file and of.run.has_results):
            called = str(first.recorded).removesuffix(first.settings.in_name)
            one_name = called in map(str, model_args.values())
            if one_name if None in (first.settings.weights, weights) else first.settings.weights == weights:
                continue
            other = "other weights under this name" if one_name else called
            again = f"run {known['first_turn_task']} with this model"
            raise RunError(f"{name}: the first answers, in {file}, are of {other}; {again}")


def check_adapter_tokenizer(config: Any) -> None:
    """Refuses an adapter with its own tokenizer, because the model's would silently be used instead."""
    model_args = config.model_args
    adapter = model_args.get("peft") or model_args.get("lora_local_path")
    if adapter is None or model_args.get("tokenizer") or not reads_folders(config.model) or is_elsewhere(model_args):
        return
    of_model, own = load_tokenizer(model_args), load_tokenizer({**model_args, "pretrained": adapter})
    if of_model is None or own is None:
        return
    if own.get_vocab() != of_model.get_vocab():
        what = f"{len(own):,} tokens, not {len(of_model):,}"
    elif config.apply_chat_template and own.chat_template != of_model.chat_template:
        what = "another chat template"
    else:
        return
    name = of_model.name_or_path
    raise RunError(
        f"the adapter {adapter} has a tokenizer other than {name} ({what}): add tokenizer={adapter} to --model_args, or "
        f"tokenizer={name} for the model's"
    )


def warn_of_other_tokens(backend: str, model_args: Mapping[str, Any]) -> None:
    """Warns of a tokenizer whose token numbers differ from the model's: the model would read another text than it is given."""
    if not model_args.get("tokenizer") or not reads_folders(backend) or is_elsewhere(model_args):
        return
    own, given = load_tokenizer({**model_args, "tokenizer": None}), load_tokenizer(model_args)
    if own is None or given is None:
        return
    of_model, named = own.get_vocab(), given.get_vocab()
    alike = sum(named.get(token) == number for token, number in of_model.items())
    if alike < min(len(of_model), len(named)) / 2:  # an extended vocabulary keeps the old tokens
        said = "tokenizer=%s has %d of the model's own %d tokens; with another model's tokenizer all scores are noise"
        logger.warning(said, model_args["tokenizer"], alike, len(of_model))


def check_named_tokenizer(config: Any, tasks: Tasks) -> None:
    """Compares the tokenizer that `--metadata` names with the model's own, as the tasks do once the model is loaded."""
    named = config.metadata.get("tokenizer")
    needed = any(hasattr(task, "NEEDS_TOKENIZER") for task in tasks.values())
    if not needed or not isinstance(named, str) or not reads_folders(config.model):
        return
    tokenizer = load_tokenizer(config.model_args)
    if tokenizer is None or named == tokenizer.name_or_path:
        return
    own = TextTokenizer(tokenizer.encode, name=tokenizer.name_or_path, bos_token_id=tokenizer.bos_token_id, max_length=0)
    try:
        refuse_another(named, own)
    except ValueError as error:
        raise RunError(f"metadata: {in_one_line(error)}") from error
