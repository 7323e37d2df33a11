"""What is checked before the first job: names, exemplars, data, models, tokenizers, machines and disk space, each once."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval.api.registry import get_model

from lm_eval_sea.catalogue.task_index import leaf_names
from lm_eval_sea.results.differing_settings import WORDS_OF_PROMPT
from lm_eval_sea.results.facts import facts_of
from lm_eval_sea.results.secrets import KnownSecrets
from lm_eval_sea.run import answer_cache, model_check, model_files, request
from lm_eval_sea.run.api_server import chats
from lm_eval_sea.run.arguments import read_arguments, read_config, run_parser
from lm_eval_sea.run.chat_template import read_tokenizer
from lm_eval_sea.run.output_folder import size_of_samples
from lm_eval_sea.run.request import RunError
from lm_eval_sea.run.run import check_settings, check_use
from lm_eval_sea.run.seeds import sampling_values
from lm_eval_sea.run.task_loading import RunTasks, load_tasks
from lm_eval_sea.sweep.jobs import Job
from lm_eval_sea.sweep.plan import Model, Plan, PlanError, Resources
from lm_eval_sea.tasks._shared.hub_files import first_line

_TOKENIZER_FILES = ("tokenizer*", "vocab*", "merges*", "special_tokens_map.json", "chat_template*", "*.model")

# The keys of lm-eval's task files that say what a model is asked, and how it answers.
_OF_PROMPT = (
    *WORDS_OF_PROMPT,
    *("gen_prefix", "target_delimiter", "fewshot_delimiter", "fewshot_config", "num_fewshot", "generation_kwargs"),
)


@contextlib.contextmanager
def _noted(faults: list[str], where: str = "") -> Iterator[None]:
    """Inside, what `run` would refuse becomes a fault of the plan, and the checks go on."""
    try:
        yield
    except RunError as error:
        faults.append(f"{where}{error}")


def load_wanted(plan: Plan) -> tuple[dict[str, list[str]], Mapping[str, Any]]:
    """Loads all tasks of a plan with their rows, each once: name in the plan → its tasks, and lm-eval's tasks by name."""
    faults = [f"tasks: {name!r} is a file; name the task that it has" for name in plan.tasks if Path(name).suffix == ".yaml"]
    folders = {str(model.run["include_path"]) for model in plan.models if model.run.get("include_path")}
    with _noted(faults):
        request.check_include_paths(sorted(folders))
        request.check_limit(plan.limit)
    for name in [] if folders else plan.tasks:  # with a folder of the user's a name may be one of those
        with _noted(faults):
            request.check_names_of_pack([name])
    if faults:
        raise PlanError(*faults)
    manager = RunTasks(plan.tasks, sorted(folders))
    if unknown := [name for name, found in manager.names.items() if not found]:
        raise PlanError(*[f"tasks: {request.unknown_names([name], manager.known())}" for name in unknown])
    leaves = {
        wanted: list(dict.fromkeys(leaf for name in found for leaf in leaf_names(manager, name)))
        for wanted, found in manager.names.items()
    }
    _, tasks, _ = load_tasks(manager, list(dict.fromkeys(sum(leaves.values(), []))), skip_missing=None)
    for shots in plan.num_fewshot:
        with _noted(faults):
            request.check_exemplars(tasks, shots)
    if faults:
        raise PlanError(*faults)
    return leaves, tasks


