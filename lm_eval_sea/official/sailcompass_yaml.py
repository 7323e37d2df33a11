"""Official configurations → task files for lm-eval, checked row by row against what OpenCompass would show."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from lm_eval_sea.make.task_yaml import Function, Quoted, to_yaml
from lm_eval_sea.official.sailcompass_checkout import SOURCE, Checkout, OfficialTask, known_files, load_rows, read_checkout
from lm_eval_sea.official.sailcompass_configuration import Configuration, as_jinja, places, prompt
from lm_eval_sea.official.sailcompass_task import Row, digest
from lm_eval_sea.official.task_folder import MARK, NO_COMMIT, CheckoutError, Made, commits
from lm_eval_sea.tasks._shared.facts import CONTENT_FREE_INPUTS
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.metrics.sailcompass_scores import EXACT_MATCH, F1

TAG = "sailcompass"
VERSION = 1.0
# Official evaluator → the function in utils.py that scores a generated answer.
_PROCESS_RESULTS = {
    "AnsEvaluator": "xquad_scores",
    "BelebeleEvaluator": "belebele_scores",
    "M3examEmEvaluator": "m3exam_scores",
    "M3examThEvaluator": "m3exam_thai_scores",
    "TextGenEvaluator": "text_scores",
    "TydiqaIdEvaluator": "tydiqa_scores",
}
UTILS = f"""{MARK}; the task files beside it name these.
from lm_eval_sea.official.sailcompass_task import SailCompassCalibratedTask, SailCompassRankingTask, rows_beside, scores_of

