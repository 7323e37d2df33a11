"""Tasks that have no files and are made when they are asked for.

`listed` names the tasks of `sea_sailcompass` in other wordings, Belebele's option orders, pairs with English and translations,
and the parallel texts of Belebele and FLORES. Others can be asked for without being listed:

    …_p2, …_p3        any plain task in another wording
    …_e1, …_e2, …     any plain task with its exemplars in another order, if they are in a prompt file
    …_X-Y_…           any pair of languages
    …_choice          any chat task whose answer is a choice, with constrained answers
    …_chat_lite       any chat task whose data set has lite rows, on those rows
    …_order           any multiple-choice data set, with its options in two orders
"""

from __future__ import annotations

import fnmatch
import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lm_eval_sea.catalogue.data_sets import DataSet, data_sets
from lm_eval_sea.catalogue.kinds import JUDGED, recommended_variant
from lm_eval_sea.catalogue.names import lite_name
from lm_eval_sea.catalogue.suites import lite_chat_tasks, sailcompass
from lm_eval_sea.catalogue.task_files import read_task_file
from lm_eval_sea.catalogue.task_index import read_with_functions
from lm_eval_sea.catalogue.task_list import TaskRecord, UnknownNameError, is_glob, read_tasks, record_of
from lm_eval_sea.make import settings
from lm_eval_sea.make.files import leaves
from lm_eval_sea.make.leaf import Content, Prompted, read
from lm_eval_sea.make.prompt_files import PromptFileError
from lm_eval_sea.make.task_yaml import render
from lm_eval_sea.tasks._shared.facts import EXEMPLAR_SPLIT, ORDER, TASKS_FOLDER, is_english_prompt, name_of

_VARIATION = re.compile(r"(sea_[\w-]+)_([pe])([1-9]\d?)")
_CHOICE = re.compile(r"sea_[a-z0-9]+_[a-z]+_choice(?:_enprompt)?")
_ORDER = re.compile(r"sea_[a-z0-9]+_([a-z]+)_order")
_PAIR = re.compile(r"sea_[a-z0-9]+_([a-z]+-[a-z]+)(?:_\w+)?")
_TAG = "sea_setting_"


@functools.cache
def listed() -> dict[str, str]:
    """The names of the tasks that are made on demand, each with its setting."""
    return dict(_listed())


def _listed() -> Iterator[tuple[str, str]]:
    for data_set in sailcompass():
        variant, pairs = recommended_variant(data_set.kind), [data_set.pairs(language) for language in data_set.suite_languages]
        for pair, english in itertools.product(itertools.chain(*pairs), (False, True)):
            name = name_of(data_set.name, pair, variant, english=english)
            yield from ((f"{name}_p{number}", f"p{number}") for number in range(2, 2 + settings.PARAPHRASES))
    for data_set in data_sets().values():
        if data_set.parallel:
            yield from _parallel(data_set)
    for data_set in data_sets().values():
        languages = sorted({*data_set.languages, "en"}) if data_set.running_texts else ()
        yield from ((name_of(data_set.name, language, "text"), "text") for language in languages)


def _parallel(data_set: DataSet) -> Iterator[tuple[str, str]]:
    for language in data_set.languages:
        yield name_of(data_set.name, language, ORDER), ORDER
    for language in (each for each in data_set.languages if each != "en"):
        yield name_of(data_set.name, language, "to_en"), "to_en"
        for variant in (*settings.PARALLEL_VARIANTS, "chat"):
            yield name_of(data_set.name, language, f"translated_{variant}"), "translated"
        for pair in (f"{language}-en", f"en-{language}"):
            questions = pair.split("-")[1]
            english = is_english_prompt(data_set.languages[questions].prompts, questions)
            for variant in settings.PARALLEL_VARIANTS:
                yield name_of(data_set.name, pair, variant, english=english), "pair"


