"""Makes task files with SEA-HELM's own prompts, from a checkout of its repository.

The prompts are plain YAML; no code is run. A file that differs from the tested one is used, and a note names it. A label task has
a twin that ranks the labels, `…_logprobs`, which is SEA-HELM's task of that name (suite `seahelm_logprobs`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from lm_eval_sea.catalogue.sea_helm import SeaHelmTask
from lm_eval_sea.catalogue.sea_helm import sea_helm as sea_helm_tasks
from lm_eval_sea.catalogue.suites import read_totals
from lm_eval_sea.make import sea_helm
from lm_eval_sea.make.prompt_files import JINJA_CODE, read_prompts
from lm_eval_sea.official.task_folder import MARK, NO_COMMIT, CheckoutError, Made, commit_of, commits, fault_of_file
from lm_eval_sea.tasks._shared.facts import SEA_HELM, TASKS_FOLDER, facts, read_yaml
from lm_eval_sea.tasks._shared.metrics.ranking import PROBABILITY

PREFIX = "seahelm"
LOGPROBS = f"{PREFIX}_logprobs"  # SEA-HELM's suite for base models
KNOWN_FILES = Path(__file__).with_name("sea_helm_files.yaml")
_REFERENCE = re.compile(r"\${([\w.-]+)}")
_PLACE = re.compile(r"{{|}}|{([^\W\d]\w*)}|[{}]")
_SEPARATOR = re.compile(r"{answer_tag}(.*){label}")  # what SEA-HELM puts between the tag and a label that it ranks
# The names of SEA-HELM's fields in the pack's rows, by kind or task.
_RENAMED = {"instructions": {"text": "prompt"}, "safeguard_in_the_wild": {"local_prompt": "prompt_text"}}
# Fields that may have no text, by task: one Burmese question has none, and the prompt shows "None", as in SEA-HELM.
_OPTIONAL = {"global_mmlu_lite": {"question"}}
# Versions of tasks that differ from those of the pack's own tasks: Global-MMLU-Lite has exemplars since 2.0.
_VERSIONS = {"global_mmlu_lite": 2.0}
_LOCAL = "seahelm_tasks/"  # beginning of the path of rows that are in the checkout


class PromptError(ValueError):
    """A prompt of a checkout cannot be used; the message is one line."""


def read_configs(checkout: Path) -> dict[str, Any]:
    """The configurations of all tasks of a checkout, with each `${…}` resolved, by SEA-HELM's names of the tasks."""
    configs: dict[str, Any] = {}
    for path in sorted((checkout / "seahelm_tasks").glob("**/config.yaml")):
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
            if not isinstance(content, dict):
                raise ValueError("it has no named tasks")
            configs |= content
        except (OSError, yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise CheckoutError(f"{path}: cannot be read ({str(error).splitlines()[0]})") from error
    if not configs:
        raise CheckoutError(f"{checkout} has no seahelm_tasks/**/config.yaml; give a checkout of aisingapore/SEA-HELM")
    named = {name: config for name, config in configs.items() if isinstance(config, dict)}
    return {name: {key: _value(value, configs, 5) for key, value in config.items()} for name, config in named.items()}


def _value(value: Any, configs: Mapping[str, Any], depth: int) -> Any:
    """A value of a configuration, or what it refers to, such as `${sentiment.languages}`, over at most `depth` references."""
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) and depth else None
    if not found:
        return value
    place: Any = configs
    for key in found[1].split("."):
        if not isinstance(place, Mapping) or key not in place:
            return value
        place = place[key]
    return _value(place, configs, depth - 1)


def jinja(text: str, renamed: Mapping[str, str]) -> str:
    """A template of `str.format` as Jinja; `renamed` maps fields to their names in the rows.

    Raises `PromptError` for other braces, or text that Jinja would interpret.
    """

    def replaced(found: re.Match[str]) -> str:
        if found[1]:
            return f"{{{{{renamed.get(found[1], found[1])}}}}}"
        if len(found[0]) == 1:
            raise PromptError(f"a brace that belongs to no placeholder in {text[:60]!r}")
        return found[0][0]

    if JINJA_CODE.search(text):
        raise PromptError(f"braces that Jinja would take for code in {text[:60]!r}")
    return _PLACE.sub(replaced, text)


def official_tasks(checkout: Path) -> Made:
    """The tasks of all suites with SEA-HELM's prompts, and two groups for each language: generated and ranked tasks."""
    configs, prompts = read_configs(checkout), read_prompts(TASKS_FOLDER, SEA_HELM)
    known = read_yaml(KNOWN_FILES)
    commit, missing = commit_of(checkout), [path for path in known["prompts"] if not (checkout / path).is_file()]
    faults = [fault_of_file(path, "missing", checkout, commit, known["commit"]) for path in missing]
    made = Made({}, faults, _notes(checkout, known, commit))
    for language in sea_helm_tasks().languages:
        suite = read_totals()["seahelm"]["languages"].get(language, [])
        groups: dict[str, list[str]] = {f"{PREFIX}_{language}": [], f"{LOGPROBS}_{language}": []}
        for task in sea_helm_tasks().of_language(language).values():
            if task.key not in configs and missing:
                continue  # its file is missing
            names = []
            for ranked in (False, True) if task.has_ranked_twin else (False,):
                name = f"{_name(task)}{'_logprobs' if ranked else ''}"
                try:
                    content = _content(sea_helm.leaf(prompts, task, ranked=ranked), name, task, configs, checkout)
                except PromptError as error:
                    made.faults.append(f"{name}: {error}")
                    continue
                content["metadata"]["provenance"] = {"checkout_commit": commit}
                made.files[f"{name}.yaml"] = _text(content)
                names.append(name)
            if names and not task.is_judged and task.is_among(suite):
                groups[f"{PREFIX}_{language}"].append(names[0])
                groups[f"{LOGPROBS}_{language}"].append(names[-1])
        found = {group: members for group, members in groups.items() if members}
        made.files.update({f"{group}.yaml": _text({"group": group, "task": members}) for group, members in found.items()})
    return made