rows = rows_beside(__file__)
""" + "".join(f'{name} = scores_of("{evaluator}")\n' for evaluator, name in _PROCESS_RESULTS.items())
_PARTS = re.compile(r"(?P<group>.+_ppl)\d")  # M3Exam has a file for each number of options


def official_tasks(folder: Path, *, trusted: bool = False) -> Made:
    """All task files that can be made from a checkout, with the rows below the current folder or from the hub.

    Files that are not the tested ones are run only if the checkout is `trusted`.
    """
    checkout = read_checkout(folder, known_files(), trusted=trusted)
    made = Made({}, checkout.faults, _notes(checkout))
    groups: dict[str, list[str]] = {}
    for task in checkout.tasks:
        try:
            made.files.update(_task_files(task, checkout))
        except (CheckoutError, DataError) as error:
            made.faults.append(f"{task.name}: {error}")
        if match := _PARTS.fullmatch(task.name):
            groups.setdefault(match["group"], []).append(task.name)
    for group, names in groups.items():
        if all(f"{name}.yaml" in made.files for name in names):
            made.files[f"{group}.yaml"] = _render(_group(group, names), f"its {len(names)} parts")
    if made.files:
        made.files["utils.py"] = UTILS
    return made


def _notes(checkout: Checkout) -> list[str]:
    files = ""
    if checkout.changed:
        files = f"{', '.join(checkout.changed)}: run although not as tested; scores are computed as at the tested commit"
    elif checkout.commit not in (checkout.tested, NO_COMMIT) and not checkout.faults:
        files = "all files that are used are the same"
    return [f"{commits(checkout.commit, checkout.tested)}; {files}"] if files else []


def _render(content: Mapping[str, Any], source: str) -> str:
    return f"{MARK} sailcompass from {source}.\n{to_yaml(dict(content))}"


def _group(group: str, names: Sequence[str]) -> dict[str, Any]:
    metric = {"metric": "exact_match_sailcompass", "aggregation": "mean", "weight_by_size": True}
    return {"group": group, "task": list(names), "aggregate_metric_list": [metric], "metadata": {"version": VERSION}}


def _task_files(task: OfficialTask, checkout: Checkout) -> dict[str, str]:
    """The task file, and the file of its rows."""
    configuration = task.configuration
    if configuration.evaluator not in (EXACT_MATCH if configuration.options else _PROCESS_RESULTS):
        raise CheckoutError(f"{task.file.path}: scores of {configuration.evaluator} are not known")
    rows, revision = load_rows(task)
    columns = [column for column in rows[0] if all(column in row for row in rows)]
    for column in [*configuration.input_columns, configuration.answer_column]:
        if column not in columns:
            raise CheckoutError(
                f"{task.file.path}: not all rows of {SOURCE}/{configuration.data_file} have the column {column!r}"
            )
    # each once, in the order of the prompt
    shown = list(dict.fromkeys(places("\n".join([*configuration.before, configuration.question]), columns)))
    names = configuration.option_columns
    row_record = {
        "file": f"{task.name}.jsonl",
        "columns": shown,
        "answer_column": configuration.answer_column,
        "evaluator": configuration.evaluator,
        **({"labels": list(configuration.options)} if configuration.options else {}),
        **({"option_columns": names} if names else {}),
    }
    content = {
        "task": task.name,
        "tag": [TAG],
        "custom_dataset": Function("utils.rows"),
        "dataset_kwargs": {"sailcompass_rows": row_record | {"sha256": digest(rows)}},
        "test_split": "test",
        "description": Quoted(as_jinja("\n".join(configuration.before) + "\n", columns)),
        "doc_to_text": Quoted(as_jinja(f"{configuration.question}\n{configuration.cue}", columns)),
        "target_delimiter": " ",
        "num_fewshot": 0,
    }
    content |= _ranked(configuration) if configuration.options else _generated(configuration)
    _check_prompts(task, content, rows)
    calibrated = {"content_free_inputs": CONTENT_FREE_INPUTS, "content_fields": shown}
    metadata = {"version": VERSION, **(calibrated if configuration.options and not names else {})}
    provenance = {
        "checkout_commit": checkout.commit,
        "checkout_file": task.file.path,
        "checkout_file_sha256": task.file.sha256,
        "data_file": configuration.data_file,
        "data_revision": revision,
    }
    content["metadata"] = metadata | {"provenance": provenance | ({"changed_since": checkout.tested} if task.changed else {})}
    return {
        f"{task.name}.yaml": _render(content, f"{task.file.path}, {checkout.commit}"),
        f"{task.name}.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
    }


def _metrics(aggregations: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"metric": name, "aggregation": aggregation, "higher_is_better": True} for name, aggregation in aggregations.items()]


def _answer_metrics(evaluator: str) -> list[str]:
    return ["exact_match_sailcompass", "f1_sailcompass"] if evaluator in F1 else ["exact_match_sailcompass"]


def _ranked(configuration: Configuration) -> dict[str, Any]:
    of_rows = bool(configuration.option_columns)
    metrics = [*_answer_metrics(configuration.evaluator), "acc", *([] if of_rows else ["acc_cc", "acc_cc_zhao"])]
    return {
        "class": Function(f"utils.{'SailCompassRankingTask' if of_rows else 'SailCompassCalibratedTask'}"),
        "output_type": "multiple_choice",
        "doc_to_choice": "choices" if of_rows else list(configuration.options.values()),
        "doc_to_target": "gold",
        "metric_list": _metrics(dict.fromkeys(metrics, "mean")),
    }


def _generated(configuration: Configuration) -> dict[str, Any]:
    if configuration.evaluator == "TextGenEvaluator":
        metrics = _metrics({"bleu_sailcompass": "bleu", "chrf_sailcompass": "chrf++"})  # lm-eval's, which it bootstraps
    else:
        metrics = _metrics(dict.fromkeys(_answer_metrics(configuration.evaluator), "mean"))
    # All scores use only the first line, except that of XQuAD, which identifies the language of the whole output.
    until = [] if configuration.evaluator == "AnsEvaluator" else [Quoted("\n")]
    return {
        "output_type": "generate_until",
        "doc_to_target": "reference",
        "generation_kwargs": {"until": until, "do_sample": False, "max_gen_toks": configuration.max_new_tokens},
        "process_results": Function(f"utils.{_PROCESS_RESULTS[configuration.evaluator]}"),
        "metric_list": metrics,
    }


def _check_prompts(task: OfficialTask, content: Mapping[str, Any], rows: Sequence[Row]) -> None:
    """Refuses a task that would show any row differently from OpenCompass."""
    configuration = task.configuration
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)  # lm-eval's
    template = environment.from_string(content["description"] + content["doc_to_text"])
    for number, row in enumerate(rows):
        # OpenCompass hides the answer of generation; a prompt that names it is noticed here
        hidden = {} if configuration.options else {configuration.answer_column: ""}
        shown = template.render(row)
        options = [str(row[column]) for column in configuration.option_columns] or list(configuration.options.values())
        endings = [f" {option}" for option in options] or [""]
        wanted = [prompt(configuration.turns(label), row | hidden) for label in configuration.options or [None]]
        if [shown + ending for ending in endings] != wanted:
            raise CheckoutError(
                f"{task.file.path}: row {number} of {SOURCE}/{configuration.data_file} has a text in braces that OpenCompass "
                "would fill in; no task file can say that"
            )
