"""Runs as records of Every Eval Ever (schema 0.3.0, arXiv:2606.14516): one file per run, one entry per task and metric.

A record says what the format has a field for: score, bounds, direction, standard error and interval with how they were made, data
set, prompt, generation. The rest is in `additional_details`, whose values are texts: chance, which metric is the headline, digest
of the rows, versions. Rows themselves are not exported, because they belong to the data sets.
"""

from __future__ import annotations

import re
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.differing_settings import under_one_name
from lm_eval_sea.results.model_names import FOLDERS
from lm_eval_sea.results.row_statistics import beyond_scale, scale_of
from lm_eval_sea.results.runs import Run, TaskRun
from lm_eval_sea.results.score import TaskScore
from lm_eval_sea.results.settings import ADAPTERS
from lm_eval_sea.results.types import ResultsError, Score, digest_of, is_number, list_of, mapping_of
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.tasks._shared.facts import ORDER
from lm_eval_sea.tasks._shared.metrics.bits_per_byte import BITS

SCHEMA = "0.3.0"
COLLECTION = "lm-eval-sea"  # the folder of the datastore
LOCAL = "local"  # the developer of a model that has only a path
CLUSTERED = "jackknife, clustered by passage"
CONTRIBUTIONS = "jackknife over passages, of a score that all rows make together"
REPORTED = "as lm-eval reports it: analytic for means of rows, else bootstrap"
_ARGUMENT = rf"(?:{'|'.join(ADAPTERS)}) [^,)]*"
_ADAPTER = re.compile(rf" \({_ARGUMENT}\)|{_ARGUMENT}, |, {_ARGUMENT}")
_NO_PATH = re.compile(r'[<>:"/\\|?*]')  # not allowed in paths on some systems
_LONGEST = 255  # bytes of a folder's name, on most systems
INTERVAL = "score interval (Wilson 1927) with the effective number of rows (Korn and Graubard 1998)"


def model_id(name: str) -> str:
    """The id "developer/model" of a model: its name on the hub, or for a path "local/" and the name of the last folder.

    Raises `ResultsError` if the name makes no id.
    """
    parts = PurePosixPath(one_line(name)).parts
    is_hub = len(parts) == 2 and not name.startswith(("/", ".", "~")) and (_is_too_long(name) or not Path(name).exists())
    made = "/".join(parts) if is_hub else f"{LOCAL}/{parts[-1] if parts else ''}"
    if not all(part.strip(". ") and not _NO_PATH.search(part) for part in made.split("/")):
        raise ResultsError(f"the model is called {name!r}, which cannot be an id; give one with --model ORGANISATION/NAME")
    return made


def _is_too_long(path: str) -> bool:
    """Whether no folder can have such a path."""
    return any(len(part.encode(errors="replace")) > _LONGEST for part in path.split("/"))