def _notes(checkout: Path, known: Mapping[str, Any], commit: str) -> list[str]:
    """One line if the checkout is not the tested one: both commits, and the files that differ."""
    changed = [
        path
        for path, sha256 in known["prompts"].items()
        if (checkout / path).is_file() and hashlib.sha256((checkout / path).read_bytes()).hexdigest() != sha256
    ]
    if not changed and commit in (known["commit"], NO_COMMIT):
        return []
    files = f"other prompts than the tested ones in {', '.join(changed)}" if changed else "all files with prompts are the same"
    return [f"{commits(commit, known['commit'])}; {files}"]


def _name(task: SeaHelmTask) -> str:
    """The name of a task with SEA-HELM's prompt: SEA-HELM's own name for it, with the turn of a conversation."""
    turn = "".join(re.findall(r"_turn_\d$", task.name))
    return f"{PREFIX}_{task.language}_{task.key.replace('-', '_')}{turn}"


def _content(content: dict[str, Any], name: str, task: SeaHelmTask, configs: Mapping[str, Any], checkout: Path) -> dict[str, Any]:
    """The pack's own task with SEA-HELM's words, limits and rows."""
    ranked = "gen_prefix" in content
    try:
        # the suite also ranks Global-MMLU-Lite, without a configuration; in all others the words are those of the generated task
        config = configs.get(f"{task.key}-logprobs" if ranked else task.key, configs[task.key])["languages"][task.language]
        words = config["prompt_template"]
        preamble, template = str(words["preamble"]), str(words["task_template"])
        tag, answer, limit = str(words["answer_tag"]), str(words["answer_template"]), int(config["max_tokens"])
        rows, examples = str(config["filepath"]), config.get("example_filepath")
    except (KeyError, TypeError, ValueError) as error:
        raise PromptError(f"the checkout has no such prompt, or it lacks {error}") from error
    metadata = facts(content["metadata"])
    if examples is not None and set(_PLACE.findall(answer)) != {"answer_tag", "label"}:
        raise PromptError(f"its exemplars are answered by {answer!r}; expected the placeholders {{answer_tag}} and {{label}}")
    metadata |= {
        "answer_tag": tag,
        "prompts": f"SEA-HELM's, of {checkout.resolve().name}",
        "prompt_book_version": None,
        "exemplar_answer": answer,
    }
    for path in (rows, examples):
        if not str(path).startswith(_LOCAL):
            continue
        if not (checkout / str(path)).resolve().is_relative_to(checkout.resolve()):
            raise PromptError(f"its rows are outside the checkout: {str(path)[:80]!r}")
        if not (checkout / str(path)).is_file():
            raise PromptError(f"its rows are missing: {path}")
    if rows.startswith(_LOCAL):
        metadata = {key: value for key, value in metadata.items() if not key.startswith("data_")}
        files = {"test": rows} | ({"examples": examples} if examples else {})
        metadata |= {"data_source": str(checkout.resolve()), "data_files": files, "data_on_hub": False}
    if "first_turn_task" in metadata:
        metadata["first_turn_task"] = name.removesuffix("2") + "1"
    renamed = _RENAMED.get(task.kind, {}) | _RENAMED.get(task.name, {})
    if task.score_group == "thai_exam":
        metadata["data_splits"] = {"test": "test", "examples": "test"}  # SEA-HELM's exemplars are the first rows of the test
        metadata.pop("tested", None)  # the digests are of the rows with the pack's exemplars
        renamed = {option: f"{option} or ''" for option in "abcde"}  # an option without text is nothing in the pack's rows
    text = content["doc_to_text"] if "turns[" in content["doc_to_text"] else jinja(template, renamed)
    if "turn_text" in metadata:
        metadata["turn_text"] = text
    optional = {*task.optional_fields, *_OPTIONAL.get(task.name, ())}
    metadata["fields"] = [field for field in dict.fromkeys(re.findall(r"{{(\w+)}}", text)) if field not in optional]
    metadata["version"] = _VERSIONS.get(task.name, metadata["version"])
    if ranked:
        separator = _SEPARATOR.search(answer)
        answers = {"gen_prefix": tag, "target_delimiter": separator[1] if separator else " "}
        metadata |= {"answer_cue": tag, "headline_metric": PROBABILITY, "item_metric": PROBABILITY}
    else:
        answers = {"generation_kwargs": content["generation_kwargs"] | {"max_gen_toks": limit}}
    include = content["include"]
    if rows.startswith(_LOCAL) and task.name == "global_mmlu_lite":
        include = [include[0], f"{SEA_HELM}/_rows_yaml"]
        metadata.pop("tested", None)  # the digests are of the hub's rows, whose options have another order
    return content | {
        "task": name,
        "metadata": metadata,
        "include": [str(TASKS_FOLDER / path) for path in include],
        "tag": [PREFIX],
        "num_fewshot": 0 if examples is None else None,
        "description": _PLACE.sub(lambda found: tag if found[1] == "answer_tag" else found[0][0], preamble),
        "doc_to_text": text,
        **answers,
    }


def _text(content: Mapping[str, Any]) -> str:
    content = {key: value for key, value in content.items() if not (key == "num_fewshot" and value is None)}
    return f"{MARK} sea-helm. Do not publish.\n{yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=10**6)}"
