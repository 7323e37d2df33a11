"""Published numbers of public models next to the runs: `lm-eval-sea report --published`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import MODEL, ROWS, SCORE, TASK, Section
from lm_eval_sea.report.tables import Column, Table, columns
from lm_eval_sea.results.types import grouped

OFFICIAL, OWN = "official", "the pack's"
_NUMBERS = Path(__file__).with_name("published_numbers.yaml")
_SETTINGS = ("backend", "dtype", "softmax_dtype", "arguments", "generation", "batch_size")


class PublishedNumber(NamedTuple):
    """One number of one model, as printed, and a task whose runs it is compared with."""

    model: str  # on the hub
    column: str  # data set and language, such as "xquad_th"
    metric: str  # as the source calls it: EM, F1, BLEU, calibrated EM
    number: float  # in percent; BLEU from 0 to 100
    place: str  # the table
    source: str  # title of what printed it
    url: str
    exemplars: int  # in the prompt
    prompts: str  # those of the task: OFFICIAL, or OWN for the pack's nearest task
    task: str
    task_metric: str  # as lm-eval's results name it


def published_numbers() -> Iterator[PublishedNumber]:
    """All published numbers, table by table, each paired with the task with official prompts, if any, and with the pack's."""
    content = yaml.safe_load(_NUMBERS.read_text(encoding="utf-8"))
    for table in content["tables"]:
        source = content["sources"][table["source"]]
        printed = (table["place"], source["title"], source["url"], table.get("exemplars", 3))
        places = [(prompts, *table[key]) for key, prompts in (("official", OFFICIAL), ("own", OWN)) if table[key]]
        for model, numbers in table["numbers"].items():
            for column, number in zip(table["columns"], numbers, strict=True):
                for prompts, task, metric in places if number is not None else ():
                    about = (content["models"][model], column, table["metric"], float(number), *printed, prompts)
                    yield PublishedNumber(*about, task.format(column=column), metric)


def published_section(scores: Scores) -> Section:
    """Published numbers and the scores of the same tasks and metrics; for the same model with the difference."""
    table = published_table(scores)
    if table.empty:
        scores.notes.append("--published: no task of these runs corresponds to a published number")
        return Section("published", "Published numbers", [], [])
    same = table[table.published_model == table.model_name]
    others = table[table.published_model != table.model_name].drop_duplicates(["task", "published_model", "place"])
    text = [
        "A run is next to a published number if task, metric and number of exemplars correspond. “Asked with” says whose "
        "prompts the run used: the official ones (lm-eval-sea make --official) or the pack's, which are other texts. "
        "Sailor's README has numbers of predecessors of the official prompts. The published runs were in float16, padded in "
        "batches, with max_length=4096; docs/compare_with_papers.md says what else differs.",
        "“In errors” is the difference in standard errors of this run's score over rows. Both are of the same rows, so it "
        "measures size and is no test: a small one does not show that the two runs were made in the same way, nor a large "
        "one that the models differ.",
    ]
    [metric, place], [printed] = columns("text", metric="metric", place="published in"), columns("score", published="published")
    of_same = [
        *(MODEL, TASK, metric),
        replace(SCORE, title="this run [95 %]"),
        printed,
        Column("difference", "difference", "points"),
        Column("errors", "in errors", "points", hint="standard errors of this run's score; no test"),
        *(ROWS, Column("exemplars", "exemplars", "count")),
        *columns("text", prompts="asked with", settings="settings of this run"),
        place,
    ]
    note = "Difference: this run minus the published number, in percentage points. † marks a run on only a part of the rows."
    other = "What was published for other models on these tasks, without differences: both models and prompts differ."
    of_number = ["task", "language", "dataset", "metric", "published_model", "published", "published_metric", "place", "source"]
    of_others = [TASK, metric, Column("published_model", "model"), printed, place]
    parts = [
        Table("published_same_model", "The same model", note, same, of_same),
        Table("published_other_models", "Other models", other, others[of_number], of_others),
    ]
    return Section("published", "Published numbers", text, parts)


def published_table(scores: Scores) -> pd.DataFrame:
    """One row per run of a task, metric and published number that correspond; all numbers in per cent.

    `errors` is the difference divided by the standard error of the run's score: clustered by passage, and from the contributions
    of passages if all rows make the score together. It is missing without an error, or with fewer than ten independent rows.
    `model_name` is `published_model` if they are the same model. Runs with a chat template, a system instruction, an adapter,
    a quantisation or another number of exemplars do not correspond and are left out; `scores.notes` get a line for each.
    """
    by_task = grouped((number.task, number) for number in published_numbers())
    rows = [row for task in scores.tasks.to_dict("records") for row in _rows(scores, task, by_task.get(task["task"], ()))]
    return pd.DataFrame(rows)


def _rows(scores: Scores, task: Mapping[str, Any], numbers: Sequence[PublishedNumber]) -> Iterator[dict[str, Any]]:
    of_task, by_metric = scores.of[task["model"], task["task"]], {}
    run = of_task.run
    settings = asdict(run.settings) | {"batch_size": run.batch_size}
    made_with = [f"a {name.replace('_', ' ')}" for name in ("chat_template", "system_instruction") if settings[name] is not None]
    made_with += filter(None, [run.settings.adapter_or_quantisation])
    for number in numbers:
        how = f"made with {', '.join(made_with)}, {number.place} is not" if made_with else ""
        if number.prompts == OWN and task["num_fewshot"] != number.exemplars:  # the official ones have theirs in the instruction
            how = f"{task['num_fewshot']} exemplars, {number.place} has {number.exemplars}"
        if how:
            scores.notes.append(f"{task['task']}: {how}; not compared")
            return
        metric = number.task_metric
        if metric in of_task.scores and metric not in by_metric:
            by_metric[metric] = of_task.score_by(metric, of_task.logged_by(metric))
            scores.notes.extend(note for note in of_task.notes if note not in scores.notes)
        if (score := by_metric.get(metric)) is None:
            continue
        difference = score.score - number.number
        # a model may be given by its name on the hub, or by a folder whose path ends in that name
        is_same = f"/{run.own_model or run.model}".replace("\\", "/").endswith(f"/{number.model}")
        yield {
            "model": task["model"],
            "model_name": number.model if is_same else run.model,
            **{name: task[name] for name in ("task", "language", "dataset")},
            "metric": metric,
            **{name: getattr(score, name) for name in ("score", "low", "high", "few")},
            **{name: task[name] for name in ("limited", "rows")},
            "exemplars": number.exemplars,
            "settings": ", ".join(f"{name}={settings[name]}" for name in _SETTINGS if settings[name] is not None),
            "published_model": number.model,
            "published": number.number,
            "published_metric": number.metric,
            "difference": difference,
            "errors": difference / score.stderr if score.stderr and not score.few else None,
            "prompts": number.prompts,
            "place": f"{number.source}: {number.place}",
            "source": number.url,
        }