def records(runs: Runs, model: str | None = None) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The records of runs in which each task of a model counts once, and notes on what is left out.

    The keys are paths below the datastore's root, the same for a run each time; `model` is its id, if not that of the results.
    Raises `ResultsError` if no run has tasks of this pack, several models would have one id, or a name makes none.
    """
    notes = list(runs.notes)
    names = {run.model: run.model.removesuffix(run.settings.in_name) for run in runs.runs}
    if model is not None and len(plain := sorted(set(names.values()))) > 1:
        raise ResultsError(f"--model names one model; the runs are of {len(plain)}: {', '.join(plain[:3])}")
    # what makes it another model, " (revision step1000)", follows its name, as in the report
    modes = {name: _NO_PATH.sub("-", FOLDERS.sub("", name.removeprefix(plain))) for name, plain in names.items()}
    if model is not None and len(names) == 1:
        modes = {name: _ADAPTER.sub("", mode) for name, mode in modes.items()}  # the given name includes them
    ids = {name: one_line(f"{model or model_id(plain)}{modes[name]}") for name, plain in names.items()}
    if too_long := next(filter(_is_too_long, ids.values()), None):
        advice = "give a shorter one with --model ORGANISATION/NAME"
        raise ResultsError(f"the model's id, {too_long[:40]}…, is too long for a folder ({len(too_long):,} characters); {advice}")
    [(most, count)] = Counter(ids.values()).most_common(1)
    if count > 1:
        raise ResultsError(f"several models would be {most}; export them one by one with --model ORGANISATION/NAME")
    made = {}
    for run in runs.runs:
        tasks, own = runs.of_run(run), ids[run.model]
        exported = {task.name: task for task in tasks if task.facts.of_pack and task.facts.setting != ORDER}
        results = [entry for task in exported.values() for entry in _task_entries(task, notes)]
        if not results:
            notes.append(f"{run.place}: left out, because it has no scores of tasks of this pack")
            continue
        if others := [task.name for task in tasks if task.name not in exported]:
            notes.append(f"{run.place}: {some_names(others)}: left out, because they have no score of this pack")
        if any(name.startswith(BITS) for task in exported.values() for name in task.scores):
            notes.append(f"{run.place}: bits per byte have no best score and are left out")
        name = str(uuid.UUID(digest_of([own, run.date.isoformat(), results], 32), version=4))
        made[f"data/{COLLECTION}/{own}/{name}.json"] = _record(run, tasks, own, name, results)
    if not made:
        raise ResultsError("; ".join(notes) or "there is no run to export")
    return made, [*notes, *under_one_name(task for task in runs.tasks if task.facts.of_pack)]


def _record(run: Run, tasks: Sequence[TaskRun], model: str, name: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    now = f"{time.time():.0f}"
    settings = {key: str(value) for key, value in asdict(run.settings).items() if value is not None}
    packs = {task.facts.pack_version for task in tasks} - {""}
    backend = settings.get("backend", "unknown")
    engine = "vLLM" if backend.startswith("vllm") else "transformers" if "hf" in backend else backend
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{COLLECTION}/{model}/{now}-{name}",  # several runs are exported in one second
        "evaluation_timestamp": f"{run.seconds:.0f}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": COLLECTION,
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "lm_eval",
            "version": run.settings.lm_eval or "unknown",
            "additional_details": {"task_pack": COLLECTION, "task_pack_version": ", ".join(sorted(packs)) or "unknown"},
        },
        "model_info": {
            "name": model.partition("/")[2],
            "id": model,
            "developer": model.partition("/")[0],
            "inference_engine": {"name": engine},
            "additional_details": {
                "deployment_type": "self_deployed",
                "model_availability": "unknown",
                **{key: one_line(value) for key, value in settings.items()},
            },
        },
        "evaluation_results": results,
    }


def _task_entries(task: TaskRun, notes: list[str]) -> Iterator[dict[str, Any]]:
    """One entry per metric of a task; the headline has the interval of the report.

    The share of answers that were not read is no headline: a judged task has none.
    """
    if task.score is not None and task.score.contradiction:
        notes.append(f"{task.name}: {task.score.contradiction}")
    for name, metric in task.scores.items():
        if name.startswith(BITS):
            continue
        if beyond := beyond_scale(name, metric.value):
            notes.append(f"{task.name}: {beyond}; left out")
            continue
        score = task.score if name == task.facts.headline_metric else None
        yield {
            "evaluation_result_id": f"{task.name}/{name}",
            "evaluation_name": task.name,
            "source_data": _source(task),
            "metric_config": _metric(task, name, is_headline=score is not None and task.facts.counts),
            "score_details": {"score": metric.value} | _uncertainty(task, name, metric, score),
            "generation_config": _generation(task),
        }
    notes += task.notes


def _metric(task: TaskRun, name: str, *, is_headline: bool) -> dict[str, Any]:
    entries = list(map(mapping_of, list_of(task.config.get("metric_list"))))
    directions = (entry.get("higher_is_better") for entry in entries if entry.get("metric") == name.partition(",")[0])
    signature = task.facts.signatures.get(name)
    details = {"headline": str(is_headline).lower()} | ({"chance": f"{task.facts.chance:g}"} if is_headline else {})
    details |= {"signature": one_line(signature)} if signature else {}
    if is_headline and task.score is not None and task.score.contradiction:
        details["contradiction"] = task.score.contradiction
    return {
        "metric_id": f"{COLLECTION}.{name}",
        "metric_name": name,
        "metric_unit": "proportion" if scale_of(name) == 1 else "points",
        "lower_is_better": next(directions, None) is False,
        "score_type": "continuous",
        "min_score": 0,
        "max_score": scale_of(name),
        "additional_details": details,
    }


def _uncertainty(task: TaskRun, name: str, metric: Score, score: TaskScore | None) -> dict[str, Any]:
    """The report's error and interval for the headline, lm-eval's error for every other metric."""
    statistics = task.telling_rows.statistics if task.telling_rows is not None else None
    share, made = scale_of(name) / 100, dict[str, Any]()
    if score is not None and score.stderr is not None:
        of_rows = CLUSTERED if statistics is not None and statistics.is_mean else CONTRIBUTIONS
        method = REPORTED if score.clusters is None else of_rows
        made["standard_error"] = {"value": score.stderr * share, "method": method}
        if score.low is not None and score.high is not None:
            ends = {"lower": score.low * share, "upper": score.high * share}
            made["confidence_interval"] = ends | {"confidence_level": 0.95, "method": INTERVAL}
    elif metric.stderr is not None:
        made["standard_error"] = {"value": metric.stderr, "method": REPORTED}
    made |= {} if task.rows is None else {"num_samples": task.rows}
    return {"uncertainty": made} if made else {}


def _source(task: TaskRun) -> dict[str, Any]:
    titles, facts = {name: data_set.title for name, data_set in data_sets().items()} | {"sea_helm": "SEA-HELM"}, task.facts
    details = {
        "language": facts.language,
        "task": facts.task,
        "file": facts.data_file,
        "config": facts.data_config,
        "rows_sha256": facts.data_sha256,
        "revision": facts.data_revision,
        "rows_of_data_set": facts.rows if facts.subset is None else facts.subset.get("of"),
        "as_published": facts.as_published or None,
    }
    name = f"{titles.get(facts.dataset, facts.dataset)} ({facts.language})"
    said = {key: one_line(str(value)) for key, value in details.items() if value not in (None, "")}
    if not facts.data_on_hub or "/" not in facts.data_source:
        return {"dataset_name": name, "additional_details": said, "source_type": "other"}
    return {
        **{"dataset_name": name, "source_type": "hf_dataset", "hf_repo": facts.data_source, "hf_split": facts.data_split},
        **({} if task.rows is None else {"samples_number": task.rows}),
        "additional_details": said,
    }


def _generation(task: TaskRun) -> dict[str, Any]:
    generation, template = (task.config.get(name) for name in ("generation_kwargs", "doc_to_text"))
    arguments: dict[str, Any] = {}
    if isinstance(template, str):
        arguments["prompt_template"] = f"{task.config.get('description') or ''}{template}"
    if isinstance(generation, Mapping) and isinstance(longest := generation.get("max_gen_toks"), int):
        temperature: Any = generation.get("temperature")
        arguments |= {"max_tokens": longest, "temperature": float(temperature) if is_number(temperature) else 0.0}
    details = {
        "num_fewshot": task.num_fewshot,
        "mean_over_seeds": task.seeds or None,
        "thinking": task.run.settings.thinking,
        "effort": task.run.settings.effort,
        "task_version": task.version,
        "variant": task.facts.variant or None,
        "setting": task.facts.setting or None,
        "prompt_language": task.facts.prompt_language or None,
        "prompt_book_version": task.facts.prompt_book_version,
    }
    return {
        "generation_args": arguments,
        "additional_details": {key: str(value) for key, value in details.items() if value is not None},
    }
