"""Generated answers: all their metrics side by side, and translation by direction (Guo et al. 2024, figure 1)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lm_eval_sea.report.chart import DOT, Chart, Line, Mark, Panel, keys_of
from lm_eval_sea.report.robustness import setting_column
from lm_eval_sea.report.scores import Scores, percent
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, ROWS, TASK, Figure, Section
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.report.tables import Column, Table
from lm_eval_sea.results.answers import TOLD, Bounds, Rates, bounds_of, rates_of
from lm_eval_sea.tasks._shared.facts import GENERATED

METRICS = (
    *("exact_match", "exact_number", "f1", "contains", "contains_weighted"),
    *("chrf++", "bleu", "bleu_th", "rougeL", "null_rate", "off_target_rate"),
)
LOST = {
    "not_read": "not read",
    "cut": "cut in the thought",
    "refused": "refused",
    "failed": "failed",
    "wrong_language": "wrong language",
}
ENGLISH = "en"
DIRECTIONS = ("from_english", "into_english", "difference")


def generation_table(scores: Scores) -> pd.DataFrame:
    """One row a model and task that generates text, a column a metric, in per cent of the best possible value."""
    tasks = scores.tasks[scores.tasks.of_pack & scores.tasks.variant.isin(GENERATED)]
    values = {(row.model, row.task, row.metric): percent(row.metric) * row.value for row in scores.metrics.itertuples()}
    columns = ["model", "task", "dataset", "language", "variant", "prompt_language", "rows", "limited"]
    rows = [
        {
            **{name: task[name] for name in columns},
            **{metric: values.get((task["model"], task["task"], metric)) for metric in METRICS},
        }
        for task in tasks.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=[*columns, *METRICS])


def answers_table(scores: Scores) -> pd.DataFrame:
    """One row a model and task of whose answers more than 2 % were lost, in per cent; see `results.answers`."""
    rows = []
    for (model, name), task in scores.of.items():
        rates, bounds = rates_of(task), bounds_of(task)
        if rates is None or max(rates) <= TOLD:
            continue
        row: dict[str, object] = {"model": model, "task": name, "dataset": task.facts.pool, "language": task.facts.language}
        row |= {rate: 100 * share for rate, share in rates._asdict().items()}
        rows.append(row | (bounds._asdict() if bounds else dict.fromkeys(Bounds._fields)))
    frame = pd.DataFrame(rows, columns=["model", "task", "dataset", "language", *Rates._fields, *Bounds._fields])
    return frame.sort_values("not_read", ascending=False, kind="stable", ignore_index=True)


def translation_table(scores: Scores) -> pd.DataFrame:
    """chrF++ from English, into it, and the difference: one row a model, data set, language x, prompt language and setting.

    The prompt language is "native" or "en". `difference` is en→x minus x→en, in points of chrF++. The two are of different texts,
    so it compares models, not directions. Only of tasks that name both languages: SEA-HELM's translations have another chrF++.
    """
    with_english = (scores.tasks.source_language == ENGLISH) | (scores.tasks.answer_language == ENGLISH)
    known = scores.tasks.of_pack & (scores.tasks.variant == "translation") & (scores.tasks.source_language != "")
    tasks = scores.tasks[known & with_english]
    values = {(row.model, row.task): row.value for row in scores.metrics[scores.metrics.metric == "chrf++"].itertuples()}
    cells: dict[tuple[str, str, str, str, str], dict[str, float | None]] = {}
    limited = tasks[tasks.limited][["model", "dataset", "language", "setting"]].apply(tuple, axis=1).tolist()
    for task in tasks.itertuples():
        prompt = ENGLISH if task.prompt_language == ENGLISH else "native"
        direction = "from_english" if task.source_language == ENGLISH else "into_english"
        key = (task.model, task.dataset, task.language, prompt, task.setting)
        cells.setdefault(key, {})[direction] = values.get((task.model, task.task))
    rows = []
    for (model, dataset, language, prompt, setting), found in cells.items():
        out, into = found.get("from_english"), found.get("into_english")
        difference = None if out is None or into is None else out - into
        rows.append(
            {
                "model": model,
                "dataset": dataset,
                "language": language,
                "prompt": prompt,
                "setting": setting,
                "from_english": out,
                "into_english": into,
                "difference": difference,
                "limited": (model, dataset, language, setting) in limited,
            }
        )
    return pd.DataFrame(rows, columns=["model", "dataset", "language", "prompt", "setting", *DIRECTIONS, "limited"])


def generation_section(scores: Scores) -> Section:
    """All metrics of generated answers."""
    table, directions = generation_table(scores), translation_table(scores)
    used = [metric for metric in METRICS if table[metric].notna().any()]
    return Section(
        "generation",
        "Generated answers",
        ["All metrics in per cent of the best value. Off-target answers are in another language or script than asked for."],
        [
            Table(
                "generation",
                "Metrics",
                "",
                table,
                [MODEL, TASK, *(Column(metric, metric, "percent", marker="limited") for metric in used), ROWS],
            ),
            Table(
                "answers",
                "Answers that were lost",
                "In per cent of the answers, where it is more than 2 % of them. What was cut in the thought, refused or failed "
                "is part of what was not read. The last three are the score if all cut answers are wrong, as it counts them, "
                "if all are right, and on completed answers; scores that are no means over rows have none.",
                answers_table(scores),
                [
                    MODEL,
                    TASK,
                    *(Column(rate, title, "percent") for rate, title in LOST.items()),
                    Column("all_wrong", "cut ones wrong", "percent"),
                    Column("all_right", "cut ones right", "percent"),
                    Column("completed", "completed", "percent"),
                ],
            ),
            _figure(directions, scores.suite, scores.models),
            Table(
                "translation",
                "Translation by direction",
                "chrF++ from English into the language and back; the difference is the "
                "former minus the latter. After figure 1 of Guo et al. 2024.",
                directions,
                [
                    MODEL,
                    DATA_SET,
                    LANGUAGE,
                    Column("prompt", "prompt"),
                    *setting_column(directions),
                    Column("from_english", "English → x", "percent"),
                    Column("into_english", "x → English", "percent"),
                    Column("difference", "difference", "points", marker="limited"),
                ],
                {"prompt": {"native": "in the language", "en": "English"}},
            ),
        ],
    )


def _figure(table: pd.DataFrame, suite: Suite, models: Sequence[str]) -> Figure | None:
    """chrF++ from and into English, a line per data set, language, language of the prompt and setting."""
    if table.empty:
        return None
    means = table.groupby("model")[["from_english", "into_english"]].mean()
    seen = "; ".join(
        f"{model} {row.from_english:.0f} from English, {row.into_english:.0f} into it" for model, row in means.iterrows()
    )
    panels = [
        Panel(title, _lines(table, column, suite), axis="chrF++")
        for column, title in (("from_english", "English → x"), ("into_english", "x → English"))
    ]
    return Figure.of_chart(
        "translation",
        "chrF++ by direction.",
        Chart(panels, models, columns=2),
        f"Points by language and model. Means of chrF++: {seen}.",
        table,
    )


def _lines(table: pd.DataFrame, column: str, suite: Suite) -> list[Line]:
    lines = []
    for (dataset, language, prompt, setting), group in table.groupby(["dataset", "language", "prompt", "setting"], sort=False):
        marks = [
            Mark(DOT, row[column], series=row["model"], keys=keys_of(row, "model"))
            for row in group.to_dict("records")
            if not pd.isna(row[column])
        ]
        label = f"{suite.data_sets.get(str(dataset), dataset)}: {suite.languages.get(str(language), language)}"
        label += ", English prompt" if prompt == ENGLISH else ""
        label += f", {setting}" if setting else ""
        lines.append(Line(label, marks, {"dataset": str(dataset), "language": str(language)}))
    return lines
