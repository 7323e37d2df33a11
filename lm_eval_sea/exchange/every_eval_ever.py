"""Runs as records of Every Eval Ever (schema 0.3.0, arXiv:2606.14516): one file per run, one entry per task and metric.

A record says what the format has a field for: score, bounds, direction, standard error and interval with how they were made, data
set, prompt, generation. What it has no field for stands in `additional_details`, whose values are texts: chance, which metric is
the headline, digest of the rows, versions. Rows themselves are not exported, for they belong to the data sets.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from lm_eval_sea.catalogue import read_data_sets
from lm_eval_sea.results.logged_rows import LoggedRows
from lm_eval_sea.results.provenance import provenance_of
from lm_eval_sea.results.row_statistics import scale_of
from lm_eval_sea.results.run_files import Metric, Run, TaskResult, find_runs, is_number
from lm_eval_sea.results.run_settings import run_settings
from lm_eval_sea.results.summary import rows_of_file
from lm_eval_sea.results.task_metadata import HEADLINE, metadata_of
from lm_eval_sea.results.task_score import TaskScore, chance_of, task_score
from lm_eval_sea.results.visible_text import one_line

SCHEMA = "0.3.0"
COLLECTION = "lm-eval-sea"  # the folder of the datastore
LOCAL = "local"  # the developer of a model that has only a path
CLUSTERED = "analytic, clustered by passage (Miller 2024)"
DRAWN = "bootstrap of rows, clustered by passage"
REPORTED = "as lm-eval reports it: analytic for means of rows, else bootstrap"
INTERVAL = "score interval (Wilson 1927) with the effective number of rows (Korn and Graubard 1998)"
NORMAL = "normal approximation with the standard error"


class ExportError(ValueError):
    """Runs that cannot be exported; one line that says why and what to do."""


def model_id(name: str) -> str:
    """The id "developer/model" of a model: its name on the hub, or for a path "local/" and the name of the last folder.

    Raises:
        ExportError: if there is nothing to make one of.
    """
    parts = PurePosixPath(one_line(name)).parts
    is_hub = len(parts) == 2 and not name.startswith(("/", ".", "~")) and not Path(name).exists()
    made = name if is_hub else f"{LOCAL}/{parts[-1] if parts else ''}"
    if not all(part.strip(". ") and not set(part) & set('<>:"\\|?*') for part in made.split("/")):
        raise ExportError(f"the model is called {name!r}, which makes no id; give one with --model ORGANISATION/NAME")
    return made


def records(paths: Iterable[Path], model: str | None = None) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The records of runs.

    Args:
        paths: as `find_runs` takes them.
        model: the id of the model, "developer/model", if not the one in the results.

    Returns:
        Path below the datastore's root → record, and notes on what is left out. The same run has the same path each time.

    Raises:
        RunFilesError: if there is nothing to read.
        ExportError: if no run has tasks of this pack, several models would have one id, or a name makes none.
    """
    runs, notes = find_runs(paths)
    names = {run.model for run in runs}
    if model is not None and len(names) > 1:
        raise ExportError(f"--model names one model; the runs are of {len(names)}: {', '.join(sorted(names)[:3])}")
    ids = {name: model or model_id(name) for name in names}
    if len(set(ids.values())) < len(ids):
        raise ExportError(f"several models would be {max(ids.values())}; export them one by one with --model ORGANISATION/NAME")
    made = {}
    for run in runs:
        results = [entry for task in run.tasks.values() for entry in _task_entries(task, notes)]
        if not results:
            notes.append(f"{run.results or run.folder}: left out, it has no scores of tasks of this pack")
            continue
        record = _record(run, ids[run.model], results)
        digest = hashlib.sha256(json.dumps([ids[run.model], run.date.isoformat(), results], sort_keys=True).encode()).digest()
        made[f"data/{COLLECTION}/{ids[run.model]}/{uuid.UUID(bytes=digest[:16], version=4)}.json"] = record
    if not made:
        raise ExportError("; ".join(notes) or "there is no run to export")
    return made, notes


def _record(run: Run, model: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    now = f"{time.time():.0f}"
    settings = {key: str(value) for key, value in run_settings(run).items() if value is not None}
    packs = {provenance_of(task.metadata).pack_version for task in run.tasks.values()} - {None}
    backend = settings.get("backend", "unknown")
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{COLLECTION}/{model}/{now}",
        "evaluation_timestamp": f"{run.date.timestamp():.0f}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": COLLECTION,
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "lm_eval",
            "version": run.versions.get("lm_eval", "unknown"),
            "additional_details": {"task_pack": COLLECTION, "task_pack_version": ", ".join(sorted(packs)) or "unknown"},
        },
        "model_info": {
            "name": model.partition("/")[2],
            "id": model,
            "developer": model.partition("/")[0],
            "inference_engine": {
                "name": "vLLM" if backend.startswith("vllm") else "transformers" if "hf" in backend else backend
            },
            "additional_details": {
                "deployment_type": "self_deployed",
                "model_availability": "unknown",
                **{key: one_line(value) for key, value in settings.items()},
            },
        },
        "evaluation_results": results,
    }