def on_demand(name: str) -> Content | None:
    """The content that the file of a task would have; None for a name that no task can have."""
    data_set = data_sets().get(name.removeprefix("sea_").partition("_")[0])
    if data_set is None:
        return None
    if found := _VARIATION.fullmatch(name):
        return _variation(read(data_set), found[1], found[2], int(found[3]))
    if _CHOICE.fullmatch(name):
        prompted = read(data_set)
        content = _of_file(prompted, name.replace("_choice", "_chat"))
        return content and settings.constrained(prompted, content)
    if (found := _ORDER.fullmatch(name)) and found[1] in data_set.languages:
        return settings.in_two_orders(read(data_set), found[1])
    if name.endswith(lite_name("")) and name in lite_chat_tasks():
        content = _of_file(read(data_set), name.removesuffix(lite_name("")))
        return content and settings.lite(content)
    if (found := _PAIR.fullmatch(name)) and data_set.parallel:
        prompted = read(data_set)
        contents = (settings.pair(prompted, found[1], variant) for variant in settings.PARALLEL_VARIANTS)
        return next((content for content in contents if content["task"] == name), None)
    match listed().get(name):
        case "text":
            return settings.text(read(data_set), name.split("_")[2])
        case "to_en":
            return settings.to_english(read(data_set), name.split("_")[2])
        case "translated":
            return settings.translated(read(data_set), name.split("_")[2], name.partition("_translated_")[2])
    return None


def _of_file(prompted: Prompted, name: str) -> Content | None:
    return next((content for _, content in leaves(prompted) if content["task"] == name), None)


def _variation(prompted: Prompted, base: str, kind: str, number: int) -> Content | None:
    content = _of_file(prompted, base)
    if content is None or "setting" in content["metadata"] or prompted.of.kind == JUDGED:
        return None
    if kind == "e":
        # exemplars that come with the rows are in no prompt file, so they cannot be reordered
        if EXEMPLAR_SPLIT in prompted.of.languages[content["metadata"]["language"]].splits:
            return None
        return settings.reordered(prompted, content, number)
    texts = settings.wordings(prompted, content)
    return settings.reworded(prompted, content, number) if 2 <= number < 2 + len(texts) else None


def names_on_demand(wanted: str) -> list[str]:
    """The tasks on demand that a name, a glob or the tag of a setting stands for."""
    names = [name for name, setting in listed().items() if fnmatch.fnmatch(name, wanted) or wanted == f"{_TAG}{setting}"]
    return names or ([wanted] if on_demand(wanted) else [])


def select(wanted: Iterable[str]) -> list[TaskRecord]:
    """The tasks that are wanted, each once: those in files, as in `TaskList.select`, and those made on demand.

    Raises `UnknownNameError` for a name or glob that matches nothing, `PromptFileError` if a prompt lacks something.
    """
    found: dict[str, TaskRecord] = {}
    files = read_tasks()
    for each in wanted:
        # a task or group in a file is never made on demand
        made = [] if each in files.tasks or each in files.groups else names_on_demand(each)
        if is_glob(each) or not made:
            try:
                found |= {task.name: task for task in files.select([each])}
            except UnknownNameError:
                if not made:
                    raise
        found |= {name: _record(name) for name in made}
    return list(found.values())


def _record(name: str) -> TaskRecord:
    content = _made(name)
    said = content["metadata"]
    prompts = TASKS_FOLDER / said["dataset"] / "prompts" / f"{said['prompt_language']}.yml"
    return record_of(name, prompts, _configuration(content, functions=False))


def tasks_on_demand(wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The tasks on demand that names, globs and tags stand for: name → configuration as lm-eval takes it."""
    return {name: _configuration(_made(name)) for each in wanted for name in names_on_demand(each)}


def files_on_demand(wanted: Iterable[str]) -> dict[str, str]:
    """The files of tasks on demand for `lm_eval --include_path`: name → content. They include files by absolute paths."""
    made: dict[str, Content] = {}
    for each in wanted:
        if not (names := names_on_demand(each)):
            raise PromptFileError(f"{each!r} is not a task that is made on demand; `lm-eval-sea ls` lists them")
        made |= {name: _made(name) for name in names}
    for content in made.values():
        content["include"] = [str(TASKS_FOLDER / path) for path in content["include"]]
    return {f"{name}.yaml": render("", content) for name, content in made.items()}


def _made(name: str) -> Content:
    content = on_demand(name)
    assert content is not None  # the name is one of `names_on_demand`
    return content


def _configuration(content: Content, *, functions: bool = True) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for path in content["include"]:
        whole |= (read_with_functions if functions else read_task_file)(TASKS_FOLDER / path)
    return whole | {key: value for key, value in content.items() if key != "include"}
