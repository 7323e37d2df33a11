"""Where the numbers come from, and which of them were made differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields

import pandas as pd

from lm_eval_sea.report.robustness import not_compared
from lm_eval_sea.report.sample_row import Key
from lm_eval_sea.report.scores import Scores, date_of
from lm_eval_sea.report.section import MODEL, TASK, Section
from lm_eval_sea.report.tables import Column, Table, columns
from lm_eval_sea.results.answers import advice_on, answers_text, rates_of
from lm_eval_sea.results.differing_settings import task_settings, unlike
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.settings import NOT_RECORDED, Settings
from lm_eval_sea.results.table import absent_labels_text, collapsed_text, score_text
from lm_eval_sea.results.visible_text import once
from lm_eval_sea.tasks._shared.facts import ORDER

WARNINGS = "warnings"  # the table of what to know before comparing
# Columns of the frame `runs` that should agree between runs that are compared.
RUN_SETTINGS = {
    "backend": "backend",
    "dtype": "type of the model's numbers",
    "softmax_dtype": "type of the log-likelihoods",
    "arguments": "arguments of the model",
    "chat_template": "chat template",
    "system_instruction": "system instruction",
    "generation": "arguments of generation",
    "template_date": "date in the chat template",
    "lm_eval": "version of lm-eval",
    "transformers": "version of transformers",
}
# Column of the frame of tasks → what `task_settings` calls it.
TASK_SETTINGS = {
    "pack": "version of the pack",
    "version": "version of the task",
    "prompt_book": "version of the prompt file",
    "words": "words of the prompt",
    "data": "rows of the data set",
    "num_fewshot": "number of exemplars",
    "exemplars": "exemplars",
    "turns": "use of turns for exemplars",
    "max_tokens": "limit of tokens",
    "signatures": "metric signatures",
    "rows": "number of rows evaluated",
}


def task_table(scores: Scores) -> pd.DataFrame:
    """One row per model and task of the pack: versions, data, exemplars and metric signatures.

    `data` is the beginning of the SHA-256 of the processed rows; `words` and `exemplars` are digests of what the prompt shows.
    """
    rows = []
    for (model, name), task in scores.of.items():
        if task.facts.of_pack:
            said, facts = task_settings(task), task.facts
            own = {column: said[setting] for column, setting in TASK_SETTINGS.items()}
            own |= {"source": facts.data_source or None, "revision": facts.data_revision or None}
            rows.append({"model": model, "task": name, **own, "rows_total": task.expected, "date": date_of(task.run)})
    columns = ["model", "task", "pack", "version", "prompt_book", "words", "source", "revision", "data", "num_fewshot"]
    return pd.DataFrame(rows, columns=[*columns, "exemplars", "turns", "max_tokens", "signatures", "rows", "rows_total", "date"])


def warnings(scores: Scores) -> list[str]:
    """One line for every setting in which compared models, or the runs of one model, differ."""
    lines, runs = [], scores.runs.astype(object).where(scores.runs.notna(), NOT_RECORDED).astype(str)
    for column, name in RUN_SETTINGS.items():
        models = runs.groupby(column, sort=False).model.unique()
        if len(models) > 1:
            values = "; ".join(f"{value} ({', '.join(who)})" for value, who in models.items())
            lines.append(f"Runs differ in the {name}: {values}")
    for model, revisions in runs.groupby("model", sort=False).revision.unique().items():
        if len(revisions) > 1:
            lines.append(f"Runs of {model} are of different revisions: {', '.join(revisions)}")
    return lines + unlike([task for task in scores.of.values() if task.facts.of_pack], TASK_SETTINGS.values())


def lines_of(results: Iterable[tuple[Key, TaskRun]], text_of: Callable[[TaskRun], str | None]) -> list[str]:
    """One line for every result with a text."""
    return [f"{model}, {name}: {text}" for (model, name), task in results if (text := text_of(task))]


def lost_answers(scores: Scores) -> list[str]:
    """A line for each score with lost answers, the worst first; see `answers.answers_text`."""
    return lines_of(sorted(scores.of.items(), key=lambda entry: -max(rates_of(entry[1]) or [0.0])), answers_text)


def advice(scores: Scores) -> list[str]:
    """What to do about lost answers: a line for each advice, with the results it is about."""
    return once((f"{model} on {name}", text) for (model, name), task in scores.of.items() for text in advice_on(task))


def provenance_section(scores: Scores) -> Section:
    """Where the numbers come from."""
    own = [
        *advice(scores),
        *lines_of(scores.of.items(), collapsed_text),
        *lines_of(scores.of.items(), absent_labels_text),
        *lines_of(((key, task) for key, task in scores.of.items() if task.facts.setting != ORDER), score_text),
        *not_compared(scores.headline),
    ]
    warned = pd.DataFrame({"warning": list(dict.fromkeys([*own, *warnings(scores), *scores.notes]))})
    known = [entry.name for entry in fields(Settings) if scores.runs[entry.name].notna().any()]
    settings = {name: name.replace("_", " ") for name in known}
    of_runs = [MODEL, *columns("text", model_name="full name", date="date", **settings)]
    of_tasks = [
        *(MODEL, TASK),
        *columns("text", pack="pack", version="version", prompt_book="prompt file", words="words"),
        *columns("text", source="source", revision="revision", data="data"),
        *columns("count", num_fewshot="exemplars shown"),
        Column("exemplars", "exemplars"),
        Column("max_tokens", "limit of tokens", "count"),
        Column("signatures", "signatures"),
    ]
    text = "How the numbers were made. “words”, “data” and “exemplars” are shortened SHA-256 digests: equal ones mean equal text."
    parts = [
        Table(WARNINGS, "Notes and warnings", "", warned, columns("text", warning="what to know before comparing")),
        Table("runs", "Runs", "", scores.runs, of_runs),
        Table("provenance", "Tasks", "", task_table(scores), of_tasks),
    ]
    return Section("provenance", "Provenance", [text], parts)