def _task_entries(task: TaskResult, notes: list[str]) -> Iterator[dict[str, Any]]:
    """One entry per metric of a task of the pack; the headline with the interval that the report gives."""
    metadata = metadata_of(task, notes)
    if not metadata.get(HEADLINE):
        return
    headline = str(metadata[HEADLINE])
    for name, metric in task.metrics.items():
        if not 0 <= metric.value <= scale_of(name):
            notes.append(f"{task.name}: {name} is {metric.value:g}, which is not between 0 and {scale_of(name):g}; left out")
            continue
        score = _headline_score(task, metadata, metric, notes) if name == headline else None
        yield {
            "evaluation_result_id": f"{task.name}/{name}",
            "evaluation_name": task.name,
            "source_data": _source(task, metadata),
            "metric_config": _metric(task, metadata, name, is_headline=name == headline),
            "score_details": {"score": metric.value} | _uncertainty(name, metric, score, task.rows),
            "generation_config": _generation(task, metadata),
        }


def _headline_score(task: TaskResult, metadata: Mapping[str, Any], metric: Metric, notes: list[str]) -> TaskScore | None:
    rows = rows_of_file(task, notes)
    logged = LoggedRows.of(metadata, rows) if rows is not None else None
    if logged and logged.keys:
        return logged.score(metadata, metric, task.rows)
    return task_score(metadata, metric, evaluated=task.rows)


def _metric(task: TaskResult, metadata: Mapping[str, Any], name: str, *, is_headline: bool) -> dict[str, Any]:
    listed = task.config.get("metric_list")
    listed = listed if isinstance(listed, list) else []
    entry = next((entry for entry in listed if isinstance(entry, dict) and entry.get("metric") == name.partition(",")[0]), {})
    details = {"headline": str(is_headline).lower(), "chance": f"{chance_of(metadata):g}"}
    if signature := provenance_of(metadata).signatures.get(name):
        details["signature"] = one_line(signature)
    return {
        "metric_id": f"{COLLECTION}.{name}",
        "metric_name": name,
        "metric_unit": "proportion" if scale_of(name) == 1 else "points",
        "lower_is_better": entry.get("higher_is_better") is False,
        "score_type": "continuous",
        "min_score": 0,
        "max_score": scale_of(name),
        "additional_details": details,
    }


def _uncertainty(name: str, metric: Metric, score: TaskScore | None, rows: int | None) -> dict[str, Any]:
    """The headline with the interval of the report; every other metric with lm-eval's error."""
    share = scale_of(name) / 100
    counted = {} if rows is None else {"num_samples": rows}
    if score is not None and score.stderr is not None:
        method = REPORTED if score.clusters is None else DRAWN if score.stderr_plain is None else CLUSTERED
        made: dict[str, Any] = {"standard_error": {"value": score.stderr * share, "method": method}}
        if score.low is not None and score.high is not None:
            made["confidence_interval"] = {
                "lower": score.low * share,
                "upper": score.high * share,
                "confidence_level": 0.95,
                "method": INTERVAL,
            }
        return {"uncertainty": made | counted}
    if metric.stderr is not None:
        return {"uncertainty": {"standard_error": {"value": metric.stderr, "method": REPORTED}} | counted}
    return {"uncertainty": counted} if counted else {}


def _source(task: TaskResult, metadata: Mapping[str, Any]) -> dict[str, Any]:
    titles = {name: record["title"] for name, record in read_data_sets()["data_sets"].items()} | {"sea_helm": "SEA-HELM"}
    data_set = str(metadata.get("dataset"))
    provenance = provenance_of(metadata)
    files = metadata.get("data_files")
    splits = metadata.get("data_splits")
    details = {
        "language": metadata.get("language"),
        "task": metadata.get("task"),
        "file": files.get("test") if isinstance(files, Mapping) else None,
        "config": metadata.get("data_config"),
        "rows_sha256": provenance.data_sha256,
        "revision": provenance.data_revision,
        "rows_of_data_set": metadata["subset"].get("of") if isinstance(metadata.get("subset"), Mapping) else metadata.get("rows"),
        "as_published": metadata.get("as_published"),
    }
    repository = str(metadata.get("data_source"))
    source: dict[str, Any] = {
        "dataset_name": f"{titles.get(data_set, data_set)} ({metadata.get('language')})",
        "source_type": "hf_dataset",
        "hf_repo": repository,
        "hf_split": str(splits.get("test", "test")) if isinstance(splits, Mapping) else "test",
        **({} if task.rows is None else {"samples_number": task.rows}),
        "additional_details": {key: one_line(str(value)) for key, value in details.items() if value not in (None, "")},
    }
    if metadata.get("data_on_hub", True) and "/" in repository:
        return source
    return {key: source[key] for key in ("dataset_name", "additional_details")} | {"source_type": "other"}


def _generation(task: TaskResult, metadata: Mapping[str, Any]) -> dict[str, Any]:
    generation = task.config.get("generation_kwargs")
    generation = generation if isinstance(generation, Mapping) else {}
    arguments: dict[str, Any] = {}
    if isinstance(task.config.get("doc_to_text"), str):
        arguments["prompt_template"] = f"{task.config.get('description') or ''}{task.config['doc_to_text']}"
    if isinstance(longest := generation.get("max_gen_toks"), int):
        temperature = generation.get("temperature")
        arguments |= {"max_tokens": longest, "temperature": float(temperature) if is_number(temperature) else 0.0}
    details = {
        "num_fewshot": task.num_fewshot,
        "task_version": task.version,
        "variant": metadata.get("variant"),
        "setting": metadata.get("setting"),
        "prompt_language": metadata.get("prompt_language"),
        "prompt_book_version": metadata.get("prompt_book_version"),
    }
    return {
        "generation_args": arguments,
        "additional_details": {key: str(value) for key, value in details.items() if value is not None},
    }
