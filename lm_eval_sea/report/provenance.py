"""Where the numbers come from, and where two that stand side by side were not made alike."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from lm_eval_sea.report.frames import Frames
from lm_eval_sea.results.run_settings import NOT_RECORDED

# Columns of the frame `runs` that should agree between runs that are compared.
RUN_SETTINGS = {
    "backend": "backend",
    "dtype": "type of the model's numbers",
    "softmax_dtype": "type of the log-likelihoods",
    "arguments": "arguments of the model",
    "chat_template": "chat template",
    "system_instruction": "system instruction",
    "generation": "arguments of generation",
    "lm_eval": "version of lm-eval",
    "transformers": "version of transformers",
}
TASK_SETTINGS = {
    "pack": "version of the pack",
    "version": "version of the task",
    "prompt_book": "version of the prompt book",
    "data": "rows of the data set",
    "num_fewshot": "number of exemplars",
    "exemplars": "exemplars",
    "signatures": "metric signatures",
    "rows": "number of rows evaluated",
}


def task_table(frames: Frames) -> pd.DataFrame:
    """One row a model and task of the pack: versions, data, exemplars and metric signatures.

    `data` is the beginning of the SHA-256 of the processed rows; `exemplars` that of the exemplars shown.
    """
    rows = []
    for task in frames.tasks[frames.tasks.of_pack].to_dict("records"):
        config = frames.configs[task["model"], task["task"]]
        metadata = config["metadata"]
        rows.append(
            {
                "model": task["model"],
                "task": task["task"],
                "pack": _text(metadata.get("pack_version")),
                "version": task["version"],
                "prompt_book": _text(metadata.get("prompt_book_version")),
                "source": metadata.get("data_source"),
                "revision": metadata.get("data_revision"),
                "data": str(metadata.get("data_sha256") or "")[:12] or None,
                "num_fewshot": task["num_fewshot"],
                "exemplars": _exemplar_digest(config, task["num_fewshot"]),
                "signatures": _signatures(metadata.get("signatures")),
                "rows": task["rows"],
                "rows_total": task["rows_total"],
                "date": task["date"],
            }
        )
    columns = ["model", "task", "pack", "version", "prompt_book", "source", "revision", "data", "num_fewshot", "exemplars"]
    return pd.DataFrame(rows, columns=[*columns, "signatures", "rows", "rows_total", "date"])


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _exemplar_digest(config: Mapping[str, Any], count: Any) -> str | None:
    fewshot = config.get("fewshot_config")
    samples = fewshot.get("samples") if isinstance(fewshot, dict) else None
    if not isinstance(samples, list) or not isinstance(count, int) or isinstance(count, bool):
        return None
    return hashlib.sha256(json.dumps(samples[:count], sort_keys=True).encode()).hexdigest()[:12]


def _signatures(signatures: Any) -> str | None:
    if not isinstance(signatures, dict) or not signatures:
        return None
    return "; ".join(f"{metric}: {signature}" for metric, signature in signatures.items())


def warnings(frames: Frames, tasks: pd.DataFrame) -> list[str]:
    """One line for every setting in which models differ whose numbers stand side by side, or within the runs of one model.

    Args:
        frames: the runs.
        tasks: `task_table`.
    """
    lines = []
    for column, name in RUN_SETTINGS.items():
        models: dict[str, list[str]] = {}
        for run in frames.runs[["model", column]].drop_duplicates().itertuples(index=False):
            models.setdefault(_shown(run[1]), []).append(run[0])
        if len(models) > 1:
            lines.append(
                f"Runs differ in the {name}: " + "; ".join(f"{value} ({', '.join(who)})" for value, who in models.items())
            )
    for model, runs in frames.runs.groupby("model", sort=False):
        if _differs(runs.revision):
            lines.append(f"Runs of {model} are of different revisions: {', '.join(map(_shown, runs.revision.unique()))}")
    for column, name in TASK_SETTINGS.items():
        differing = [task for task, group in tasks.groupby("task", sort=False) if _differs(group[column])]
        if differing:
            others = f" and {len(differing) - 4} more" if len(differing) > 4 else ""
            lines.append(f"Models differ in the {name} of {', '.join(differing[:4])}{others}")
    return lines


def _differs(values: pd.Series) -> bool:
    return len(set(map(_shown, values))) > 1


def _shown(value: Any) -> str:
    return NOT_RECORDED if pd.isna(value) else str(value)
