"""What the files of SEA-HELM's tasks and groups say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_sea.catalogue import read_sea_helm
from lm_eval_sea.catalogue.suites import read_others, read_totals
from lm_eval_sea.make.leaf import Content, greedy
from lm_eval_sea.make.prompt_files import PromptFileError, entry, of_task, place, read_prompts, row_template
from lm_eval_sea.tasks._shared.facts import SEA_HELM, SEA_HELM_WITH_CUE, TASKS_FOLDER, sea_helm_record

_SLUG = re.compile(r"\W+")


class Kind(NamedTuple):
    """How a kind of task asks; `facts.SEA_HELM_SCORES` says how it is scored."""

    template: str  # in tasks/_shared
    text: str = ""  # Jinja of the row where no prompt file has it


KINDS = {
    "labels": Kind("sea_helm_labels_yaml"),
    "phenomena": Kind("sea_helm_phenomena_yaml"),
    "minimal_pairs": Kind("sea_helm_minimal_pairs_yaml"),
    "qa": Kind("sea_helm_qa_yaml"),
    "summarization": Kind("sea_helm_summarization_yaml"),
    "translation": Kind("sea_helm_translation_yaml"),
    "instructions": Kind("instruction_following_yaml", "{{prompt}}"),
    "criteria": Kind("sea_helm_judged_yaml"),
    "first_turn": Kind("sea_helm_judged_yaml", "{{turns[0]}}"),
    "second_turn": Kind("sea_helm_second_turn_yaml", "{{turns[1]}}"),
}


class Prompt(NamedTuple):
    """What a task says."""

    cue: str
    preamble: str
    template: str  # Jinja
    version: Any  # of the prompt file; None without one


def read(prompts: Path = TASKS_FOLDER) -> dict[str, dict[str, Any]]:
    """The prompt files: language → keys.

    Raises:
        PromptFileError: if one cannot be read.
    """
    return read_prompts(prompts, SEA_HELM)


def tasks_of(language: str) -> list[str]:
    """The tasks that a language has."""
    records = read_sea_helm()["tasks"] | read_sea_helm()["judged"]
    return [name for name, record in records.items() if language in record["languages"]]


def _prompt(prompts: Mapping[str, Any], language: str, task: str, record: Mapping[str, Any]) -> Prompt:
    kind = KINDS[record["kind"]]
    if kind.text:
        return Prompt("", "", kind.text, None)
    where, name = place(SEA_HELM, language), record.get("prompt", task)
    of_language = entry(prompts, language, f"{SEA_HELM}/prompts")
    words, version = of_task(of_language, name, where), entry(of_language, "version", where)
    where = f"{where}: {name}"
    template = row_template(words, record["content_fields"], where, record.get("optional_fields", []))
    if record["kind"] not in SEA_HELM_WITH_CUE:
        return Prompt("", words.get("instruction", ""), template, version)
    cue, form, instruction = (entry(words, key, where) for key in ("cue", "format", "instruction"))
    if "{cue}" not in form or "ANSWER" not in form:
        raise PromptFileError(f"{where}: 'format' lacks {{cue}} or the word ANSWER")
    for label in record.get("labels", []):
        if label not in form + instruction:
            raise PromptFileError(f"{where}: 'format' does not name the label {label!r}")
    return Prompt(cue, f"{instruction}\n\n{form}".replace("{cue}", cue), template, version)


def leaf(prompts: Mapping[str, Any], language: str, task: str, *, ranked: bool = False) -> Content:
    """A task of SEA-HELM in a language.

    Args:
        prompts: language → keys of the prompt file.
        language: of rows and words.
        task: its name in `data_set.yml`.
        ranked: whether the labels are ranked instead of one being written.

    Raises:
        PromptFileError: if the prompt lacks something.
    """
    catalogue = read_sea_helm()
    record = sea_helm_record(catalogue, task, language)
    kind, prompt = KINDS[record["kind"]], _prompt(prompts, language, task, record)
    rows = [rows_path(record["process"])] if "process" in record else []  # else the template names the function
    common, own_choices = [f"sea_{language}", "sea_prompt_native"], record.get("own_choices", False)
    if ranked:
        include, tags = f"_shared/sea_helm_{'choice_' if own_choices else ''}ranking_yaml", ["sea_helm_ppl", *common]
        answers: Content = {"gen_prefix": prompt.cue, "doc_to_choice": "choices" if own_choices else record["labels"]}
    else:
        include, competency = f"_shared/{kind.template}", _SLUG.sub("_", record["competency"])
        tags = [SEA_HELM, f"{SEA_HELM}_{record['pillar']}", f"{SEA_HELM}_{competency}", *common]
        tags = list(dict.fromkeys(tags)) if task in catalogue["tasks"] else ["sea_helm_judged"]
        limit = entry(record, "max_new_tokens", f"{SEA_HELM}/data_set.yml: {task}")
        answers = {"generation_kwargs": greedy([], limit)}
    return {
        "task": f"{SEA_HELM}_{language}_{task}{'_ppl' if ranked else ''}",
        "include": [include, *rows],
        "tag": tags,
        **({} if record.get("exemplars", True) else {"num_fewshot": 0}),
        "description": prompt.preamble,
        "doc_to_text": prompt.template,
        **answers,
        "metadata": {
            "version": catalogue["version"],
            "dataset": SEA_HELM,
            "language": language,
            "task": task,
            "variant": "ppl" if ranked else record["kind"],
            "prompt_language": language,
            "prompt_book_version": prompt.version,
            "answer_tag": prompt.cue,
            **({"turn_text": prompt.template} if record["kind"] == "criteria" else {}),
            "provenance": {},
        },
    }


def rows_path(process: str) -> str:
    """The file that names the function which processes the rows; lm-eval looks for it beside that file only."""
    return f"{SEA_HELM}/_{process.removeprefix('process_')}_yaml"


def groups(language: str) -> Iterator[Content]:
    """The groups of a language: its suites, what is in none of them, and what a judge scores.

    They have no averages: SEA-HELM's totals are no plain means, and are computed from the samples. What is only the second turn
    of a conversation is in no group, for it needs the first one's answers; nor is what a judge scores for no suite any more.
    """
    catalogue, totals = read_sea_helm(), read_totals()
    records = {name: sea_helm_record(catalogue, name, language) for name in tasks_of(language)}
    plain = {name: record for name, record in records.items() if name in catalogue["tasks"]}
    whole = f"{SEA_HELM}_{language}"
    rest = {name: record for name, record in plain.items() if record["key"] in read_others().get(language, ())}
    for suite in totals.values():
        wanted = set(suite["languages"].get(language, []))
        members = {name: record for name, record in plain.items() if wanted & {record["key"], record.get("score_group")}}
        group = suite["group"].format(language=language)
        if members and group != whole:
            yield _group(group, language, members)
        elif members:
            yield from _by_pillar(whole, language, members)
    if language not in totals["seahelm"]["languages"]:
        yield from _by_pillar(whole, language, rest)
    elif rest:
        yield _group(f"{SEA_HELM}_extra_{language}", language, rest)
    in_suites = {key for suite in totals.values() for keys in suite["languages"].values() for key in keys}
    judged = {name: each for name, each in records.items() if name not in plain and "first_turn" not in each}
    if judged := {name: record for name, record in judged.items() if record["key"] in in_suites}:
        yield _group(f"{SEA_HELM}_judged_{language}", language, judged)


def _by_pillar(name: str, language: str, records: Mapping[str, Mapping[str, Any]]) -> Iterator[Content]:
    """A group, and below it those of its pillars."""
    of_pillars = {
        f"{name}_{pillar}": {task: record for task, record in records.items() if record["pillar"] == pillar}
        for pillar in read_sea_helm()["pillars"]
    }
    of_pillars = {group: members for group, members in of_pillars.items() if members}
    yield {"group": name, "task": list(of_pillars), "metadata": {"version": read_sea_helm()["version"]}}
    for group, members in of_pillars.items():
        yield _group(group, language, members)


def _group(name: str, language: str, members: Mapping[str, Any]) -> Content:
    tasks = [f"{SEA_HELM}_{language}_{task}" for task in members]
    return {"group": name, "task": tasks, "metadata": {"version": read_sea_helm()["version"]}}


def is_ranked(language: str, task: str) -> bool:
    """Whether a task also has a twin that ranks its labels."""
    return "labels" in sea_helm_record(read_sea_helm(), task, language)
