"""Writes runs of SEA-HELM's judged tasks, in the shape of lm-eval's output."""

from tests.results import lm_eval_output

from .totals.planted_runs import metadata, task_name


def two_turns(number: int, first: str, second: str, criteria: list[dict], **more: object) -> dict:
    """A line of samples of a conversation of two turns."""
    doc = {"id": str(number), "category": "math" if number % 2 else "writing", "turns": [f"Satu {number}?", f"Dua {number}?"]}
    doc |= {"answers": [first], "criteria": criteria, "cluster": str(number)}
    return {"doc_id": number, "doc": doc | more, "filtered_resps": [second], "resps": [[second]]}


def one_turn(number: int, answer: str, criteria: list[dict]) -> dict:
    """A line of samples of one question."""
    return two_turns(number, "", answer, criteria, turns=[f"Tanong {number}"], answers=[])


def write_answers(folder, language: str, task: str, samples: list[dict], seed: int = 1):
    """Writes one run of one task; returns its samples file."""
    facts = metadata(language, task) | {"headline_metric": "null_rate"}
    return write_run(folder, task_name(language, task), facts, samples, seed)


def scores_beside(samples, scorer: str = "judged"):
    """The file that a judge's or a metric model's scores of samples are written to."""
    return samples.with_name(samples.name.replace("samples", scorer).replace(".jsonl", ".json"))


def write_run(folder, name: str, facts: dict, samples: list[dict], seed: int = 1):
    """Writes one run of any task; returns its samples file."""
    stamp = f"2026-01-{seed:02}T00-00-00"
    task = {"scores": {"null_rate,none": 0.0}, "metadata": facts, "rows": samples}
    config = {"model": "hf", "torch_seed": seed}
    lm_eval_output.write_run(folder, {name: task}, stamp, config=config, **{"versions": {}, "n-shot": {}})
    return folder / f"samples_{name}_{stamp}.jsonl"
