"""The facts of a task: its metadata identify it, `data_set.yml` says where its rows are and how it is scored.

This module needs no other part of the pack, so that tasks work through `--include_path` alone.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml


if TYPE_CHECKING:
    from collections.abc import Mapping


TASKS_FOLDER = Path(__file__).resolve().parents[1]
SEA_HELM = "sea_helm"
EXEMPLAR_SPLIT = "examples"  # the split of published exemplars, if a data set has some
ORDER = "order"  # the setting that asks how likely the published order of the options is, which does not test skill
PUBLISHED_POSITION = "published_position"  # the column with a row's position in the published data
# What replaces a row's content in the prompts of contextual calibration (Zhao et al. 2021, section 5).
CONTENT_FREE_INPUTS = ["N/A", "", "[MASK]"]
# The keys that a data set gives for all its languages, and that each language may override.
OF_LANGUAGES = (
    "source",
    "on_hub",
    "files",
    "config",
    "splits",
    "checkout",
    "prompts_in",
    "rows",
    "chance",
    "origin",
    "licence",
    "gated",
    "expect",
    "process",
    "sailcompass_evaluator",
)

# The language that rows are translated from or into → its column. The other language of a row has `translation`.
PIVOTS = {"en": "english", "id": "indonesian"}

# Variant → the metric that tables show first. Multiple choice has several variants; other kinds of task have one.
HEADLINES = {
    "to_ppl": "acc_ppl",
    "tito_ppl": "acc_ppl",
    "litito_ppl": "acc_ppl",
    "litilo_ppl": "acc_ppl",
    "litiloto_ppl": "acc_ppl",
    "litilo_gen": "exact_match",
    "classification": "acc_bc",
    "qa": "exact_match",
    "short_answer": "contains",
    "number": "exact_number",
    "translation": "chrf++",
    "summarization": "bleu",
    "judged": "null_rate",
    "second_turn": "null_rate",
}
# The variants whose prompt is for chat models. Choices are scored by the share of right ones.
CHAT = ("chat", "choice")
# SEA-HELM's variant → the metric that tables show first, and that of a row for its totals; None if a judge has to score it.
SEA_HELM_SCORES = {
    "labels": ("balanced_acc", "correct"),
    "phenomena": ("phenomena_acc", "correct"),
    "minimal_pairs": ("phenomena_acc", "correct"),
    "qa": ("f1", "f1"),
    "summarization": ("rougeL", "rougeL"),
    "translation": ("chrf++", None),
    "instructions": ("pass", "pass"),
    "criteria": ("null_rate", None),
    "first_turn": ("null_rate", None),
    "second_turn": ("null_rate", None),
    "ppl": ("balanced_acc_cc", None),
}
# The kinds of SEA-HELM whose answer follows a cue.
SEA_HELM_WITH_CUE = ("labels", "phenomena", "minimal_pairs", "qa", "summarization", "translation")
_CALIBRATED = ("classification", "litilo_ppl")
# The kinds whose answers are texts that the model writes.
GENERATED = ("qa", "short_answer", "number", "translation", "summarization")
# The settings with other rows or exemplars than SailCompass has. Its evaluator does not apply to them.
_OF_PARALLEL_ROWS = ("chat", "choice", "enshots", "parallel", "pair", "translated")
# The settings whose rows are not the data set's rows of that language, so that its digests do not apply.
_OF_OTHER_ROWS = ("pair", "translated")


@functools.cache
def read_yaml(path: Path) -> dict[str, Any]:
    """A file of the pack, read once per process."""
    return _parsed(path)


def _parsed(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8") as file:
        content: dict[str, Any] = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (a safe one)
    return content


def whole_record(record: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The record of a language in a data set, with the keys that are given once for all languages."""
    return {key: record[key] for key in OF_LANGUAGES if key in record} | (record["languages"][language] or {})


