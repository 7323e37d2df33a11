"""Generated answers: all their metrics side by side, and translation by direction (Guo et al. 2024, figure 1)."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.scores import percent

METRICS = ("exact_match", "f1", "contains", "chrf++", "bleu", "bleu_th", "rougeL", "null_rate", "off_target_rate")
KINDS = ("qa", "translation", "summarization")
ENGLISH = "en"


def generation_table(frames: Frames) -> pd.DataFrame:
    """One row a model and task that generates text, a column a metric, in per cent of the best possible value."""
    tasks = frames.tasks[frames.tasks.of_pack & frames.tasks.variant.isin(KINDS)]
    values = {(row.model, row.task, row.metric): percent(row.metric) * row.value for row in frames.metrics.itertuples()}
    columns = ["model", "task", "dataset", "language", "variant", "prompt_language", "rows", "limited"]
    rows = [
        {
            **{name: task[name] for name in columns},
            **{metric: values.get((task["model"], task["task"], metric)) for metric in METRICS},
        }
        for task in tasks.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=[*columns, *METRICS])


def translation_table(frames: Frames) -> pd.DataFrame:
    """One row a model, language x and prompt language ("native" or "en"): chrF++ from English, into it, and the difference.

    `difference` is en→x minus x→en, in points of chrF++. The two are of different texts, so it compares models, not directions.
    Only of tasks that name both languages: SEA-HELM's translations have another chrF++.
    """
    with_english = (frames.tasks.source_language == ENGLISH) | (frames.tasks.answer_language == ENGLISH)
    known = frames.tasks.of_pack & (frames.tasks.variant == "translation") & (frames.tasks.source_language != "")
    tasks = frames.tasks[known & with_english]
    values = {(row.model, row.task): row.value for row in frames.metrics[frames.metrics.metric == "chrf++"].itertuples()}
    cells: dict[tuple[str, str, str], dict[str, float | None]] = {}
    limited = tasks[tasks.limited][["model", "language"]].apply(tuple, axis=1).tolist()
    for task in tasks.itertuples():
        prompt = ENGLISH if task.prompt_language == ENGLISH else "native"
        direction = "from_english" if task.source_language == ENGLISH else "into_english"
        cells.setdefault((task.model, task.language, prompt), {})[direction] = values.get((task.model, task.task))
    rows = []
    for (model, language, prompt), found in cells.items():
        pair = found.get("from_english"), found.get("into_english")
        difference = None if None in pair else pair[0] - pair[1]
        rows.append(
            {
                "model": model,
                "language": language,
                "prompt": prompt,
                "from_english": pair[0],
                "into_english": pair[1],
                "difference": difference,
                "limited": (model, language) in limited,
            }
        )
    return pd.DataFrame(rows, columns=["model", "language", "prompt", "from_english", "into_english", "difference", "limited"])
