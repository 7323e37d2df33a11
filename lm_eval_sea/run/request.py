"""Checks of what a user asks for that need neither data nor model."""

from __future__ import annotations

import errno
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue import Refusal
from lm_eval_sea.catalogue.names import meant
from lm_eval_sea.catalogue.task_list import UnknownNameError
from lm_eval_sea.make.on_demand import select
from lm_eval_sea.make.prompt_files import PromptFileError
from lm_eval_sea.results.settings import LIMITS
from lm_eval_sea.results.types import count_of, is_number
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.tasks._shared.facts import files_of_own_data

DEBUG = "--debug"
CHAT_API = "chat-api"  # the pack's backend for chat servers
Tasks = Mapping[str, Any]  # lm-eval's, by name
GENERATION = "generate_until"  # lm-eval's type of tasks and requests that generate

_SHOWN = 300  # characters of an error
_LARGEST_SEED = 2**32 - 1
_Kind = tuple[str, Callable[[float], bool]]  # a kind of number: in words, and whether a number is of it
_COUNT: _Kind = ("a whole number of at least 0", lambda value: isinstance(value, int) and value >= 0)
_SHARE: _Kind = ("a number from 0 to 1", lambda value: 0 <= value <= 1)
# What settings of generation may be, if they are given.
_NUMBERS: Mapping[str, _Kind] = {
    "temperature": ("a number of at least 0", lambda value: value >= 0),
    **dict.fromkeys(("top_p", "min_p", "typical_p"), _SHARE),
    "num_beams": ("a whole number of at least 1", lambda value: isinstance(value, int) and value >= 1),
    "repetition_penalty": ("a number above 0", lambda value: value > 0),
    **dict.fromkeys(("length_penalty", "diversity_penalty", "encoder_repetition_penalty"), ("a number", lambda value: True)),
    **dict.fromkeys(("epsilon_cutoff", "eta_cutoff"), _SHARE),
    "top_k": (_COUNT[0], lambda value: _COUNT[1](value) or value == -1),  # which is vLLM's for all tokens
    **dict.fromkeys(("no_repeat_ngram_size", "min_new_tokens", "min_tokens"), _COUNT),
}
_NEVER_NONE = ("temperature", "top_p")  # except with a chat server, which is then sent no value
_OF_SAMPLING = ("top_p", "top_k", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff")


class RunError(Refusal, ValueError):
    """A request that cannot be run."""


class FailedRunError(RunError):
    """A run that started and failed; one line that says what is kept."""

    status = 1


def in_one_line(error: BaseException) -> str:
    """The message of any library's error; for a missing package, the command that installs it."""
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, ModuleNotFoundError) and error.name and "." not in error.name and "pip install" not in text:
        return f"needs the package {error.name}: pip install {error.name}"
    return text


def what_failed(error: BaseException) -> str:
    """The type and the shortened text of an error."""
    text = one_line(in_one_line(error))
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
    # the disk of the results was checked before the run
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        text += " for temporary files or caches (TMPDIR and HF_HOME name their folders)"
    return text if type(error) is ValueError else f"{type(error).__name__}: {text}"


def check_names_of_pack(names: Iterable[str]) -> None:
    """Refuses unknown names of this pack; those of others are left to lm-eval."""
    try:
        select(name for name in names if name.startswith("sea_"))
    except (UnknownNameError, PromptFileError) as error:
        raise RunError(str(error)) from error


def check_limit(limit: float | None) -> None:
    """Refuses a number of rows, or a share of them, that leaves none; lm-eval takes 0 for all."""
    if limit is None:
        return
    if not 0 < limit < math.inf:
        raise RunError(f"--limit {limit:g} leaves no rows; give at least 1, or leave it out for all")
    if limit > 1 and limit != int(limit):
        raise RunError(f"--limit {limit:g}: expected a whole number of rows, or a share of them below 1")


