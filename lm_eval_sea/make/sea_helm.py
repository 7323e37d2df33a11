"""The content of the files of SEA-HELM's tasks and groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lm_eval_sea.catalogue.sea_helm import SeaHelmTask, sea_helm
from lm_eval_sea.catalogue.suites import read_others, read_totals
from lm_eval_sea.make.leaf import Content, greedy, group_of, rows_path
from lm_eval_sea.make.prompt_files import PromptFileError, entry, of_task, place, row_template
from lm_eval_sea.tasks._shared.facts import SEA_HELM, SEA_HELM_WITH_CUE

# Kind of task → its template in tasks/_shared; `facts.SEA_HELM_SCORES` says how it is scored.
_TEMPLATES = {
    **{kind: f"sea_helm_{kind}_yaml" for kind in ("labels", "phenomena", "minimal_pairs", "qa", "summarization", "translation")},
    "instructions": "instruction_following_yaml",
    "criteria": "sea_helm_judged_yaml",
    "first_turn": "sea_helm_judged_yaml",
    "second_turn": "sea_helm_second_turn_yaml",
}
# Kind without a prompt file → Jinja template of a row.
_TEXTS = {"instructions": "{{prompt}}", "first_turn": "{{turns[0]}}", "second_turn": "{{turns[1]}}"}


def _prompt(prompts: Mapping[str, Any], task: SeaHelmTask) -> tuple[str, str, str, Any]:
    """The cue, the preamble, the Jinja template of a row, and the version of the prompt file (None without one)."""
    if text := _TEXTS.get(task.kind):
        return "", "", text, None
    where, name = place(SEA_HELM, task.language), task.prompt or task.name
    of_language = entry(prompts, task.language, f"{SEA_HELM}/prompts")
    words, version = of_task(of_language, name, where), entry(of_language, "version", where)
    where = f"{where}: {name}"
    template = row_template(words, task.content_fields, where, task.optional_fields)
    if task.kind not in SEA_HELM_WITH_CUE:
        return "", words.get("instruction", ""), template, version
    cue, form, instruction = (entry(words, key, where) for key in ("cue", "format", "instruction"))
    if "{cue}" not in form or "ANSWER" not in form:
        raise PromptFileError(f"{where}: 'format' lacks {{cue}} or the word ANSWER")
    for label in task.labels:
        if label not in form + instruction:
            raise PromptFileError(f"{where}: 'format' does not name the label {label!r}")
    return cue, f"{instruction}\n\n{form}".replace("{cue}", cue), template, version


def leaf(prompts: Mapping[str, Any], task: SeaHelmTask, *, ranked: bool = False) -> Content:
    """A task of SEA-HELM in a language; `ranked` if its labels are ranked instead of generated."""
    language, (cue, preamble, template, version) = task.language, _prompt(prompts, task)
    rows = [rows_path(SEA_HELM, task.process)] if task.process else []  # else the template names the function
    common = [f"sea_{language}", "sea_prompt_native"]
    if ranked:
        include, tags = f"_shared/sea_helm_{'choice_' if task.own_choices else ''}ranking_yaml", ["sea_helm_ppl", *common]
        answers: Content = {"gen_prefix": cue, "doc_to_choice": "choices" if task.own_choices else task.labels}
    else:
        include, competency = f"_shared/{_TEMPLATES[task.kind]}", re.sub(r"\W+", "_", task.competency)
        tags = [SEA_HELM, f"{SEA_HELM}_{task.pillar}", f"{SEA_HELM}_{competency}", *common]
        tags = ["sea_helm_judged"] if task.is_judged else list(dict.fromkeys(tags))
        answers = {"generation_kwargs": greedy([], task.max_new_tokens)}
    return {
        "task": f"{SEA_HELM}_{language}_{task.name}{'_ppl' if ranked else ''}",
        "include": [include, *rows],
        "tag": tags,
        **({} if task.exemplars else {"num_fewshot": 0}),
        "description": preamble,
        "doc_to_text": template,
        **answers,
        "metadata": {
            "version": sea_helm().version,
            "dataset": SEA_HELM,
            "language": language,
            "task": task.name,
            "variant": "ppl" if ranked else task.kind,
            "prompt_language": language,
            "prompt_book_version": version,
            "answer_tag": cue,
            **({"turn_text": template} if task.kind == "criteria" else {}),
            "provenance": {},
        },
    }


def groups(language: str) -> Iterator[Content]:
    """The groups of a language: its suites, the tasks in none of them, and those that a judge scores.

    They have no averages, because SEA-HELM's totals are not plain means. Second turns of conversations are in no group, because
    they need the answers of the first; nor are judged tasks that are no longer in a suite.
    """
    tasks, totals = sea_helm().of_language(language), read_totals()
    plain = {name: task for name, task in tasks.items() if not task.is_judged}
    whole = f"{SEA_HELM}_{language}"
    rest = {name: task for name, task in plain.items() if task.key in read_others().get(language, ())}
    for suite in totals.values():
        members = {name: task for name, task in plain.items() if task.is_among(suite["languages"].get(language, []))}
        group = suite["group"].format(language=language)
        if members and group != whole:
            ranked = suite.get("ranked", False)
            names = [f"{name}_ppl" if ranked and task.has_ranked_twin else name for name, task in members.items()]
            yield _group(group, language, names)
        elif members:
            yield from _by_pillar(whole, language, members)
    if language not in totals["seahelm"]["languages"]:
        yield from _by_pillar(whole, language, rest)
    elif rest:
        yield _group(f"{SEA_HELM}_extra_{language}", language, rest)
    in_suites = {key for suite in totals.values() for keys in suite["languages"].values() for key in keys}
    judged = [name for name, task in tasks.items() if task.is_judged and not task.first_turn and task.key in in_suites]
    if judged:
        yield _group(f"{SEA_HELM}_judged_{language}", language, judged)


def _by_pillar(name: str, language: str, tasks: Mapping[str, SeaHelmTask]) -> Iterator[Content]:
    """A group and its members, one group for each pillar."""
    of_pillars = {
        f"{name}_{pillar}": members
        for pillar in sea_helm().pillars
        if (members := [task.name for task in tasks.values() if task.pillar == pillar])
    }
    yield group_of(name, of_pillars, sea_helm().version)
    for group, members in of_pillars.items():
        yield _group(group, language, members)


def _group(name: str, language: str, members: Iterable[str]) -> Content:
    return group_of(name, [f"{SEA_HELM}_{language}_{task}" for task in members], sea_helm().version)
