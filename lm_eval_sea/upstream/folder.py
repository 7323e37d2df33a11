"""The folder of a data set as lm-eval keeps it: templates, tasks, and the script that writes the tasks.

The prompts, label words and exemplars are those of the pack's generated tasks; rows come through the hand-written `utils.py`.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.generate.task_yaml import Function, to_yaml
from lm_eval_sea.upstream.pull_request import Prompt, pull_request, readme, title
from lm_eval_sea.upstream.records import Record, read_record

VERSION = 1.0
_ENGLISH = "_en_prompt"
_SCRIPT = Path(__file__).resolve().parent / "generate_configs.txt"


class FolderError(ValueError):
    """A folder that cannot be written to without loss; the message is one line."""


def write_folder(name: str, out: Path) -> Path:
    """Writes the folder of a data set, and beside it the text of the pull request.

    Args:
        name: one of `records.names`.
        out: where to write; made if it does not exist.

    Returns:
        The written folder.

    Raises:
        FolderError: if there is such a folder already.
    """
    folder = out / name
    if folder.exists():
        raise FolderError(f"{folder} exists; remove it, or give --out another folder")
    record = read_record(name)
    prompts = _prompts(record)
    configs = {prompt.task: _config(prompt.of) for prompt in prompts}
    shared = _shared(record, configs)
    files = {
        f"_{name}_yaml": to_yaml(shared),
        "utils.py": record.utils,
        "_generate_configs.py": _script(record, prompts, configs, shared),
        "README.md": readme(record, prompts, shared.get("num_fewshot", 0)),
    }
    for template, keys in record.templates.items():
        files[f"_{template}_yaml"] = to_yaml(_with_functions(keys))
    for prompt in prompts:
        if keys := _of_language(record, prompt.language, configs[prompt.task]):
            files[f"_{prompt.language}_yaml"] = to_yaml(keys)
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / file).write_text(content, encoding="utf-8", newline="\n")
    (out / f"{name}_pull_request.md").write_text(pull_request(record, prompts), encoding="utf-8", newline="\n")
    runpy.run_path(str(folder / "_generate_configs.py"), run_name="__main__")
    return folder


def _config(task: str) -> Mapping[str, Any]:
    return read_tasks().tasks[task].config


def _prompts(record: Record) -> list[Prompt]:
    """The tasks in the order of the record, each followed by its twin with an English prompt."""
    prompts = []
    for task, leaf in record.leaves.items():
        language = _config(leaf["of"])["metadata"]["language"]
        own = {key: value for key, value in leaf.items() if key not in ("of", "about", "templates")}
        for suffix, twin in (("", leaf["of"]), (_ENGLISH, f"{leaf['of']}_enprompt")):
            if twin in read_tasks().tasks:
                prompts.append(Prompt(task + suffix, twin, language, leaf["about"], bool(suffix), leaf.get("templates", ()), own))
    return prompts


def _shared(record: Record, configs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What all tasks have in common."""
    first = next(iter(configs.values()))
    found: dict[str, Any] = {"dataset_path": first["metadata"]["data_source"]} if "data_files" in first["metadata"] else {}
    found |= {"output_type": first["output_type"], "test_split": "test"}
    if first["num_fewshot"] is not None:
        found["num_fewshot"] = first["num_fewshot"]
    if "samples" not in first["fewshot_config"]:
        found["fewshot_config"] = first["fewshot_config"]
    if len({config.get("doc_to_target") for config in configs.values()}) == 1:
        found["doc_to_target"] = first["doc_to_target"]
    found |= _with_functions(record.shared)
    found["metric_list"] = [_metric(name, aggregation) for name, aggregation in record.metrics.items()]
    return found | {"metadata": {"version": VERSION}}


def _metric(name: str, aggregation: str | None) -> dict[str, Any]:
    named = {"aggregation": _function(aggregation)} if aggregation else {}
    return {"metric": _function(name), **named, "higher_is_better": True}


def _of_language(record: Record, language: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """What the tasks of a language have in common: the file of its rows and the pack's exemplars, where there are such."""
    found: dict[str, Any] = {}
    if "data_files" in config["metadata"] and "dataset_path" not in record.shared:
        found["dataset_kwargs"] = {"data_files": {"test": config["metadata"]["data_files"]["test"]}}
    found |= _with_functions(record.by_language.get(language, {}))
    if "samples" in config["fewshot_config"]:
        found["fewshot_config"] = config["fewshot_config"]
    return found


def _script(record: Record, prompts: list[Prompt], configs: Mapping[str, Mapping[str, Any]], shared: Mapping[str, Any]) -> str:
    leaves = {prompt.task: _leaf(record, prompt, configs[prompt.task], shared) for prompt in prompts}
    script = _SCRIPT.read_text(encoding="utf-8")
    return script.replace("TITLE", title(record)).replace("TASKS = {}", f"TASKS = {_literal(leaves)}")


def _leaf(record: Record, prompt: Prompt, config: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    of_language = [prompt.language] if _of_language(record, prompt.language, config) else []
    templates = [record.folder, *of_language, *prompt.templates]
    leaf: dict[str, Any] = {"task": prompt.task, "include": [f"_{template}_yaml" for template in templates]}
    leaf |= {"tag": [prompt.tag(record)], **prompt.own}
    if "data_config" in config["metadata"]:
        leaf |= {"dataset_path": config["metadata"]["data_source"], "dataset_name": config["metadata"]["data_config"]}
    keys = ("description", "doc_to_text", "doc_to_choice", "doc_to_target", "generation_kwargs")
    leaf |= {key: config[key] for key in keys if key in config and key not in shared}
    if cue := config.get("gen_prefix"):
        # the pack cuts blanks off the end of a row, and puts the cue behind a blank line
        row = re.sub(r"}}$", "|trim}}", leaf["doc_to_text"])
        leaf |= {"description": f"{leaf['description']}\n\n", "doc_to_text": f"{row}\n\n{cue}"}
    return leaf


def _with_functions(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _function(value) for key, value in keys.items()}


def _function(value: Any) -> Any:
    """The name of a function in `utils.py` as a reference to it; any other value as it is."""
    return Function(value) if isinstance(value, str) and value.startswith("utils.") else value


def _literal(value: Any, indent: int = 0) -> str:
    """A value of mappings, lists, texts and numbers as Python source, laid out as ruff's formatter leaves it."""
    inner, outer = " " * (indent + 4), " " * indent
    if isinstance(value, Mapping):
        lines = [f"{inner}{_text(key)}: {_literal(item, indent + 4)},\n" for key, item in value.items()]
        return "{\n" + "".join(lines) + outer + "}"
    if isinstance(value, list):
        return "[\n" + "".join(f"{inner}{_literal(item, indent + 4)},\n" for item in value) + outer + "]"
    return _text(value) if isinstance(value, str) else repr(value)


def _text(text: str) -> str:
    quote = "'" if text.count('"') > text.count("'") else '"'
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace(quote, f"\\{quote}")
    return f"{quote}{escaped}{quote}"
