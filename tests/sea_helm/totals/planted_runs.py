"""Writes runs of SEA-HELM's tasks with planted scores, in the shape of lm-eval's output."""

import json
from pathlib import Path

TASKS = {
    "sentiment": {"competency": "nlu", "labels": ["Positif", "Negatif"], "chance": 0.5},
    "nli": {"competency": "nlr", "labels": ["A", "B", "C"], "chance": 1 / 3},
    "causal": {"competency": "nlr", "labels": ["A", "B"], "chance": 0.5},
    "qa": {"competency": "nlu", "item_metric": "f1"},
    "abssum": {"competency": "nlg", "item_metric": "rougeL"},
    "if-eval": {"competency": "instruction-following", "item_metric": "pass"},
    "pragmatic-single": {
        "competency": "linguistic-diagnostics",
        "score_group": "pragmatics",
        "labels": ["Benar", "Salah"],
        "chance": 0.5,
    },
    "pragmatic-pair": {
        "competency": "linguistic-diagnostics",
        "score_group": "pragmatics",
        "labels": ["Benar", "Salah"],
        "chance": 0.5,
    },
    "translation-en-xx": {"competency": "nlg", "score_group": "translations", "item_metric": None},
}


def task_name(language: str, task: str) -> str:
    return f"sea_helm_{language}_{task.replace('-', '_')}"


def metadata(language: str, task: str) -> dict:
    facts = {"version": 1.0, "suite": "sea_helm", "language": language, "sea_helm_task": task, "chance": 0.0, "variant": "gen"}
    item_metric = TASKS[task].get("item_metric", "correct")
    return facts | TASKS[task] | {"item_metric": item_metric, "headline_metric": item_metric or "chrf++"}


def write_run(
    folder: Path, seed: int, rows: dict, *, model: str = "org/model", version: float = 1.0, samples: bool = True
) -> Path:
    """Writes one run.

    Args:
        folder: of the run.
        seed: tells the runs' dates apart.
        rows: (language, task) → list of (score, label) or (score, label, more columns of doc).
        model: name of the model.
        version: of the tasks.
        samples: whether samples are written.
    """
    folder.mkdir(parents=True)
    stamp = f"2026-01-{seed:02}T00-00-00"
    content = {"results": {}, "configs": {}, "versions": {}, "n-samples": {}, "config": {"model": "hf"}, "model_name": model}
    for (language, task), planted in rows.items():
        name, facts = task_name(language, task), metadata(language, task)
        scores = [row[0] for row in planted]
        content["results"][name] = {f"{facts['headline_metric']},none": sum(scores) / len(scores)}
        content["configs"][name] = {"metadata": facts}
        content["versions"][name] = version
        content["n-samples"][name] = {"original": len(planted), "effective": len(planted)}
        if samples:
            lines = [
                {
                    "doc_id": number,
                    "doc": {"id": str(number), "cluster": str(number), "label": row[1], **(row[2] if len(row) > 2 else {})},
                    facts["item_metric"] or "unused": row[0],
                }
                for number, row in enumerate(planted)
            ]
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (folder / f"samples_{name}_{stamp}.jsonl").write_text(text, encoding="utf-8")
    path = folder / f"results_{stamp}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