def check_names(names: Sequence[Any]) -> None:
    """Refuses names with blanks, which only folders have, values that are not names, and a request without names."""
    for name in names:
        if not isinstance(name, str) or not name or name != name.strip() or (" " in name and "/" not in name):
            raise RunError(f"--tasks has the name {name!r}; separate names by commas, without blanks")
    if not names:
        raise RunError("--tasks or --language: name what to evaluate; `lm-eval-sea ls` lists what there is")


def check_numbers(backend: str, batch_size: Any, max_batch_size: Any, gen_kwargs: Mapping[str, Any]) -> None:
    """Refuses invalid numbers, which lm-eval would notice only with the model loaded; a chat server needs no temperature."""
    if not re.fullmatch(r"auto(:\d+(\.\d+)?)?|[1-9]\d*", str(batch_size)):
        raise RunError(f"--batch_size {batch_size}: expected at least 1 request, auto or auto:N")
    if max_batch_size is not None and max_batch_size < 1:
        raise RunError(f"--max_batch_size {max_batch_size}: expected at least 1 request")
    for name in LIMITS:
        if name in gen_kwargs and (count_of(gen_kwargs[name]) or 0) < 1:
            raise RunError(f"--gen_kwargs {name}={gen_kwargs[name]}: expected a whole number of tokens, at least 1")
    until = gen_kwargs.get("until", [])
    if not all(isinstance(each, str) for each in (until if isinstance(until, list) else [until])):
        raise RunError(f"--gen_kwargs until={until}: expected a text, or a list of texts, [] for none")
    for name, (expected, is_one) in _NUMBERS.items():
        value = gen_kwargs.get(name)
        may_lack = name not in gen_kwargs or backend == CHAT_API or name not in _NEVER_NONE
        if not (value is None and may_lack) and not (is_number(value) and is_one(value)):
            raise RunError(f"--gen_kwargs {name}={value}: expected {expected}")


def check_seeds(seeds: Iterable[int | None]) -> None:
    """Refuses seeds that NumPy does not take."""
    for seed in seeds:
        if seed is not None and not 0 <= seed <= _LARGEST_SEED:
            raise RunError(f"--seed {seed}: expected a number from 0 to {_LARGEST_SEED}")


