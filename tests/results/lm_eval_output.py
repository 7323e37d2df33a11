"""Files as lm-eval writes them, with planted contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

OLD, NEW = "2026-01-02T03-04-05.000006", "2026-02-02T03-04-05"


def write_results(folder: Path, stamp: str, scores: dict[str, dict], *, model: str = "org/model", **more: Any) -> Path:
    """A results file: task → entries such as "acc,none"; `more` replaces whole parts of it."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "results": {name: {"name": name, "alias": name, **metrics} for name, metrics in scores.items()},
        "configs": {name: {"metadata": {"version": 1.0, "dataset": "toy"}} for name in scores},
        "versions": dict.fromkeys(scores, 1.0),
        "n-shot": dict.fromkeys(scores, 3),
        "n-samples": {name: {"original": 10, "effective": 2} for name in scores},
        "config": {"model": "hf", "model_args": {"pretrained": model}},
        "model_name": model,
        "lm_eval_version": "0.4.13",
    }
    path = folder / f"results_{stamp}.json"
    path.write_text(json.dumps(content | more))
    return path


def write_samples(folder: Path, task: str, stamp: str, lines: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{stamp}.jsonl"
    path.write_text("".join(lines))
    return path


def row(**columns: Any) -> str:
    return json.dumps(columns, ensure_ascii=False) + "\n"
