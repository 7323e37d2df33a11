"""Official configurations → task files for lm-eval, checked row by row against what OpenCompass would show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jinja2

from lm_eval_sea.generate.task_yaml import Function, Quoted, render
from lm_eval_sea.official.config_reader import ConfigError
from lm_eval_sea.official.opencompass_prompt import as_jinja, places, prompt
from lm_eval_sea.official.sailcompass_checkout import Checkout, OfficialTask
from lm_eval_sea.official.sailcompass_configs import Configuration
from lm_eval_sea.official.sailcompass_rows import LOADERS, SOURCE, Row, digest, loaded_rows, read_rows
from lm_eval_sea.official.task_folder import MARK
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.metrics.sailcompass_scores import EXACT_MATCH, F1

TAG = "sailcompass"
VERSION = 1.0
CONTENT_FREE_INPUTS = ("N/A", "", "[MASK]")  # Zhao et al. 2021, section 5
UTILS = f"""{MARK}; the task files beside it name these.
from lm_eval_sea.official.ranking import SailCompassCalibratedTask, SailCompassRankingTask
from lm_eval_sea.official.sailcompass_task import (
    belebele_scores,
    m3exam_scores,
    m3exam_thai_scores,
    rows,
    text_scores,
    tydiqa_scores,
    xquad_scores,
)

