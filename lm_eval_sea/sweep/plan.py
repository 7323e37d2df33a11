"""The file of a plan: what it may say, and what is wrong with it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue import Refusal, read_yaml_of_people
from lm_eval_sea.catalogue.data_sets import key_faults, type_faults
from lm_eval_sea.results.read import REPLACED
from lm_eval_sea.results.types import is_number
from lm_eval_sea.results.visible_text import visible

BACKEND = "hf-shared-prefix"
# Flags of `run` that a plan sets with its own keys, that a sweep sets itself, or that would make it another kind of run.
RESERVED = (
    "model", "model_args", "tasks", "language", "num_fewshot", "limit", "detect", "seed", "seeds", "output_path", "log_samples",
    "resume", "no-resume", "use_cache", "config", "help", "skip_missing", "samples", "predict_only",
)  # fmt: skip
SLURM_FOLDER = "slurm"  # in the output: what was submitted, and SLURM's own logs
_NOT_MODELS = (".", "..", "report", REPLACED, SLURM_FOLDER)
# Flags that a job gets with their value: without them, `run` does something else. YAML reads on and off as true and false.
_OF_YES_OR_NO = {"fewshot_as_multiturn": {True: "true", False: "false"}, "thinking": {True: "on", False: "off"}}


class PlanError(Refusal, ValueError):
    """The plan cannot be carried out; a line for each fault."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n  ".join(faults))


@dataclass(frozen=True)
class Model:
    """A model of a plan."""

    name: str  # of its folder of results
    backend: str
    model_args: Mapping[str, Any]
    run: Mapping[str, Any]  # further flags of `lm-eval-sea run`

    @property
    def loaded_with(self) -> Mapping[str, Any]:
        """`model_args` as lm-eval completes them: trust in the code of a model may be a flag of the run."""
        return {**self.model_args, "trust_remote_code": True} if self.run.get("trust_remote_code") else self.model_args


@dataclass(frozen=True)
class Resources:
    """What one job needs of a machine, or a machine has."""

    gpus: float = 0
    cpus: float = 0  # 0: not said
    memory_gb: float = 0  # 0: not said

    def __str__(self) -> str:
        """As messages say it."""
        return f"{self.gpus:g} GPUs, {self.cpus:g} CPUs, {self.memory_gb:.4g} GB of memory"


@dataclass(frozen=True)
class Plan:
    """What is to be run."""

    output: Path
    models: list[Model]
    tasks: list[str]  # tasks, groups, tags or globs
    num_fewshot: list[int | None]  # None: each task's own number
    seeds: list[int | None]  # None: not sampled
    limit: float | None  # number or share of rows
    detect: float | None  # points by which two models differ; replaces a limit
    minutes: float | None  # the longest that a job may take
    resources: Resources = field(default_factory=Resources)
    slurm: Mapping[str, Any] = field(default_factory=dict)  # options of `sbatch` besides the resources


_Given = Mapping[Any, Any]
_RESOURCES = [each.name for each in fields(Resources)]
_MODEL_KEYS = [each.name for each in fields(Model)]
_PLAN_KEYS = [*(each.name for each in fields(Plan)), "backend", "run"]  # the latter two for all models
_INSTEAD = {**dict.fromkeys(_PLAN_KEYS, "it is a key of the plan itself"), "skip_missing": "name only tasks that have rows"}
_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("output", "backend", "name"), str),
    "models": Sequence[Mapping[str, Any]],
    "tasks": str | Sequence[str],
    **dict.fromkeys(("num_fewshot", "seeds"), int | Sequence[int]),
    **dict.fromkeys(("limit", "detect", "minutes"), float),
    "resources": Mapping[str, float],
    **dict.fromkeys(("model_args", "run", "slurm"), Mapping[str, Any]),
}


def read_plan(path: Path) -> Plan:
    """Reads a plan and checks all that needs neither data nor models."""
    content = read_yaml_of_people(path, PlanError)
    if not isinstance(content, dict):
        raise PlanError(f"{path}: expected the keys models, tasks and output")
    faults: list[str] = []
    plan = _plan(content, faults)
    if faults:
        raise PlanError(*[f"{path}: {fault}" for fault in faults])
    return plan


