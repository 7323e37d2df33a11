"""Several runs with sampled answers, as SEA-HELM makes eight: one seed and one folder of results each."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.run.request import RunError

SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


def sampling_values(model_args: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of generation for `--gen_kwargs`: those of the model's generation config, and over them the user's.

    Without a temperature it is 1, as for transformers and vLLM; the tasks' own is 0.

    Raises:
        RunError: if they do not sample, so that all runs would be equal.
    """
    values = {"temperature": 1.0} | _published(model_args) | dict(given)
    if not values.get("do_sample") or not values["temperature"]:
        raise RunError(
            "--seeds: the model's generation config says nothing of sampling, so all runs would be equal; "
            "give for example --gen_kwargs do_sample=True,temperature=0.7"
        )
    return values


def _published(model_args: Mapping[str, Any]) -> dict[str, Any]:
    name = model_args.get("pretrained")
    if not isinstance(name, str):
        return {}
    from transformers import GenerationConfig

    try:
        config = GenerationConfig.from_pretrained(name, revision=model_args.get("revision") or "main")
    except (OSError, ValueError):  # it has none
        return {}
    stated = config.to_diff_dict()
    if not stated.get("do_sample"):
        return {}
    return {"do_sample": True} | {key: stated[key] for key in SAMPLING if stated.get(key) is not None}


def runs_of(parsed: argparse.Namespace, number: int) -> Iterator[argparse.Namespace]:
    """lm-eval's arguments of each run that has no results yet; seeds count from 1.

    Raises:
        RunError: if there is no folder for the results, or nothing to vary.
    """
    output = getattr(parsed, "output_path", None)
    if not output or Path(output).suffix == ".json":
        raise RunError("--seeds needs a folder for the results: --output_path FOLDER")
    if number < 1:
        raise RunError(f"--seeds {number}: expected 1 or more")
    model_args = dict(getattr(parsed, "model_args", None) or {})
    values = sampling_values(model_args, getattr(parsed, "gen_kwargs", None) or {})
    for seed in range(1, number + 1):
        folder = Path(output) / f"seed_{seed}"
        if any(folder.rglob("results_*.json")):
            print(f"seed {seed}: there are results in {folder}")
            continue
        one = copy.copy(parsed)
        one.output_path, one.seed, one.gen_kwargs = str(folder), [seed] * 4, values
        if str(getattr(parsed, "model", "")).startswith("vllm"):  # it draws with a seed of its own
            one.model_args = {**model_args, "seed": seed}
        yield one
