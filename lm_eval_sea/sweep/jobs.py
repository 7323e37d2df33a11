"""Cuts a plan into jobs; each is one command `lm-eval-sea run` with its own folder."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_sea.results.secrets import masked, masked_text
from lm_eval_sea.results.types import digest_of
from lm_eval_sea.run.answer_cache import files_of_model
from lm_eval_sea.run.seeds import drawing_with
from lm_eval_sea.sweep.completeness import installed
from lm_eval_sea.sweep.plan import Model, Plan


@dataclass(frozen=True)
class Part:
    """Tasks that one job runs."""

    name: str
    tasks: Sequence[str]  # as `--tasks` takes them
    leaves: Sequence[str]  # the tasks that these stand for


@dataclass(frozen=True, eq=False)
class Job:
    """One command and what it must yield."""

    folder: Path  # of its results and its log
    label: str  # of the model in the report: its name, with exemplars where the plan varies them; seeds are draws of one score
    model: Model
    part: Part
    arguments: Sequence[str]  # of `lm-eval-sea run`
    asked: Mapping[str, Any]  # all that decides the results
    files: str  # digest of the model's files, see `answer_cache.files_of_model`

    @property
    def command(self) -> str:
        """What a user types to repeat it."""
        return shlex.join(["lm-eval-sea", "run", *map(masked_text, self.arguments)])

    def task(self, plan: Plan) -> dict[str, Any]:
        """What the process of the job reads, in plain values."""
        return {
            "cwd": str(Path.cwd()),
            "folder": str(self.folder),
            "output": str(plan.output),
            "arguments": list(self.arguments),
            "asked": self.asked,
            "digest": self.digest,
            "cpus": plan.resources.cpus,
            "minutes": plan.minutes,
            "versions": installed(),
            "files": self.files,
        }

    @functools.cached_property
    def digest(self) -> str:
        """The digest of `asked`; a new access token does not change it."""
        return digest_of(masked(self.asked))


def parts_of(wanted: Sequence[str], leaves: Mapping[str, Sequence[str]], split: str) -> list[Part]:
    """What one job runs: by `split` a task, a suite (an entry of the plan, `wanted`) or everything ("model").

    `leaves` has for each entry the tasks that it stands for.
    """
    if split == "suite":
        return [Part(_folder_name(name), [name], list(leaves[name])) for name in wanted]
    every = list(dict.fromkeys(leaf for name in wanted for leaf in leaves[name]))
    if split == "task":
        return [Part(leaf, [leaf], [leaf]) for leaf in every]
    return [Part(f"all_{_short_digest(' '.join(sorted(wanted)))}", list(wanted), every)]  # another plan has another folder


def _setting(shots: int | None, seed: int | None) -> str:
    """The folder of a job below model and part. Every job has one, so that none is inside the folder of another plan's job."""
    varied = [f"{shots}_shot"] * (shots is not None) + [f"seed_{seed}"] * (seed is not None)
    return "_".join(varied) or "default"


def _folder_name(name: str) -> str:
    """A name of a task as a folder; globs and names with slashes get a digest, so that no two are the same."""
    plain = re.sub(r"[^\w.-]", "_", name)
    return plain if plain == name else f"{plain}_{_short_digest(name)}"


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def cut(
    plan: Plan,
    parts: Sequence[Part],
    *,
    identities: Mapping[str, str],
    tasks: Mapping[str, Mapping[str, Any]],
    sampling: Mapping[str, Mapping[str, Any]],
) -> list[Job]:
    """The jobs, all of one model together.

    `identities` has for each model a digest of what is loaded and of the packages that load it, `tasks` for each task its version
    and the digest of its rows, `sampling` for each model its sampling settings if the plan has seeds.
    """
    jobs = []
    for model in plan.models:
        files = files_of_model(model.model_args)
        for part, shots, seed in itertools.product(parts, plan.num_fewshot, plan.seeds):
            folder = plan.output / model.name / part.name / _setting(shots, seed)
            settings = _settings(plan, model, shots, seed, sampling)
            asked = {
                "model": identities[model.name],
                "tasks": {name: tasks[name] for name in part.leaves},
                "names": list(part.tasks),
                "settings": settings,
            }
            flags = _flags({"tasks": part.tasks, **settings, "output_path": str(folder), "log_samples": True})
            label = f"{model.name}, {shots} exemplars" if len(plan.num_fewshot) > 1 else model.name
            jobs.append(Job(folder, label, model, part, flags, asked, files))
    return jobs


def _settings(
    plan: Plan, model: Model, shots: int | None, seed: int | None, sampling: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The flags of `run` by name."""
    settings: dict[str, Any] = {"model": model.backend, "model_args": dict(model.model_args), **model.run}
    settings |= {name: value for name, value in (("num_fewshot", shots), ("limit", plan.limit)) if value is not None}
    if seed is not None:
        settings |= {"seed": seed, **drawing_with(seed, model.backend, model.model_args, sampling[model.name])}
    return settings


def _flags(settings: Mapping[str, Any]) -> list[str]:
    flags = []
    for name, value in settings.items():
        if value is True:
            flags += [f"--{name}"]
        elif value is not None and value is not False:
            text = _text(value)
            flags += [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]  # else it would be taken for a flag
    return flags


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)  # a revision may look like a date to YAML
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