def with_limit_named(gen_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the limit of an answer under the name that tasks use, which lm-eval prefers to its other names."""
    if len(given := [f"{name}={gen_kwargs[name]}" for name in LIMITS if name in gen_kwargs]) > 1:
        raise RunError(f"--gen_kwargs {','.join(given)}: all limit the tokens of an answer; give {LIMITS[0]} alone")
    return {LIMITS[0] if name in LIMITS else name: value for name, value in gen_kwargs.items()}


def check_sampling(tasks: Tasks, gen_kwargs: Mapping[str, Any]) -> None:
    """Refuses a temperature or a top_p without sampling, and sampling without a temperature: most tasks are greedy by default.

    lm-eval would reset the temperature to 0, and the results would state what was given.
    """
    given = [f"{name}={gen_kwargs[name]}" for name in ("do_sample", "temperature") if name in gen_kwargs]
    generating = {name: task.config for name, task in tasks.items() if task.OUTPUT_TYPE == GENERATION}
    narrowing = [] if given else [f"{name}={gen_kwargs[name]}" for name in _OF_SAMPLING if name in gen_kwargs]
    if narrowing and (
        greedy := [name for name, config in generating.items() if not (config.generation_kwargs or {}).get("do_sample")]
    ):
        raise RunError(
            f"--gen_kwargs {','.join(narrowing)}: does nothing without sampling ({some_names(greedy)}); add do_sample=True and a "
            "temperature above 0"
        )
    for name, config in generating.items() if given else ():
        wanted = {**(config.generation_kwargs or {}), **gen_kwargs}
        do_sample, temperature = wanted.get("do_sample"), wanted.get("temperature", 0)
        if temperature is not None and do_sample is not None and do_sample is not (temperature > 0):
            raise RunError(
                f"--gen_kwargs {','.join(given)}: {name} would have do_sample={do_sample} with temperature={temperature:g}; give "
                "do_sample=True and a temperature above 0 to sample, or do_sample=False,temperature=0 not to"
            )


def unknown_names(names: Iterable[str], known: Collection[str]) -> str:
    """The message about names that no task, group or tag has."""
    return "; ".join(f"no task, group or tag {name!r}{meant(name.lower(), known, 5)}" for name in names)


def is_a(task: Any, name: str) -> bool:
    """Whether a task has a class of the pack, compared by name, because the folder of tasks is imported under another name."""
    return name in {kind.__name__ for kind in type(task).__mro__}


def check_exemplars(tasks: Tasks, num_fewshot: int | None) -> None:
    """Refuses more exemplars than tasks of this pack have, whether `--num_fewshot` or the task itself asks for them."""
    for name, (own, there) in _exemplars(tasks).items():
        if num_fewshot and own == 0 and files_of_own_data(tasks[name].config.metadata):  # lm-eval would show none
            mend = "add some to its prompt file, or leave the flag out"
            raise RunError(f"--num_fewshot {num_fewshot}: {name} has no exemplars; {mend}")
        if num_fewshot is not None and own != 0:
            if not 0 <= num_fewshot <= there:
                raise RunError(f"--num_fewshot {num_fewshot}: {name} has {there} exemplars; choose 0 to {there}")
        elif there < (own or 0):
            mend = f"add the missing ones, leave the task out, or choose --num_fewshot {f'0 to {there}' if there else 0}"
            raise RunError(f"{name} shows {own} exemplars, but its rows come with {there or 'none'}; {mend}")


def without_exemplars(tasks: Tasks, num_fewshot: int | None) -> list[str]:
    """The tasks of this pack that show exemplars by default and would here, but whose rows come with none."""
    return [name for name, (own, there) in _exemplars(tasks).items() if own and num_fewshot != 0 and not there]


def _exemplars(tasks: Tasks) -> dict[str, tuple[int | None, int]]:
    """How many exemplars each task of this pack shows by default, and how many there are."""
    return {
        name: (task.config.num_fewshot, len(task.sampler.df))
        for name, task in tasks.items()
        if is_a(task, "ModelTask")
        or is_a(task, "SEAHelmMessages")
        or "pack_version" in ((task.config.metadata or {}).get("provenance") or {})
    }


def check_include_paths(paths: Iterable[str]) -> None:
    """Refuses folders of a user's own tasks that do not exist; lm-eval would go on without them."""
    for path in paths:
        if not Path(path).is_dir():
            raise RunError(f"--include_path {path}: there is no such folder (looked in {Path.cwd()})")


def check_samples(samples: Any, rows: Mapping[str, int]) -> None:
    """Refuses `--samples` unless it maps tasks to distinct numbers of their `rows`; lm-eval takes others for all rows."""
    example = f'expected {{"{next(iter(rows), "TASK")}": [0, 1, 2]}} or a file with such JSON'
    if not isinstance(samples, dict) or not samples:
        raise RunError(f"--samples {str(samples)[:300]!r}: {example}")
    for task, numbers in samples.items():
        if task not in rows:
            raise RunError(f"--samples names {task!r}, which is no task of this run; it has {', '.join(list(rows)[:5])}")
        if not isinstance(numbers, list) or not numbers:
            raise RunError(f"--samples has no rows for {task}; {example}")
        wrong = [n for n in numbers if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < rows[task]]
        if wrong:
            raise RunError(f"--samples has row {wrong[0]!r} of {task}; expected numbers from 0 to {rows[task] - 1}")
        if len(set(numbers)) < len(numbers):
            raise RunError(f"--samples has a row of {task} twice; name each once")


def rows_within(limit: float | None, rows: int) -> int:
    """How many of a task's rows `--limit` leaves, at most: a number of rows, below 1 a part of them."""
    if limit is None:
        return rows
    return min(rows, int(limit) if limit >= 1 else int(limit * rows) + 1)