def versions_of(tasks: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What the results of each task must say: its version and the digest of its rows, or None if a task of lm-eval has none.

    A digest of the prompt goes with them, because people change prompts without a new version.
    """
    found = {}
    for name, task in tasks.items():
        said = task.config.metadata or {}
        version = said.get("version", getattr(task, "VERSION", None))
        rows = facts_of(said).data_sha256 or None
        found[name] = {"version": version if version is None else str(version), "rows": rows, "prompt": _prompt_of(task.config)}
    return found


def _prompt_of(config: Any) -> str:
    """A digest of what a task's file says of prompts and answers; a function counts with its name."""

    def plain(value: Any) -> Any:
        return getattr(value, "__qualname__", None) or getattr(value, "__dict__", type(value).__name__)

    content = json.dumps([getattr(config, key, None) for key in _OF_PROMPT], default=plain)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def check_models(plan: Plan) -> None:
    """Refuses models whose backend, files or tokenizer are missing or cannot be used, and results among a model's files."""
    faults, tokenizers = [], set()
    places = [(plan.output / model.name).resolve() for model in plan.models]
    for model in plan.models:
        missing: list[str] = []
        with _noted(missing, f"{model.name}: "):
            model_check.check_backend(model.backend)
            model_files.check_files(model.backend, model.model_args)
            for folder in answer_cache.folders_of(model.model_args).values():
                if any(place.is_relative_to(folder.resolve()) for place in places):
                    raise RunError(f"output {plan.output}: results in the model's folder {folder} would change it; name another")
        faults += missing
        if not missing and (key := tokenizer_key(model)) not in tokenizers:  # checkpoints have the same one
            tokenizers.add(key)
            faults += filter(None, [_tokenizer_fault(model)])
    if faults:
        raise PlanError(*faults)


def tokenizer_key(model: Model) -> str:
    """A key that models with the same tokenizer share: a digest of its files, or the name on the hub."""
    name = str(model.model_args.get("tokenizer") or model.model_args.get("pretrained"))
    files = [file for pattern in _TOKENIZER_FILES for file in sorted(Path(name).glob(pattern))] if Path(name).is_dir() else []
    content = [(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files]
    return repr(content or (name, model.model_args.get("revision")))


def _tokenizer_fault(model: Model) -> str:
    name = model.model_args.get("tokenizer") or model.model_args.get("pretrained")
    if isinstance(name, str) and (Path(name).is_dir() or "pretrained" in model.model_args):  # else an API chooses it
        try:
            read_tokenizer(model.loaded_with)
        except Exception as error:  # libraries can raise anything for what is no tokenizer
            lacking = "" if Path(name).is_dir() else f"; there is no such folder in {Path.cwd()}"
            return f"{model.name}: the tokenizer of {name} cannot be loaded ({first_line(error)}){lacking}"
    return ""


def sampling_of(plan: Plan) -> dict[str, dict[str, Any]]:
    """The sampling settings of each model if a plan has seeds; all models must have some."""
    if plan.seeds == [None]:
        return {}
    found: dict[str, dict[str, Any]] = {}
    faults: list[str] = []
    with _noted(faults):
        request.check_seeds(plan.seeds)
    for model in plan.models:
        given = model.run.get("gen_kwargs") or {}
        if not isinstance(given, dict):
            faults.append(f"{model.name}: run: gen_kwargs: expected a mapping, such as {{do_sample: true, temperature: 0.7}}")
            continue
        with _noted(faults, f"{model.name}: "):
            found[model.name] = sampling_values(model.backend, model.model_args, given, "seeds")
    if faults:
        raise PlanError(*faults)
    return found


def check_flags(jobs: Sequence[Job], tasks: Mapping[str, Any]) -> None:
    """Makes the checks of `run` that need neither weights nor the machine of a job, for a job of each model."""
    parser = run_parser()
    parser.allow_abbrev = False  # else the beginning of a reserved flag would pass
    faults: list[str] = []
    checked = set()
    with_exemplars = sorted(jobs, key=lambda job: job.asked["settings"].get("num_fewshot") != 0)  # the last win
    for job in {job.model.name: job for job in with_exemplars}.values():
        backend, model_args = job.model.backend, job.model.loaded_with
        with _noted(faults, f"{job.model.name}: "):
            model_check.check_arguments(backend, model_args, job.model.run.get("device"))
            model_check.check_positions(backend, model_args)
        try:
            parser.parse_args(job.arguments)
            parsed, ours = read_arguments(job.arguments, KnownSecrets())
            parsed.limit = None  # which was checked, and of which lm-eval warns
            config = read_config(parsed)
        except ValueError as error:  # ours, or lm-eval's for invalid JSON
            faults.append(f"{job.model.name}: run: {first_line(error)}")
            continue
        differing = model_args if chats(backend) else (tokenizer_key(job.model), model_args.get("peft"))
        if (key := repr((backend, differing, job.model.run))) in checked:  # checkpoints have the same tokenizer
            continue
        checked.add(key)
        with _noted(faults, f"{job.model.name}: run: "):
            check_settings(config, ours)
            check_use(config, ours, tasks, functools.partial(get_model(backend).create_from_arg_obj, dict(model_args)))
    if faults:
        raise PlanError(*faults)


def check_machines(plan: Plan, machines: Sequence[Resources]) -> None:
    """Refuses a plan without a machine that has what a job needs."""
    needed = plan.resources

    def enough(machine: Resources) -> bool:
        return machine.gpus >= needed.gpus and machine.cpus >= needed.cpus and machine.memory_gb >= needed.memory_gb

    if not any(map(enough, machines)):
        there = "; ".join(dict.fromkeys(map(str, machines))) or "none"
        raise PlanError(f"resources: no machine has {needed}; machines: {there}")


def check_disk(plan: Plan, jobs: Sequence[Job], tasks: Mapping[str, Any]) -> None:
    """Refuses a disk with less free space than the samples of all jobs need, by estimate. Makes no folder."""
    there = next(place for place in (plan.output.resolve(), *plan.output.resolve().parents) if place.exists())
    if not there.is_dir():
        raise PlanError(f"output {plan.output}: results cannot be written there (Not a directory); name another folder")
    sizes = {name: size_of_samples(task, plan.limit) for name, task in tasks.items()}
    needed, free = sum(sizes[leaf] for job in jobs for leaf in job.part.leaves), shutil.disk_usage(there).free
    if free < needed:
        raise PlanError(
            f"output: the samples of {len(jobs)} jobs take about {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free "
            f"at {plan.output}; name a folder on another disk"
        )
