"""Files as lm-eval writes them, with planted contents."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import sacrebleu

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


@contextlib.contextmanager
def changed(place: Path) -> Iterator[dict[str, Any]]:
    """The content of a results file, or of a folder's only one, which is written back."""
    [path] = place.glob("results_*.json") if place.is_dir() else [place]
    content = json.loads(path.read_text(encoding="utf-8"))
    yield content
    path.write_text(json.dumps(content), encoding="utf-8")


def write_samples(folder: Path, task: str, stamp: str, lines: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{stamp}.jsonl"
    path.write_text("".join(lines))
    return path


def row(**columns: Any) -> str:
    return json.dumps(columns, ensure_ascii=False) + "\n"


def write_run(folder: Path, tasks: dict[str, dict[str, Any]], stamp: str = OLD, *, model: str = "org/model", **more: Any) -> Path:
    """A whole run; returns its results file.

    A task has `scores` (entries such as "acc,none"), `metadata`, `rows` (None or absent: not logged), `num_fewshot`, and whatever
    else its configuration has; `more` are parts of the results file.
    """
    for name, task in tasks.items():
        if task.get("rows") is not None:
            write_samples(folder, name, stamp, [row(**entry) for entry in task["rows"]])
    apart = ("scores", "rows")
    configs = {name: {key: value for key, value in task.items() if key not in apart} for name, task in tasks.items()}
    counts = {name: len(task["rows"]) for name, task in tasks.items() if task.get("rows") is not None}
    parts = {
        "configs": configs,
        "n-shot": {name: task.get("num_fewshot", 3) for name, task in tasks.items()},
        "n-samples": {name: {"original": count, "effective": count} for name, count in counts.items()},
    }
    return write_results(
        folder, stamp, {name: task.get("scores", {}) for name, task in tasks.items()}, model=model, **(parts | more)
    )


def drawn(seed: int, model: str = "org/model", **arguments: Any) -> dict[str, Any]:
    """What `write_run` is told of a run with a seed, at a date of its own: vLLM has it among its arguments, too."""
    config = {"model": "vllm", "model_args": {"pretrained": model, "seed": seed} | arguments, "torch_seed": seed}
    return {"stamp": f"2026-01-0{seed}T00-00-00", "model": model, "config": config}


def logged(metric: str, entries: Sequence[Any], docs: Mapping[str, Sequence[Any]] | None = None) -> list[dict[str, Any]]:
    """Rows as lm-eval logs them, each a cluster of its own: what a metric says, and further columns of `doc`, a list each."""
    columns = {"id": list(map(str, range(len(entries)))), "cluster": list(map(str, range(len(entries))))} | dict(docs or {})
    docs = ({name: column[n] for name, column in columns.items()} for n in range(len(entries)))
    about = {"filter": "none", "metrics": [metric]}
    return [{"doc_id": n, **about, "doc": doc, metric: entry} for n, (doc, entry) in enumerate(zip(docs, entries, strict=True))]


def sacrebleu_of(metric: str, pairs: Sequence[Sequence[str]]) -> float:
    """BLEU or chrF++ of (reference, answer) pairs, by sacreBLEU itself."""
    references, answers = zip(*pairs, strict=True)
    more = {"word_order": 2} if metric == "chrf++" else {}
    return getattr(sacrebleu, f"corpus_{metric.strip('+')}")(answers, [references], **more).score


def toy(
    entries: Sequence[Any], metric: str = "acc", docs: Mapping[str, Sequence[Any]] | None = None, *, value: float | None = None,
    has_rows: bool = True, num_fewshot: int = 3, **facts: Any,
) -> dict[str, Any]:  # fmt: skip
    """A task for `write_run` whose chance level is 1/4: the mean of what its rows log, or a value."""
    return {
        "scores": {f"{metric},none": sum(entries) / len(entries) if value is None else value},
        "metadata": {"headline_metric": metric, "chance": 0.25, "version": 1.0, "dataset": "toy"} | facts,
        "rows": logged(metric, entries, docs) if has_rows else None,
        "num_fewshot": num_fewshot,
    }
