"""Several runs with sampled answers, as SEA-HELM makes eight: one seed and one folder of results each."""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.whole_files import write_whole
from lm_eval_sea.results.read import may_be_results
from lm_eval_sea.results.secrets import masked
from lm_eval_sea.results.types import digest_of
from lm_eval_sea.run.answer_cache import DIGITS, deciding, key_of
from lm_eval_sea.run.model_check import generation_config_of
from lm_eval_sea.run.request import CHAT_API, RunError

_SEEDS_OF_RUN = 1000
SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
# Flags that change neither the answers nor what is written of them.
_WITHOUT_EFFECT = {"batch_size", "max_batch_size", "device", "output_path", "verbosity", "use_cache", "cache_requests"}


def sampling_values(model: str, model_args: Mapping[str, Any], given: Mapping[str, Any], flag: str = "--seeds") -> dict[str, Any]:
    """The settings for `--gen_kwargs`: those of the model's generation config, overridden by the user's.

    The temperature is 1 if none is set, as in transformers and vLLM; the tasks' own is 0. A chat server samples by the settings
    of its model, or its own: a temperature of None is not sent.
    """
    stated = generation_config_of(model_args)
    published = {key: stated[key] for key in ("do_sample", *SAMPLING) if stated.get(key) is not None}
    own = {"do_sample": True, "temperature": None} if model == CHAT_API else published if stated.get("do_sample") else {}
    values = {"temperature": 1.0} | own | dict(given)
    if not values.get("do_sample") or values["temperature"] == 0:
        why = "the model's generation config says nothing about sampling"
        if given.keys() & {"do_sample", "temperature"}:
            why = f"do_sample={values.get('do_sample', False)} with temperature={values['temperature']} is not sampling"
        raise RunError(f"{flag}: {why}, so all runs would be equal; give for example --gen_kwargs do_sample=True,temperature=0.7")
    return values


def runs_of(parsed: argparse.Namespace, number: int, further: Any) -> Iterator[tuple[argparse.Namespace, Path]]:
    """lm-eval's arguments of each run that is not complete yet, and the file that is to mark it as complete.

    `further` is what a request has besides lm-eval's arguments. Seeds count from 1. A mark belongs to one request: another limit,
    model or task makes a new run beside the old one.
    """
    if not parsed.output_path or Path(parsed.output_path).suffix == ".json":
        raise RunError("--seeds needs a folder for the results: --output_path FOLDER")
    if number < 1:
        raise RunError(f"--seeds {number}: expected 1 or more")
    model, model_args = parsed.model or "", parsed.model_args or {}
    values = sampling_values(model, model_args, parsed.gen_kwargs or {})
    first_turns = _first_turns(parsed.metadata, number)
    key = key_of(model, model_args, parsed.tasks or [])  # asks the hub for the model's commit
    for seed in range(1, number + 1):
        folder = Path(parsed.output_path) / f"seed_{seed}"
        one = copy.copy(parsed)
        one.output_path, one.seed = str(folder), [seed] * 4
        vars(one).update(drawing_with(seed, model, model_args, values))
        if first_turns:  # a second turn follows the first one of the same seed
            one.metadata = {**parsed.metadata, "first_turn": str(first_turns / folder.name)}
        mark = folder / f"complete_{digest_of([_settings(one), further, key], DIGITS)}.json"
        if mark.exists() and any(map(may_be_results, folder.rglob("*.json"))):
            print(f"seed {seed}: results of this request are already in {folder}")
            continue
        yield one, mark


def drawing_with(seed: int, model: str, model_args: Mapping[str, Any], gen_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, besides lm-eval's own `seed`, with which a run samples by a seed: vLLM and servers have their own."""
    if model == CHAT_API:  # each request has its own, made of this one
        return {"gen_kwargs": {**gen_kwargs, "seed": seed * _SEEDS_OF_RUN}}
    of_engine = {"model_args": {**model_args, "seed": seed}} if model.startswith("vllm") else {}
    return {"gen_kwargs": dict(gen_kwargs), **of_engine}


def _first_turns(metadata: Any, number: int) -> Path | None:
    """The folder of `--metadata first_turn=FOLDER` if a run of several seeds wrote it; None if all seeds share one run."""
    place = Path(str(metadata["first_turn"])) if isinstance(metadata, Mapping) and metadata.get("first_turn") else None
    if place is None or not any(folder.is_dir() for folder in place.glob("seed_*")):
        return None
    if missing := [f"seed_{seed}" for seed in range(1, number + 1) if not (place / f"seed_{seed}").is_dir()]:
        raise RunError(f"--seeds {number}: {place} lacks {', '.join(missing)}; run the first turns with --seeds {number} there")
    return place


def mark_complete(parsed: argparse.Namespace, mark: Path) -> None:
    """Writes the mark of a run whose results are on disk."""
    write_whole(mark, json.dumps(_settings(parsed), indent=1, default=str) + "\n")


def _settings(parsed: argparse.Namespace) -> dict[str, Any]:
    given = {name: value for name, value in sorted(vars(parsed).items()) if name not in _WITHOUT_EFFECT and not callable(value)}
    return {name: masked(deciding(value) if name == "model_args" and value else value) for name, value in given.items()}
