"""Generated answers: all their metrics side by side, and translation by direction (Guo et al. 2024, figure 1)."""

from __future__ import annotations

import math

import pandas as pd

from lm_eval_sea.report.chart import Chart, Line, Panel, dots
from lm_eval_sea.report.robustness import prompt_label, setting_column
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, ROWS, TASK, Figure, Section
from lm_eval_sea.report.tables import Column, Table, columns
from lm_eval_sea.results.answers import Bounds, Rates, bounds_of, rates_of
from lm_eval_sea.results.row_statistics import scale_of
from lm_eval_sea.results.thoughts import SHOWN_ABOVE
from lm_eval_sea.tasks._shared.facts import GENERATED

METRICS = (
    *("exact_match", "exact_number", "f1", "contains", "contains_weighted"),
    *("chrf++", "bleu", "bleu_th", "rougeL", "null_rate", "off_target_rate"),
)
ENGLISH = "en"


def generation_table(scores: Scores) -> pd.DataFrame:
    """One row per model and task that generates text, a column per metric, in per cent of the best possible value."""
    tasks = scores.tasks[scores.tasks.of_pack & scores.tasks.variant.isin(GENERATED)]
    about = ["model", "task", "dataset", "language", "variant", "prompt_language", "rows", "limited"]
    return tasks[about].assign(**{metric: _values(scores, tasks, metric, 100 / scale_of(metric)) for metric in METRICS})


def _values(scores: Scores, tasks: pd.DataFrame, metric: str, times: float = 1.0) -> list[float]:
    """A metric of each of some tasks; NaN where one has none."""
    found = [scores.of[key].scores.get(metric) for key in zip(tasks.model, tasks.task, strict=True)]
    return [math.nan if score is None else times * score.value for score in found]


def answers_table(scores: Scores) -> pd.DataFrame:
    """One row per model and task with more than 2 % of answers lost, in per cent; see `results.answers`."""
    rows = []
    for (model, name), task in scores.of.items():
        rates, bounds = rates_of(task), bounds_of(task) or (None,) * 3
        if rates is not None and max(rates) > SHOWN_ABOVE:
            shares = (100 * share for share in rates)
            rows.append((model, name, task.facts.data_set, task.facts.language, task.limited, *shares, *bounds))
    frame = pd.DataFrame(rows, columns=["model", "task", "dataset", "language", "limited", *Rates._fields, *Bounds._fields])
    return frame.sort_values("not_read", ascending=False, kind="stable", ignore_index=True)


def translation_table(scores: Scores) -> pd.DataFrame:
    """chrF++ from English, into it, and the difference: one row per model, data set, language x, and way of asking.

    The way is prompt language ("native" or "en"), setting and number of exemplars. `difference` is en→x minus x→en, in points of
    chrF++. The two are of different texts, so it compares models, not directions. Only tasks that name both languages count:
    SEA-HELM's translations have another chrF++.
    """
    tasks = scores.tasks[scores.tasks.of_pack & (scores.tasks.variant == "translation") & (scores.tasks.source_language != "")]
    tasks = tasks[(tasks.source_language == ENGLISH) | (tasks.answer_language == ENGLISH)]
    tasks = tasks.assign(
        prompt=tasks.prompt_language.where(tasks.prompt_language == ENGLISH, "native"),
        exemplars=["–" if pd.isna(count) else f"{count:.0f}" for count in tasks.num_fewshot],
        value=pd.Series(_values(scores, tasks, "chrf++"), tasks.index, dtype=float),
    )
    keys, is_from = ["model", "dataset", "language", "prompt", "setting", "exemplars"], tasks.source_language == ENGLISH
    limited = tasks.groupby(keys, sort=False).limited.any()
    out_of, into = (own.groupby(keys).value.last().reindex(limited.index) for own in (tasks[is_from], tasks[~is_from]))
    table = pd.DataFrame({"from_english": out_of, "into_english": into, "difference": out_of - into, "limited": limited})
    return table.reset_index()


def generation_section(scores: Scores) -> Section:
    """All metrics of generated answers."""
    table, directions = generation_table(scores), translation_table(scores)
    used = [metric for metric in METRICS if table[metric].notna().any()]
    lost = [
        Column("not_read", "not read", "percent", marker="limited"),
        *columns("percent", cut="cut in the thought", refused="refused", failed="failed", wrong_language="wrong language"),
        *columns("percent", marker="limited", all_wrong="cut ones wrong", all_right="cut ones right", completed="completed"),
    ]
    of_lost = (
        "Tasks with more than 2 % of lost answers, in per cent of the answers. Those cut in the thought, refused or failed are "
        "among those not read. The last three are the score if all cut answers are wrong (as the score counts them), if all "
        "are right, and on completed answers only; scores that are not means over rows have none."
    )
    by_direction = [
        *(MODEL, DATA_SET, LANGUAGE),
        Column("prompt", "prompt"),
        *setting_column(directions),
        *columns("text", exemplars="exemplars"),
        *columns("percent", marker="limited", from_english="English → x", into_english="x → English"),
        Column("difference", "difference", "points", marker="limited"),
    ]
    of_directions = (
        "chrF++ from English into the language and back; the difference is the former minus the latter, with as many exemplars. "
        "After figure 1 of Guo et al. 2024."
    )
    prompts = {"prompt": {"native": "in the language", "en": "English"}}
    measures = columns("percent", marker="limited", **{metric: metric for metric in used})
    text = "All metrics in per cent of the best value. Off-target answers are not in the language or script that was asked for."
    parts = [
        Table("generation", "Metrics", "", table, [MODEL, TASK, *measures, ROWS]),
        Table("answers", "Answers that were lost", of_lost, answers_table(scores), [MODEL, TASK, *lost]),
        _figure(directions, scores),
        Table("translation", "Translation by direction", of_directions, directions, by_direction, prompts),
    ]
    return Section("generation", "Generated answers", [text], parts)


def _figure(table: pd.DataFrame, scores: Scores) -> Figure | None:
    """chrF++ from and into English, a line per data set, language, language of the prompt and setting."""
    if table.empty:
        return None
    line = ["dataset", "language", "prompt", "setting"]
    panels = []
    for column, title in (("from_english", "English → x"), ("into_english", "x → English")):
        lines = []
        for (dataset, language, prompt, setting), group in table.groupby(line, sort=False):
            label = scores.suite.title_of(dataset, language) + prompt_label(prompt == ENGLISH, setting)
            lines.append(Line(label, dots(group, column, "model"), {"dataset": dataset, "language": language}))
        panels.append(Panel(title, lines, axis="chrF++"))
    return Figure.of_chart("translation", "chrF++ by direction.", Chart(panels, scores.models, columns=2))
