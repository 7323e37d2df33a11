"""Checks the files of a model before any of it is loaded: folders, what the hub has, weights.

Each `check_…` raises a `RunError` that says what is wrong and how to fix it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.run.request import RunError, in_one_line
from lm_eval_sea.tasks._shared.hub_files import UNREACHED, fault_of_hub

logger = logging.getLogger("lm_eval_sea")

# Arguments of lm-eval's backends that name a folder or a repository of the hub → a file that it must have.
LOADED = {
    "pretrained": "config.json",
    "delta": "config.json",
    "tokenizer": "tokenizer_config.json",
    "peft": "adapter_config.json",
    "lora_local_path": "adapter_config.json",
}
WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pth", "*.gguf")
_SHARDS = "model.safetensors.index.json"
_SHARD = "model-*-of-*.safetensors"
_LONGEST_TABLE = 10**8  # bytes; safetensors takes no more
# Prefixes of the backends that read folders in the layout of transformers.
_READ_FOLDERS = ("hf", "huggingface", "vllm")
_HUB_RETRIES, _HUB_SECONDS = 2, 10  # when the hub is asked whether it is there


def revision_of(argument: str, model_args: Mapping[str, Any]) -> str:
    """The revision at which lm-eval loads a repository that an argument names: the model's, except for vLLM's adapters."""
    return str((argument != "lora_local_path" and model_args.get("revision")) or "main")


def reads_folders(backend: str) -> bool:
    """Whether a backend reads configuration, weights and tokenizer in the layout of transformers."""
    return backend.startswith(_READ_FOLDERS)


def is_elsewhere(model_args: Mapping[str, Any]) -> bool:
    """Whether a backend that reads folders reads anything but the usual files in the folder itself."""
    return any(model_args.get(name) for name in ("subfolder", "gguf_file", "load_format", "config_format"))


def check_files(backend: str, model_args: Mapping[str, Any]) -> None:
    """Refuses folders without a whole model, and models that the hub does not give, before rows are loaded, which may take long.

    Other failures of the hub, such as one that cannot be reached, are left to what loads the model.
    """
    if not reads_folders(backend):
        return
    named = {argument: given for argument in LOADED if isinstance(given := model_args.get(argument), str)}
    try:
        _check_gguf(backend, model_args)
        if not is_elsewhere(model_args):
            for argument, given in named.items():
                _check_folder(argument, given)
            revision = model_args.get("revision")
            if named and revision not in (None, "main") and all(Path(given).is_dir() for given in named.values()):
                # transformers ignores it, and the results would name a checkpoint that was not read
                raise RunError(f"revision={revision}: the folder {next(iter(named.values()))} has no revisions; leave it out")
    except OSError as error:
        raise RunError(f"--model_args: {error.filename} cannot be read ({error.strerror})") from error
    for argument, given in named.items():
        if not Path(given).exists():
            _check_on_hub(argument, given, model_args)


def _check_folder(argument: str, given: str) -> None:
    """Refuses a name that can only be a folder and is none, and a folder without what the argument names."""
    if not given:
        raise RunError(f"{argument} in --model_args is empty; name a folder, or a repository of the hub")
    folder, file = Path(given), LOADED[argument]
    if folder.is_file():
        raise RunError(f"{argument}={given} is a file; name its folder, and for a GGUF file add gguf_file={folder.name}")
    if not folder.is_dir():
        if folder.is_absolute() or given.startswith((".", "~")) or given.count("/") > 1:  # no repository has such a name
            home = "; shells do not expand ~ there, write $HOME" if given.startswith("~") else ""
            raise RunError(f"there is no folder {given} ({argument}; looked in {Path.cwd()}{home})")
    elif not (folder / file).is_file():
        if (folder / LOADED["peft"]).is_file():
            raise RunError(f"the folder {given} has an adapter and no model: give it as peft, and its model as {argument}")
        if argument == "pretrained" and (files := _gguf_files(folder)):
            raise RunError(f"the folder {given} has no {file}, but {some_names(files)}: add gguf_file={files[0]} to --model_args")
        raise RunError(f"the folder {given} has no {file}; {argument} names no such model")
    elif argument != "tokenizer":
        if lacking := _lacking_weights(folder):
            raise RunError(f"the folder {given} has no {lacking}; {argument} names a model without weights, or a part of one")
        if cut := [path.name for path in sorted(folder.glob("*.safetensors")) if _is_cut(path)]:
            raise RunError(
                f"the folder {given} has {some_names(cut)} without all of its weights, as after an interrupted download or "
                "copy, or a clone without Git LFS: get it again"
            )


def _check_on_hub(argument: str, given: str, model_args: Mapping[str, Any]) -> None:
    from huggingface_hub import errors, hf_hub_download

    file, revision = LOADED[argument], revision_of(argument, model_args)
    _look_for_hub()
    try:
        hf_hub_download(given, file, revision=revision, token=model_args.get("token"))
    except errors.RevisionNotFoundError as error:
        raise RunError(f"revision={revision}: the hub has no such branch, tag or commit of {given}") from error
    except Exception as error:
        said = fault_of_hub(error, given)
        needed = argument != "tokenizer" and not is_elsewhere(model_args)  # others may do without the file
        if isinstance(error, errors.RemoteEntryNotFoundError):
            said = f"the hub's repository has no {file}, so it is not such a model" if needed else ""
        elif said == UNREACHED or (isinstance(error, errors.LocalEntryNotFoundError) and not needed):
            said = ""
        if said:
            raise RunError(f"{argument}={given}: {said}") from error
        logger.debug("%s=%s", argument, given, exc_info=True)


def _look_for_hub() -> None:
    """If the hub cannot be reached, makes its library read only the cache: else it tries half a minute for each missing file."""
    from huggingface_hub import constants
    from huggingface_hub.utils import http_backoff  # type: ignore[attr-defined]  # which it documents, and imports lazily

    how: dict[str, Any] = {"max_retries": _HUB_RETRIES, "retry_on_status_codes": (), "timeout": _HUB_SECONDS}
    try:
        if not constants.HF_HUB_OFFLINE:
            http_backoff("HEAD", constants.ENDPOINT, **how)
    except Exception as error:
        if fault_of_hub(error, "") == UNREACHED:
            constants.HF_HUB_OFFLINE = True
            logger.warning("the hub cannot be reached (%s): this command reads only its cache", in_one_line(error))


def _check_gguf(backend: str, model_args: Mapping[str, Any]) -> None:
    """Refuses a GGUF file outside the model's folder, which names the model in results, and any for lm-eval's vLLM."""
    if backend.startswith("vllm") and any(str(model_args.get(name)).endswith(".gguf") for name in ("pretrained", "gguf_file")):
        raise RunError(f"--model {backend} cannot read GGUF files; use hf-shared-prefix with pretrained=FOLDER,gguf_file=NAME")
    given, folder = model_args.get("gguf_file"), Path(str(model_args.get("pretrained")), str(model_args.get("subfolder") or ""))
    if not given or not folder.is_dir():
        return
    if Path(str(given)).is_absolute():
        file = Path(str(given))
        raise RunError(f"gguf_file={given}: give its name, and its folder as pretrained={file.parent},gguf_file={file.name}")
    if not (folder / str(given)).is_file():
        there = f"it has {some_names(files)}" if (files := _gguf_files(folder)) else "it has none in GGUF"
        raise RunError(f"gguf_file={given}: there is no such file in the folder {folder}; {there}")


def _gguf_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.gguf"))


def _lacking_weights(folder: Path) -> str:
    """What is missing, if anything."""
    if not any(any(folder.glob(pattern)) for pattern in WEIGHTS):
        return f"weights ({', '.join(WEIGHTS)})"
    index = folder / _SHARDS
    if (folder / "model.safetensors").is_file():
        return ""
    if not index.is_file():
        return f"{_SHARDS}, which says where weights are" if any(folder.glob(_SHARD)) else ""
    try:
        shards = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return f"{_SHARDS} that can be read"
    return next((f"{shard}, which {_SHARDS} names" for shard in shards if not (folder / shard).is_file()), "")


def _is_cut(path: Path) -> bool:
    """Whether a file is missing, or shorter than its own table of weights says; nothing else is checked."""
    if not path.is_file():  # a link into a cache that was not copied
        return True
    with path.open("rb") as file:
        begin = file.read(8)
        length = int.from_bytes(begin, "little")
        if not 0 < length <= _LONGEST_TABLE:
            return begin == b"version "  # of a pointer of Git LFS
        table = file.read(length)
    try:
        ends = [weights["data_offsets"][1] for name, weights in json.loads(table).items() if name != "__metadata__"]
        return path.stat().st_size < 8 + length + max(ends, default=0)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return len(table) < length  # else what loads it says what is wrong