def _plan(content: _Given, faults: list[str]) -> Plan:
    """The plan; `faults` gets what is wrong with it."""
    given = _sound("", content, _PLAN_KEYS, ("models", "tasks", "output"), faults)
    run, backend = _run("", given, faults), given.get("backend", BACKEND)
    models = [_model(number, entry, backend, run, faults) for number, entry in enumerate(given.get("models", ()), start=1)]
    tasks = given["tasks"].replace(",", " ").split() if isinstance(given.get("tasks"), str) else given.get("tasks", [])
    called = sorted(Counter(model.name for model in models).items())
    twice = [f"{number} models are called {name}; give each a `name`" for name, number in called if number > 1]
    twice += [f"tasks has {task} more than once" for task, number in sorted(Counter(tasks).items()) if number > 1]
    faults += [f"two jobs with the same output: {said}" for said in twice]
    if {"limit", "detect"} <= given.keys():
        faults.append("limit and detect both choose how many rows are run; give one of them")
    options = given.get("slurm", {})
    positive = {key: given.get(key) for key in ("limit", "detect", "minutes")} | {"slurm: time (minutes)": options.get("time")}
    for key, value in positive.items():
        if value is not None and not (is_number(value) and value > 0):
            faults.append(f"{key!r} is {value!r}; expected a number above 0")
    if _has_controls(given.get("output", "")):
        faults.append(f"'output' is {given['output']!r}; expected the name of a folder, without control characters")
    needed = given.get("resources", {})
    faults += key_faults("resources: ", needed, _RESOURCES, ())
    wrong = {key: value for key, value in needed.items() if not (is_number(value) and value >= 0)}
    faults += [f"'resources: {key}' is {value!r}; expected a number of at least 0" for key, value in wrong.items()]
    return Plan(
        output=Path(os.path.expanduser(given.get("output", ""))),
        models=models,
        tasks=tasks,
        num_fewshot=_numbers("num_fewshot", given, faults),
        seeds=_numbers("seeds", given, faults),
        limit=given.get("limit"),
        detect=given.get("detect"),
        minutes=given.get("minutes"),
        resources=Resources(*(needed.get(name, 0) for name in _RESOURCES)),
        slurm={name.replace("-", "_"): value for name, value in options.items()},
    )


def _sound(where: str, found: _Given, known: Sequence[str], needed: Sequence[str], faults: list[str]) -> dict[str, Any]:
    """The keys whose values have the right type; `faults` gets what is wrong with the others. Empty values count as missing."""
    empty = {key for key, value in found.items() if value is None or key in needed and not (value and str(value).strip())}
    there = {key: value for key, value in found.items() if key not in empty}
    faults += [*key_faults(where, found, known, ()), *key_faults(where, there, there, needed)]
    wrong = {key: list(type_faults(where, {key: value}, _TYPES)) for key, value in there.items()}
    faults += [fault for of_key in wrong.values() for fault in of_key]
    return {key: value for key, value in there.items() if not wrong[key]}


def _model(number: int, entry: _Given, backend: str, run: Mapping[str, Any], faults: list[str]) -> Model:
    place = f"models, entry {number}"
    own = _sound(f"{place}: ", entry, _MODEL_KEYS, ("model_args",), faults)
    arguments = own.get("model_args", {})
    name = own.get("name", Path(str(arguments.get("pretrained") or arguments.get("model") or place)).name)
    if not name.strip() or name in _NOT_MODELS or {"/", "\\"} & set(name) or _has_controls(name) or len(os.fsencode(name)) > 255:
        faults.append(f"{place}: name {name!r} cannot be a folder of results; choose another")
    return Model(name, own.get("backend", backend), arguments, {**run, **_run(f"{place}: ", own, faults)})


def _has_controls(text: str) -> bool:
    """Whether a name has line breaks or other characters that are not shown, or not as they are."""
    return visible(text) != text or not {"\n", "\t"}.isdisjoint(text)


def _run(where: str, given: Mapping[str, Any], faults: list[str]) -> Mapping[str, Any]:
    flags: Mapping[str, Any] = given.get("run", {})
    wrong = [name for name in flags if name in RESERVED]
    faults += [f"{where}run: {name} does not belong there; {_INSTEAD.get(name, 'leave it out')}" for name in wrong]
    said = {name: words[flags[name]] for name, words in _OF_YES_OR_NO.items() if isinstance(flags.get(name), bool)}
    return {**flags, **said}


def _numbers(key: str, given: Mapping[str, Any], faults: list[str]) -> list[int | None]:
    if (value := given.get(key)) is None:
        return [None]
    values = value if isinstance(value, list) else [value]
    if len(set(values)) < len(values) or min(values, default=-1) < 0:
        faults.append(f"{key!r} is {value!r}; expected different whole numbers of at least 0")
    return values
