"""The settings in which runs of a task differ, or tasks of a model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.comparison import plain_name
from lm_eval_sea.results.facts import DIGEST_LENGTH
from lm_eval_sea.results.runs import Run, TaskRun
from lm_eval_sea.results.settings import NOT_RECORDED, limit_in
from lm_eval_sea.results.types import digest_of, disagreeing, grouped, mapping_of
from lm_eval_sea.results.visible_text import some_names

# The keys of a task file whose words a model sees for each row.
WORDS_OF_PROMPT = ("description", "doc_to_text", "doc_to_choice", "doc_to_target")
HOW_ASKED = (  # the `task_settings` that change the question or the score; rows are handled elsewhere
    *("version of the task", "version of the prompt file", "words of the prompt"),
    *("rows of the data set", "number of exemplars", "exemplars"),
    *("use of turns for exemplars", "limit of tokens", "headline metric"),
    *("use of a chat template", "system instruction", "generation settings"),
)
_OF_RUN = HOW_ASKED[-3:]  # `Settings` has these, too
_TYPE = "number type"  # compared within one model only; another model may have another


def words_of_prompt(config: Mapping[str, Any], num_fewshot: int | None) -> dict[str, str]:
    """The templates of the words in prompts, by their keys in a task's config. Only exemplars show the right answer."""
    shown = [key for key in WORDS_OF_PROMPT if num_fewshot or key != "doc_to_target"]
    # a function is written with its address, which differs in every process
    return {key: re.sub(" at 0x[0-9a-f]+", "", str(config[key])) for key in shown if config.get(key)}


def task_settings(task: TaskRun) -> dict[str, Any]:
    """What should agree between runs of a task that are compared; None: not recorded."""
    facts, settings, exemplars = task.facts, task.run.settings, None
    samples = mapping_of(task.config.get("fewshot_config")).get("samples")
    if isinstance(samples, list) and task.num_fewshot is not None:
        exemplars = [*samples[: task.num_fewshot], words_of_prompt(task.config, task.num_fewshot).get("doc_to_target")]
    words = words_of_prompt(task.config, 0)  # someone may edit them and keep the version
    return {
        "version of the pack": facts.pack_version or None,
        "version of the task": task.version,
        "version of the prompt file": facts.prompt_book_version,
        "words of the prompt": digest_of(words, DIGEST_LENGTH) if words else None,
        "rows of the data set": facts.digest,
        "number of exemplars": task.num_fewshot,
        "exemplars": None if exemplars is None else digest_of(exemplars, DIGEST_LENGTH),
        "use of turns for exemplars": bool(task.num_fewshot and task.run.multiturn),
        "limit of tokens": limit_in(mapping_of(task.config.get("generation_kwargs"))),  # with room for a thought
        "metric signatures": "; ".join(f"{metric}: {how}" for metric, how in facts.signatures.items()) or None,
        "number of rows evaluated": task.evaluated,
        "headline metric": facts.headline_metric,
        "use of a chat template": bool(settings.chat_template),
        "system instruction": settings.system_instruction,
        "generation settings": "; ".join(filter(None, (settings.generation, settings.refused_parameters))) or None,
        _TYPE: settings.dtype,
    }


def unlike(tasks: Iterable[TaskRun], settings: Collection[str] = HOW_ASKED) -> list[str]:
    """A line for each setting in which runs of the same task differ."""
    by_name = grouped((task.name, task_settings(task)) for task in tasks)
    differing = {
        setting: [name for name, runs in by_name.items() if len({str(run[setting]) for run in runs}) > 1] for setting in settings
    }
    return [f"Models differ in the {setting}: {some_names(names)}" for setting, names in differing.items() if names]


def uneven_exemplars(tasks: Iterable[TaskRun]) -> str | None:
    """The note on a mean over tasks of one model that had different numbers of exemplars.

    None if each had the default number of its task, or all had the same. Tasks that `--num_fewshot` cannot change
    do not count, nor do those whose default the installed pack does not know.
    """
    known = read_tasks().tasks
    names = [(task, plain_name(task.name, task.facts)) for task in tasks if task.num_fewshot is not None]
    defaults = [(task, known[name]) for task, name in names if name in known]
    # --num_fewshot does not override a 0 in a task file
    asked = [(task, record.num_fewshot) for task, record in defaults if task.num_fewshot or record.config.get("num_fewshot") != 0]
    others = [f"{task.name}: {task.num_fewshot} instead of {default}" for task, default in asked if task.num_fewshot != default]
    if not others or len({task.num_fewshot for task, _ in asked}) == 1:
        return None
    count = f"{len(others)} of {len(asked)}"
    return f"means mix numbers of exemplars: {count} tasks were not asked with their default ({some_names(others)})"


def mixed_settings(tasks: Iterable[TaskRun], *also: str) -> list[str]:
    """A line for each setting in which tasks of one model differ: those of the run, and those of `task_settings` in `also`.

    Only tasks with the same type of request are compared, because options are ranked without a chat template and answers are
    generated with it. The number type is compared over all tasks.
    """
    found = []  # (setting, of which tasks), (value, task)
    for task in tasks:
        asked, written = task_settings(task), task.config.get("output_type") == "generate_until"
        kind = task.facts.variant if written else ""
        for setting in (*_OF_RUN, _TYPE, *also):
            if setting != _TYPE or asked[setting] is not None:  # older results, and servers, do not say it
                found.append(((setting, "" if setting == _TYPE else kind), (str(asked[setting]), task.name)))
    return [
        f"tasks {'' if setting == _TYPE else 'of one type '}differ in the {setting} "
        f"({' against '.join(map(some_names, by_value.values()))})"
        for (setting, _), by_value in disagreeing(found).items()
    ]


def made_differently(left_out: Sequence[TaskRun], kept: Sequence[TaskRun]) -> list[str]:
    """The settings in which two runs of these tasks differ: "dtype: float16, kept bfloat16"."""
    pairs = [(_of_run(left_out[0].run), _of_run(kept[0].run))]
    pairs += [(task_settings(one), task_settings(other)) for one, other in zip(left_out, kept, strict=True)]
    asked = (*pairs[0][0], *(name for name in HOW_ASKED if name not in _OF_RUN), "version of the pack")
    found = []
    for old, new in pairs:
        for name in (name for name in asked if name in old and old[name] != new[name]):
            values = (NOT_RECORDED if value is None else value for value in (old[name], new[name]))
            found.append("{}: {}, kept {}".format(name.replace("_", " "), *values))
    return list(dict.fromkeys(found))


def _of_run(run: Run) -> dict[str, Any]:
    """The settings of a run, and its model: by its weights if they are known, because folders move, else by its name."""
    return {"model": None if run.settings.weights else run.recorded} | asdict(run.settings)


def under_one_name(tasks: Iterable[TaskRun]) -> list[str]:
    """A line for each name with scores of different models, such as a folder whose checkpoint was replaced."""
    found = []  # (model, what may differ), (value, task)
    for task in tasks:
        settings = task.run.settings
        values = {
            "models": task.run.recorded or task.run.model,
            "weights": settings.weights,
            "revisions": settings.revision or settings.answered_by,
            "adapters or quantisations": settings.adapter_or_quantisation or "none",
        }
        found += [((task.run.model, what), (value, task.name)) for what, value in values.items() if value]
    return [
        f"{model}: the scores are of {len(by_value)} different {what} under one name "
        f"({some_names([f'{names[0]} with {value}' for value, names in by_value.items()])}); give each its own"
        for (model, what), by_value in disagreeing(found).items()
    ]
