"""Writes runs of SEA-HELM's tasks with planted scores, in the shape of lm-eval's output."""

from pathlib import Path

from tests.results import lm_eval_output

TASKS = {
    "sentiment": {"competency": "nlu", "labels": ["Positif", "Negatif"], "chance": 0.5},
    "nli": {"competency": "nlr", "labels": ["A", "B", "C"], "chance": 1 / 3},
    "causal": {"competency": "nlr", "labels": ["A", "B"], "chance": 0.5},
    "qa": {"competency": "nlu", "item_metric": "f1"},
    "abssum": {"competency": "nlg", "item_metric": "rougeL"},
    "if-eval": {"competency": "instruction-following", "item_metric": "pass"},
    "translation-en-xx": {"competency": "nlg", "score_group": "translations", "item_metric": None},
}
_JUDGED = {"competency": "multi-turn", "item_metric": None}
TASKS |= dict.fromkeys(("mt-bench-judge", "mt-bench", "kalahi-judge", "syntax-criteria"), _JUDGED)
_PRAGMATICS = {"competency": "linguistic-diagnostics", "score_group": "pragmatics", "labels": ["Benar", "Salah"], "chance": 0.5}
TASKS |= dict.fromkeys(("pragmatic-single", "pragmatic-pair"), _PRAGMATICS)


def task_name(language: str, task: str) -> str:
    return f"sea_helm_{language}_{task.replace('-', '_')}"


def metadata(language: str, task: str) -> dict:
    facts = {"version": 1.0, "suite": "sea_helm", "dataset": "sea_helm", "chance": 0.0, "variant": "gen"}
    item_metric = TASKS[task].get("item_metric", "correct")
    facts |= TASKS[task] | {"item_metric": item_metric, "headline_metric": item_metric or "chrf++"}
    return facts | {"language": language, "sea_helm_task": task}


def write_run(
    folder: Path, seed: int, rows: dict, *, model: str = "org/model", samples: bool = True, facts: dict | None = None,
    limit: int = 32, **more: object,
) -> Path:  # fmt: skip
    """Writes one run, whose date is that of the seed: (language, task) → rows of (score, label), perhaps with more of doc.

    `facts` has for tasks other metadata, `limit` is of the tokens of an answer, `more` has other parts of the results file.
    """
    tasks = {}
    for (language, task), planted in rows.items():
        name, known = task_name(language, task), metadata(language, task) | (facts or {}).get(task, {})
        mean = sum(row[0] for row in planted) / len(planted)
        tasks[name] = {"scores": {f"{known['headline_metric']},none": mean}, "metadata": known}
        tasks[name]["generation_kwargs"] = {"max_gen_toks": limit}
        docs = [
            {"id": str(number), "cluster": str(number), "label": row[1], **(row[2] if len(row) > 2 else {})}
            for number, row in enumerate(planted)
        ]
        lines = [
            {"doc_id": n, "doc": doc, known["item_metric"] or "unused": row[0]}
            for n, (doc, row) in enumerate(zip(docs, planted, strict=True))
        ]
        tasks[name]["rows"] = lines if samples else None
    counts = {task_name(*key): {"original": len(planted), "effective": len(planted)} for key, planted in rows.items()}
    parts = {"versions": dict.fromkeys(tasks, 1.0), "n-shot": {}, "n-samples": counts} | more
    return lm_eval_output.write_run(folder, tasks, f"2026-01-{seed:02}T00-00-00", model=model, **parts)
