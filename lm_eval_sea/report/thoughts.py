"""What thoughts cost, and what the score would be with fewer tokens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import matplotlib.figure
import pandas as pd

from lm_eval_sea.report.chart import add_legend, new_figure, styles
from lm_eval_sea.report.sample_row import Key
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import LANGUAGE, MODEL, SCORE, TASK, Figure, Section
from lm_eval_sea.report.tables import Column, Table, columns, mean_and_ends, with_interval
from lm_eval_sea.results.thoughts import LOOP, THOUGHTS_READ, WINDOW, BudgetCurve, Ledger, budget_curve, ledger_of, thought_rows
from lm_eval_sea.results.uncertainty import percent

_ABOUT = ["model", "task", "dataset", "language", "variant", "limited"]
_SHARES = {"thinking": "with a thought", "cut": "cut in the thought", "stopped": "stopped in the thought"}
_MOST_PANELS = 6  # of the figure: the tasks with the most rows


def ledger_table(scores: Scores, ledgers: Mapping[Key, Ledger], curves: Mapping[Key, BudgetCurve]) -> pd.DataFrame:
    """One row per model and task whose answers have thoughts; shares in per cent, with their 95 % intervals."""
    rows = []
    for row in scores.headline[[*_ABOUT, "score", "low", "high", "few", "contradicted"]].to_dict("records"):
        key = (row["model"], row["task"])
        if (ledger := ledgers.get(key)) is None:
            continue
        for name in _SHARES:
            row |= mean_and_ends(name, getattr(ledger, name), 100)
        row |= {name: getattr(ledger, name) for name in ("median_tokens", "p95_tokens", "median_in_english")}
        row |= {"own": percent(ledger.own), "english": percent(ledger.english), "switches": ledger.switches}
        row |= {"looping": percent(ledger.looping), "rises": key in curves and curves[key].rises}
        rows.append(row | {"rows": ledger.rows, "read": ledger.read})
    return pd.DataFrame(rows)


def budget_table(scores: Scores, curves: Mapping[Key, BudgetCurve]) -> pd.DataFrame:
    """One row per model, task and budget."""
    rows = [
        row | point._asdict()
        for row in scores.headline[_ABOUT].to_dict("records")
        if (curve := curves.get((row["model"], row["task"])))
        for point in curve.points
    ]
    return pd.DataFrame(rows)


def premium_table(scores: Scores) -> pd.DataFrame:
    """One row per model and prompt language: tokens per English token, if a run measured them (`run.premium`)."""
    found = {
        (model, task.facts.language_of_prompt): task.facts.token_premium
        for (model, _), task in scores.of.items()
        if task.facts.token_premium.get("mean") and task.facts.language_of_prompt != "en"
    }
    return pd.DataFrame([{"model": model, "language": language, **found[model, language]} for model, language in sorted(found)])


def thoughts_section(scores: Scores) -> Section:
    """The ledger of thoughts and the curves over budgets."""
    said = {key: rows for key, task in scores.of.items() if (rows := thought_rows(task)) is not None}
    ledgers = {key: ledger for key, rows in said.items() if (ledger := ledger_of(scores.of[key], rows)) is not None}
    curves = {key: curve for key in ledgers if (curve := budget_curve(scores.of[key], said[key])) is not None}
    budgets = budget_table(scores, curves)
    rising = sorted({task for (_, task), curve in curves.items() if curve.rises})
    of_ledger = [
        *(MODEL, LANGUAGE, TASK, SCORE),
        *(with_interval(name, title, "score") for name, title in _SHARES.items()),
        Column("looping", "loops", "percent", hint="of the thoughts that were read"),
        *columns("count", median_tokens="tokens, median", p95_tokens="95th percentile"),
        Column("median_in_english", "in English tokens, median", "count", hint="what they would be in English"),
        *columns("percent", own="in the prompt's language", english="in English"),
        Column("switches", "switches", "decimals", hint="changes of language from line to line, mean of a thought"),
    ]
    of_premium = [
        *(MODEL, LANGUAGE),
        Column("mean", "premium [95 %]", "decimals", low="low", high="high"),
        Column("texts", "passages", "count"),
    ]
    of_budgets = [
        *(MODEL, LANGUAGE, TASK),
        Column("budget", "tokens", "count"),
        Column("score", "score [95 %]", "score", low="low", high="high", marker="limited"),
        Column("at_most", "at most", "percent"),
    ]
    text = [
        "Shares in per cent of the rows. A thought that was cut reached the token limit; one that stopped ended by itself, "
        "without an answer. Neither can score; “Answers that were lost” has the bounds of the score.",
        f"Language is detected line by line, in up to {THOUGHTS_READ} thoughts of a task, and weighted by letters. A thought "
        f"loops if more than {LOOP:.0%} of its windows of {WINDOW} characters occurred in it before.",
        *scores.of_seeds("the answers of all count, each as a row"),
    ]
    premium = (
        "For Belebele's passages, by the model's tokenizer. The tokens of thoughts in the prompt's language are divided by "
        "the premium. 95 % intervals over passages."
    )
    within = (
        "Answers that are right, and complete within so many tokens of thought and answer. A run with this limit scores at "
        "least that, and at most the last column, which counts answers that the limit would cut as right."
    )
    parts = [
        Table("thoughts", "Ledger of thoughts", "", ledger_table(scores, ledgers, curves), of_ledger),
        Table("premium", "Tokens for the same text, English = 1", premium, premium_table(scores), of_premium),
        _figure(budgets, scores),
        Table("budgets", "Score within a budget of tokens", within, budgets, of_budgets),
    ]
    lead = (
        f"The score still rises at the token limit on {', '.join(rising)}; a larger limit may give a higher score, if the "
        "thoughts that were cut do not loop."
    )
    return Section("thoughts", "Thoughts and budgets", text, parts, lead=lead if rising else "")


def _figure(budgets: pd.DataFrame, scores: Scores) -> Figure | None:
    if budgets.empty:
        return None
    sizes = scores.headline.groupby("task").rows.max()
    tasks = sorted(budgets.task.unique(), key=lambda task: (-sizes[task], task))[:_MOST_PANELS]
    shown = budgets[budgets.task.isin(tasks)]
    return Figure(
        "budgets",
        "Score within a budget of tokens of thought and answer, with 95 % intervals.",
        partial(_draw, shown, tasks, scores.models),
        shown,
    )


def _draw(budgets: pd.DataFrame, tasks: list[str], models: list[str]) -> matplotlib.figure.Figure:
    columns = min(3, len(tasks))
    height = 2.4 * -(-len(tasks) // columns) + 0.6
    figure, axes = new_figure(len(tasks), columns, max(7.5, 3.2 * columns), height)
    looks = {model: look for model, look in styles(models).items() if (budgets.model == model).any()}
    for axis, task in zip(axes, tasks, strict=True):
        for model, line in budgets[budgets.task == task].groupby("model"):
            look = looks[str(model)]
            axis.fill_between(line.budget, line.low.astype(float), line.high.astype(float), color=look.colour, alpha=0.15)
            axis.plot(line.budget, line.score, color=look.colour, marker=look.marker, linestyle=look.line, markersize=4)
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter("{x:,.0f}")  # the default is a formula, and formulas are not parsed
        axis.set_title(task, fontsize=7.5)
        axis.set_xlabel("tokens", fontsize=8)
        axis.set_ylim(bottom=0)
    add_legend(figure, looks, lines=True)
    return figure