__all__ = [
    "SailCompassCalibratedTask",
    "SailCompassRankingTask",
    "belebele_scores",
    "m3exam_scores",
    "m3exam_thai_scores",
    "rows",
    "text_scores",
    "tydiqa_scores",
    "xquad_scores",
]
"""

# Official evaluator → the function in utils.py that scores a generated answer.
_PROCESS_RESULTS = {
    "AnsEvaluator": "xquad_scores",
    "BelebeleEvaluator": "belebele_scores",
    "M3examEmEvaluator": "m3exam_scores",
    "M3examThEvaluator": "m3exam_thai_scores",
    "TextGenEvaluator": "text_scores",
    "TydiqaIdEvaluator": "tydiqa_scores",
}
_PARTS = re.compile(r"(?P<group>.+_ppl)\d")  # M3Exam is ranked in files by the number of options


class TaskFiles(NamedTuple):
    """The files of a folder of tasks, and what could not be made."""

    files: dict[str, str]  # name → content
    faults: list[str]  # one line each


def task_files(checkout: Checkout) -> TaskFiles:
    """All task files that can be made of a checkout, from the rows below the current folder or from the hub."""
    files, faults = {}, []
    for task in checkout.tasks:
        try:
            files[f"{task.name}.yaml"] = _render(_content(task, checkout), f"{task.configuration.path}, {checkout.commit}")
        except ConfigError as error:
            faults.append(str(error))
        except DataError as error:
            faults.append(f"{task.name}: {error}")
    for group, names in _groups(checkout).items():
        if all(f"{name}.yaml" in files for name in names):
            files[f"{group}.yaml"] = _render(_group_content(group, names), f"its {len(names)} parts")
    return TaskFiles(files | {"utils.py": UTILS} if files else {}, faults)


def _render(content: Mapping[str, Any], source: str) -> str:
    _, body = render("", "", dict(content)).split("\n", 1)  # the first line speaks of the pack's own books
    return f"{MARK} sailcompass from {source}.\n{body}"


def _groups(checkout: Checkout) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for task in checkout.tasks:
        if match := _PARTS.fullmatch(task.name):
            groups.setdefault(match["group"], []).append(task.name)
    return groups


def _group_content(group: str, names: Sequence[str]) -> dict[str, Any]:
    metric = {"metric": "exact_match_sailcompass", "aggregation": "mean", "weight_by_size": True}
    return {"group": group, "task": list(names), "aggregate_metric_list": [metric], "metadata": {"version": VERSION}}


def _content(task: OfficialTask, checkout: Checkout) -> dict[str, Any]:
    configuration = task.configuration
    _check_names(configuration)
    rows = loaded_rows(
        configuration.loader, read_rows(configuration.data_file), task.texts, f"{SOURCE}/{configuration.data_file}"
    )
    columns = _columns(configuration, rows)
    content = {
        "task": task.name,
        "tag": [TAG],
        "custom_dataset": Function("utils.rows"),
        "dataset_kwargs": {"sailcompass_rows": _row_record(task, rows, columns)},
        "test_split": "test",
        "description": Quoted(as_jinja("\n".join(configuration.before) + "\n", columns)),
        "doc_to_text": Quoted(as_jinja(f"{configuration.question}\n{configuration.cue}", columns)),
        "target_delimiter": " ",
        "num_fewshot": 0,
    }
    content |= _ranked(configuration) if configuration.is_ranked else _generated(configuration)
    _check_prompts(configuration, content, rows)
    return content | {"metadata": _metadata(task, checkout, _shown_columns(configuration, columns))}


def _check_names(configuration: Configuration) -> None:
    known = EXACT_MATCH if configuration.is_ranked else _PROCESS_RESULTS
    if configuration.loader not in LOADERS or configuration.evaluator not in known:
        raise ConfigError(
            f"{configuration.path}:{configuration.lines['data']}: not understood: rows of {configuration.loader} scored by "
            f"{configuration.evaluator}"
        )


def _columns(configuration: Configuration, rows: Sequence[Row]) -> list[str]:
    """The columns that all rows have."""
    columns = [column for column in rows[0] if all(column in row for row in rows)]
    for column in [*configuration.input_columns, configuration.answer_column]:
        if column not in columns:
            raise ConfigError(
                f"{configuration.path}:{configuration.lines['columns']}: the column {column!r}, which not all rows of "
                f"{SOURCE}/{configuration.data_file} have"
            )
    return columns


def _option_columns(configuration: Configuration) -> list[str]:
    """The columns of the options; none where the options are the same words for all rows."""
    found = [re.fullmatch(r"\{(\w+)\}", option) for option in configuration.options.values()]
    return [match[1] for match in found] if all(found) else []


def _shown_columns(configuration: Configuration, columns: Sequence[str]) -> list[str]:
    """The columns that the prompt has places for, each once, in the order of the prompt."""
    return list(dict.fromkeys(places("\n".join([*configuration.before, configuration.question]), columns)))


def _options(configuration: Configuration, row: Row) -> list[str]:
    """The options of a row as a task file shows them."""
    return [str(row[column]) for column in _option_columns(configuration)] or list(configuration.options.values())


def _row_record(task: OfficialTask, rows: Sequence[Row], columns: Sequence[str]) -> dict[str, Any]:
    configuration = task.configuration
    record: dict[str, Any] = {"file": configuration.data_file, "loader": configuration.loader}
    record |= {"texts": dict(task.texts)} if task.texts else {}
    record |= {"columns": _shown_columns(configuration, columns), "answer_column": configuration.answer_column}
    record |= {"evaluator": configuration.evaluator}
    record |= {"labels": list(configuration.options)} if configuration.is_ranked else {}
    if option_columns := _option_columns(configuration):
        record["option_columns"] = option_columns
    return record | {"sha256": digest(rows)}


def _mean(metric: str) -> dict[str, Any]:
    return {"metric": metric, "aggregation": "mean", "higher_is_better": True}


def _ranked(configuration: Configuration) -> dict[str, Any]:
    of_rows = bool(_option_columns(configuration))
    metrics = ["exact_match_sailcompass", *(["f1_sailcompass"] if configuration.evaluator in F1 else []), "acc"]
    metrics += [] if of_rows else ["acc_cc", "acc_cc_zhao"]
    return {
        "class": Function(f"utils.{'SailCompassRankingTask' if of_rows else 'SailCompassCalibratedTask'}"),
        "output_type": "multiple_choice",
        "doc_to_choice": "choices" if of_rows else list(configuration.options.values()),
        "doc_to_target": "gold",
        "metric_list": [_mean(metric) for metric in metrics],
    }


def _generated(configuration: Configuration) -> dict[str, Any]:
    if configuration.evaluator == "TextGenEvaluator":
        aggregations = {"bleu_sailcompass": "bleu", "chrf_sailcompass": "chrf++"}  # lm-eval's, which it bootstraps
        metrics = [{"metric": each, "aggregation": aggregations[each], "higher_is_better": True} for each in aggregations]
    else:
        metrics = [
            _mean(each) for each in ["exact_match_sailcompass", *(["f1_sailcompass"] if configuration.evaluator in F1 else [])]
        ]
    # All scores look at the first line alone, but for that of XQuAD, which identifies the language of all that was generated.
    until = [] if configuration.evaluator == "AnsEvaluator" else [Quoted("\n")]
    return {
        "output_type": "generate_until",
        "doc_to_target": "reference",
        "generation_kwargs": {"until": until, "do_sample": False, "max_gen_toks": configuration.max_new_tokens},
        "process_results": Function(f"utils.{_PROCESS_RESULTS[configuration.evaluator]}"),
        "metric_list": metrics,
    }


def _metadata(task: OfficialTask, checkout: Checkout, columns: Sequence[str]) -> dict[str, Any]:
    configuration = task.configuration
    changed = {"changed_since": checkout.known_commit} if task.changed else {}
    calibrated = {}
    if configuration.is_ranked and not _option_columns(configuration):
        calibrated = {"content_free_inputs": list(CONTENT_FREE_INPUTS), "content_fields": columns}
    provenance = {
        "checkout_commit": checkout.commit,
        "checkout_file": configuration.path,
        "checkout_file_sha256": configuration.sha256,
    }
    return {"version": VERSION, **calibrated, "provenance": provenance | changed}


def _check_prompts(configuration: Configuration, content: Mapping[str, Any], rows: Sequence[Row]) -> None:
    """Refuses a task that would show any row otherwise than OpenCompass does."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)  # lm-eval's
    template = environment.from_string(content["description"] + content["doc_to_text"])
    for number, row in enumerate(rows):
        # OpenCompass hides the answer of generation; a prompt that names it is told apart here
        hidden = {} if configuration.is_ranked else {configuration.answer_column: ""}
        shown = template.render(row)
        endings = [f" {option}" for option in _options(configuration, row)] or [""]
        wanted = [prompt(configuration.turns(label), row | hidden) for label in configuration.options or [None]]
        if [shown + ending for ending in endings] != wanted:
            raise ConfigError(
                f"{configuration.path}:{configuration.lines['question']}: row {number} of {SOURCE}/{configuration.data_file} has "
                "a text in braces that OpenCompass would fill in; no task file can say that"
            )