def facts(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that is known about a task.

    Args:
        metadata: the task's. They identify it by `dataset`, `language`, `variant`, `prompt_language`, and `setting` if it has
            one; for SEA-HELM also `task` and `answer_tag`; for a translation `source_language` and `answer_language`. Their other
            keys override `data_set.yml`. If they have `rows`, as in results and in every task up to version 0.2, they are
            complete. A task of a user's own data set has `data_set`, see `files_of_own_data`; if these files have changed since
            the task was made, only its metadata are known.

    Returns:
        The metadata, its `provenance`, and from `data_set.yml`:
        - `task`, `data_source` with `data_files` or `data_config`, and `data_splits` (see `Source.from_metadata`);
        - `rows`, `chance`, `headline_metric`, `tested` (digests of the rows that the pack was tested with), and `subset` of a
          lite task;
        - if they apply, `answer_language`, `content_free_inputs`, `content_fields`, `sailcompass_evaluator`, `parallel`,
          `judged_as`, `columns`, `letters`, `labels`, `labels_in`;
        - of a task of SEA-HELM `suite`, `sea_helm_task`, `pillar`, `competency`, `score_group`, `item_metric`, `fields`,
          `labels`, `phenomena`, `exemplars_by`, `first_turn_task`.
    """
    said = {**metadata, **(metadata.get("provenance") or {})}
    folder = TASKS_FOLDER / str(metadata.get("dataset"))
    own = files_of_own_data(metadata)
    path = Path(next(iter(own))) if own else folder / "data_set.yml"
    if "rows" in said or not path.is_file() or changed_since_made(metadata):
        return said
    record = (_parsed if own else read_yaml)(path)  # a user's own file may change while the process runs
    found = _of_sea_helm(record, said) if "tasks" in record else _of_data_set(record, said)
    if str(found["data_source"]).startswith("."):  # a folder beside the file
        found["data_source"] = str((path.parent / found["data_source"]).resolve())
    tested = path.with_name("tested.yml")
    is_tested = tested.is_file() and said.get("setting") not in _OF_OTHER_ROWS and not said.get("as_published")
    if is_tested and (digests := read_yaml(tested).get(key_of_rows(said))):
        found["tested"] = digests
    if said.get("setting") == "lite":
        found |= _of_lite(path.with_name("lite.yml"), found | said)
    return found | said


def files_of_own_data(metadata: Mapping[str, Any]) -> dict[str, str]:
    """The files of a user's own data set that a task was made of, `data_set.yml` first: path → `digest_of_file`. Else empty."""
    files = metadata.get("data_set") or {}
    return files if isinstance(files, dict) else {str(files): ""}  # a task file of an earlier version has no digest


def changed_since_made(metadata: Mapping[str, Any]) -> str:
    """Which file of a user's own data set has changed since the task was made, and how to mend that; empty if none has.

    The task file repeats parts of these files, such as the words for labels, which may no longer be in the order of the labels.
    """
    files = files_of_own_data(metadata)
    for name, digest in files.items():
        folder = Path(next(iter(files))).parent
        if not (path := Path(name)).is_file():
            return f"{path} is missing, but the task was made from it; run `lm-eval-sea make {folder}`, or make with its new path"
        if digest_of_file(path) != digest:
            return f"{path} has changed since the task was made; run `lm-eval-sea make {folder}` again"
    return ""


def digest_of_file(path: Path) -> str:
    """The beginning of the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def key_of_rows(said: Mapping[str, Any]) -> str:
    """The key of a task's rows in `tested.yml`: the language, for SEA-HELM with the task."""
    language = str(said.get("question_language", said["language"]))
    return f"{language}_{said['task']}" if said["dataset"] == SEA_HELM else language


def _of_data_set(record: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    variant, language, setting = said["variant"], said["language"], said.get("setting")
    data = whole_record(record, said.get("question_language", language))
    found = {
        "task": record["task"],
        **place_of_rows(data),
        "rows": data["rows"],
        "chance": data["chance"],
        "headline_metric": _headline(record["kind"], variant),
    }
    if variant == "second_turn":
        found["first_turn_task"] = f"sea_{said['dataset']}_{language}"
    if variant in _CALIBRATED:
        found |= {"content_free_inputs": CONTENT_FREE_INPUTS, "content_fields": record.get("content_fields", record["fields"])}
    if record["kind"] in GENERATED:
        found["answer_language"] = language
    is_scored = variant in ("qa", "litilo_gen") and language in record.get("suite_languages", ())
    if is_scored and setting not in _OF_PARALLEL_ROWS and (evaluator := data.get("sailcompass_evaluator")):
        found["sailcompass_evaluator"] = evaluator
    if "parallel" in record or record.get("same_questions"):
        found["parallel"] = True
    if "columns" in record and (letters := record.get("letters", {}).get(data.get("prompts_in", language))):
        found["letters"] = letters
    return found | {key: record[key] for key in ("judged_as", "columns", "labels", "labels_in") if key in record}


def _headline(kind: str, variant: str) -> str:
    if variant not in CHAT:
        return HEADLINES[variant]
    return HEADLINES[kind] if kind in GENERATED else "exact_match"


def place_of_rows(data: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that say where a language's rows are: files of a repository, or a configuration of it."""
    place = {"data_files": data["files"]} if data.get("files") else {"data_config": data["config"], "data_splits": data["splits"]}
    on_hub = {} if data.get("on_hub", True) else {"data_on_hub": False}
    checkout = {"data_checkout": data["checkout"]} if data.get("checkout") else {}
    return {"data_source": data["source"]} | place | on_hub | checkout


def sea_helm_record(record: Mapping[str, Any], task: str, language: str) -> dict[str, Any]:
    """What SEA-HELM's `data_set.yml` says about a task in one language."""
    of_task: dict[str, Any] = record["tasks"].get(task) or record["judged"][task]
    of_language: dict[str, Any] = of_task["languages"][language]
    return {key: value for key, value in of_task.items() if key != "languages"} | of_language


def _of_sea_helm(record: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    language = said["language"]
    data = sea_helm_record(record, said["task"], language)
    labels, is_ranked = data.get("labels", []), said["variant"] == "ppl"
    headline, item = SEA_HELM_SCORES[said["variant"]]
    optional = data.get("optional_fields", [])
    found = {
        # the first answers of a conversation are only a part of what is judged, so totals leave them out
        "suite": "sea_helm_first_turns" if data["kind"] == "first_turn" else SEA_HELM,
        "sea_helm_task": data["key"],
        "pillar": data["pillar"],
        "competency": data["competency"],
        "score_group": data.get("score_group"),
        **_place_in_sea_helm(data, language),
        "rows": data["rows"],
        "chance": data.get("chance", 1 / len(labels) if labels else 0.0),
        "headline_metric": headline,
        "item_metric": item,
        "fields": [field for field in data.get("fields", data["content_fields"]) if field not in optional],
    }
    found["fields"] += [data["exemplars_by"]] if "exemplars_by" in data else []
    if labels:
        found["labels"] = labels
    elif data["kind"] in SEA_HELM_WITH_CUE:
        found["answer_language"] = data.get("answer_language", language)
    if is_ranked:
        found |= {"content_free_inputs": CONTENT_FREE_INPUTS, "content_fields": data["content_fields"]}
        found["answer_cue"] = said["answer_tag"]
    if "first_turn" in data:
        found["first_turn_task"] = f"{SEA_HELM}_{language}_{data['first_turn']}"
    return found | {key: data[key] for key in ("phenomena", "exemplars_by") if key in data}


def _place_in_sea_helm(data: Mapping[str, Any], language: str) -> dict[str, Any]:
    source = {"data_source": data["source"]}
    files = {split: f"{data['folder']}/{file.format(language=language)}" for split, file in data.get("files", {}).items()}
    if not data.get("on_hub", True):
        return source | {"data_files": files, "data_on_hub": False}
    config, splits = data.get("config", "{language}"), data.get("splits", {"test": "eval", EXEMPLAR_SPLIT: "examples"})
    source |= {"data_config": config.format(language=language), "data_splits": splits}
    source |= {"data_checkout": {"folder": data["checkout"], "files": files}} if "checkout" in data else {}
    return source | ({"data_source_also": data["also"]} if "also" in data else {})


def _of_lite(path: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """The rows of a lite task. A chat task has those of the plain task's lite version."""
    tasks = read_yaml(path)["tasks"]
    name = _name_of_whole(said)
    if said["variant"] in CHAT:
        name = name.removesuffix("_enprompt")
        name = next(each for each in tasks if each == name or each.startswith(f"{name}_"))
    choice = tasks[name]
    return {"rows": len(choice["ids"].split()), "subset": choice}


def name_of(data_set: str, language: str, variant: str = "", *, english: bool = False) -> str:
    """The name of a task, or of a group if `language` is empty. `english`: the prompt is English, the rows are not."""
    return "_".join(filter(None, ("sea", data_set, language, variant, "enprompt" if english else "")))


def is_english_prompt(prompt_language: str, language: str) -> bool:
    """Whether the prompt is English and the rows are not. Then the task's name has `enprompt`."""
    return prompt_language == "en" != language


def _name_of_whole(said: Mapping[str, Any]) -> str:
    """The name of the task of which a lite task is a part."""
    if said["dataset"] == SEA_HELM:
        return f"{SEA_HELM}_{said['language']}_{said['task']}"
    pair = f"{said['source_language']}_{said['answer_language']}" if "source_language" in said else said["language"]
    variant = said["variant"] if said["variant"].endswith(("_ppl", "_gen")) else ""
    return name_of(said["dataset"], pair, variant, english=is_english_prompt(said["prompt_language"], said["language"]))
