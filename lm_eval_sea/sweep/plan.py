"""The file of a plan: what it may say, and what is wrong with it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue import Refusal, read_yaml_of_people
from lm_eval_sea.results.types import is_number

BACKEND = "hf-shared-prefix"
# Flags of `run` that a plan sets by keys of its own, or that a sweep needs as it sets them.
RESERVED = (
    "model", "model_args", "tasks", "language", "num_fewshot", "limit", "detect", "seed", "seeds", "output_path", "log_samples",
    "resume", "use_cache", "config", "help", "skip_missing", "samples",
)  # fmt: skip
SLURM_FOLDER = "slurm"  # in the output: what was submitted, and SLURM's own logs
_NOT_MODELS = (".", "..", "report", "replaced", SLURM_FOLDER)


class PlanError(Refusal, ValueError):
    """The plan cannot be carried out; a line for each fault."""

    def __init__(self, *faults: str) -> None:
        """Takes what says for each fault how to mend it."""
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
    num_fewshot: list[int | None]  # None: the number that each task has of its own
    seeds: list[int | None]  # None: not sampled
    limit: float | None  # number or share of rows
    detect: float | None  # points by which two models differ; takes the place of a limit
    minutes: float | None  # the longest that a job may take
    resources: Resources = field(default_factory=Resources)
    slurm: Mapping[str, Any] = field(default_factory=dict)  # what `sbatch` is told beside the resources


_RESOURCES = [each.name for each in fields(Resources)]
_MODEL_KEYS = {each.name for each in fields(Model)}
_PLAN_KEYS = {each.name for each in fields(Plan)} | {"backend", "run"}  # the latter two for all models


def read_plan(path: Path) -> Plan:
    """Reads a plan and checks all that needs neither data nor models."""
    content = read_yaml_of_people(path, PlanError)
    if not isinstance(content, dict):
        raise PlanError(f"{path}: expected the keys models, tasks and output")
    reader = _Reader()
    plan = reader.plan(content)
    if reader.faults:
        raise PlanError(*[f"{path}: {fault}" for fault in reader.faults])
    return plan


class _Reader:
    """Reads values and collects what is wrong with them."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def plan(self, content: Mapping[Any, Any]) -> Plan:
        self._known(content, _PLAN_KEYS, "")
        run = self._run(content.get("run"), "run")
        backend = self._text(content.get("backend", BACKEND), "backend")
        models = [self._model(entry, n, backend, run) for n, entry in enumerate(self._list(content.get("models"), "models"), 1)]
        for name, number in sorted(Counter(model.name for model in models).items()):
            self._expect(number == 1, f"two jobs with the same output: {number} models are called {name}; give each a `name`")
        both = content.get("limit") is not None and content.get("detect") is not None
        self._expect(not both, "limit and detect both choose how many rows are run; give one of them")
        tasks = [self._text(task, "tasks") for task in self._list(content.get("tasks"), "tasks")]
        for task, number in sorted(Counter(tasks).items()):
            self._expect(number == 1, f"two jobs with the same output: tasks has {task} more than once")
        return Plan(
            output=Path(self._text(content.get("output"), "output")),
            models=models,
            tasks=tasks,
            num_fewshot=self._numbers(content.get("num_fewshot"), "num_fewshot"),
            seeds=self._numbers(content.get("seeds"), "seeds"),
            limit=self._positive(content.get("limit"), "limit"),
            detect=self._positive(content.get("detect"), "detect"),
            minutes=self._positive(content.get("minutes"), "minutes"),
            resources=self._resources(content.get("resources", {})),
            slurm=self._slurm(content.get("slurm", {})),
        )

    def _model(self, entry: Any, number: int, backend: str, run: Mapping[str, Any]) -> Model:
        where = f"models, entry {number}"
        if not isinstance(entry, dict):
            self.faults.append(f"{where}: expected a mapping with model_args, such as {{model_args: {{pretrained: MODEL}}}}")
            return Model(where, backend, {}, run)
        self._known(entry, _MODEL_KEYS, f"{where}: ")
        arguments = self._mapping(entry.get("model_args") or None, f"{where}: expected model_args, such as {{pretrained: MODEL}}")
        given = str(arguments.get("pretrained") or arguments.get("model") or where)
        name = self._text(entry.get("name", Path(given).name), f"{where}: name")
        is_folder = name not in _NOT_MODELS and not {"/", "\\"} & set(name) and len(os.fsencode(name)) <= 255
        self._expect(is_folder, f"{where}: name {name!r} cannot be a folder of results; choose another")
        return Model(
            name=name,
            backend=self._text(entry.get("backend", backend), f"{where}: backend"),
            model_args=arguments,
            run={**run, **self._run(entry.get("run"), f"{where}: run")},
        )

    def _resources(self, given: Any) -> Resources:
        needed = self._mapping(given, f"resources: expected a mapping with {', '.join(_RESOURCES)}")
        self._known(needed, set(_RESOURCES), "resources: ")
        for name in _RESOURCES:
            value = needed.setdefault(name, 0)
            if not self._expect(_is_number(value), f"resources: {name}: expected a number from 0 on, not {value!r}"):
                needed[name] = 0
        return Resources(*(needed[name] for name in _RESOURCES))

    def _slurm(self, given: Any) -> dict[str, Any]:
        options = self._mapping(given, "slurm: expected a mapping of options of sbatch, such as {partition: gpu, time: 240}")
        self._positive(options.get("time"), "slurm: time (minutes)")
        return {name.replace("-", "_"): value for name, value in options.items()}

    def _run(self, given: Any, where: str) -> dict[str, Any]:
        wanted = f"{where}: expected a mapping of flags of `lm-eval-sea run`, such as {{batch_size: 16}}"
        flags = self._mapping({} if given is None else given, wanted)
        for name in flags:
            self._expect(name not in RESERVED, f"{where}: {name} is set by the sweep itself; leave it out")
        return flags

    def _expect(self, is_right: bool, fault: str) -> bool:
        self.faults += [] if is_right else [fault]
        return is_right

    def _mapping(self, given: Any, fault: str) -> dict[str, Any]:
        return {str(name): value for name, value in given.items()} if self._expect(isinstance(given, dict), fault) else {}

    def _known(self, given: Mapping[Any, Any], known: set[str], where: str) -> None:
        for key in given:
            self._expect(key in known, f"{where}unknown key {key!r}; expected some of {', '.join(sorted(known))}")

    def _text(self, value: Any, where: str) -> str:
        is_text = isinstance(value, str) and bool(value.strip())
        return value if self._expect(is_text, f"{where}: expected a text" + ("" if value is None else f", not {value!r}")) else ""

    def _list(self, value: Any, where: str) -> list[Any]:
        values = [value] if isinstance(value, str) else value
        is_list = isinstance(values, list) and bool(values)
        return values if self._expect(is_list, f"{where}: expected a list with at least one entry") else []

    def _numbers(self, value: Any, where: str) -> list[int | None]:
        if value is None:
            return [None]
        values = value if isinstance(value, list) and value else [value]
        are_right = all(_is_number(each) and isinstance(each, int) for each in values) and len(set(values)) == len(values)
        self._expect(are_right, f"{where}: expected different whole numbers from 0 on, not {value!r}")
        return values

    def _positive(self, value: Any, where: str) -> float | None:
        self._expect(value is None or (_is_number(value) and value > 0), f"{where}: expected a number above 0, not {value!r}")
        number: float | None = value
        return number


def _is_number(value: Any) -> bool:
    return is_number(value) and value >= 0
