"""The first section: models side by side on every task, their means, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lm_eval_sea.report import checkpoints, differences, means
from lm_eval_sea.report.chart import DOT, GUIDE, Chart, Line, Mark, Panel, keys_of
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.sea_helm_totals import totals_table
from lm_eval_sea.report.section import LANGUAGE, MODEL, ROWS, SCORE, TASK, Figure, Section, sample_link
from lm_eval_sea.report.suite import Suite, task_title
from lm_eval_sea.report.tables import CONTRADICTED, LIMITED, Column, Table


def overview_section(scores: Scores, totals: pd.DataFrame | None, *, steps: bool) -> Section:
    """Scores of all models and tasks.

    Args:
        scores: of the runs.
        totals: SEA-HELM's totals, if its tasks were run.
        steps: whether the models are checkpoints of one training run.
    """
    suite, several = scores.suite, len(scores.models) > 1
    parts = scores.means_of_parts()
    text = [
        "The score of a task is its headline metric, in per cent, with a 95 % interval; “chance” is what guessing scores. "
        f"{LIMITED} marks numbers that are not of all rows of the data set (--limit), “few” those of fewer than ten independent "
        "rows. The stronger the colour of a cell, the farther above chance."
    ]
    if scores.headline.contradicted.any():
        text.append(f"{CONTRADICTED} marks scores of the results that their logged rows contradict: Provenance has both numbers.")
    if several:
        text.append(
            "The small number is the rank: a model is behind another where the 95 % interval of their paired difference leaves "
            "out 0; models with the same rank, such as 1=, cannot be told apart. A task has no ranks unless every two models "
            "were tested on it, which needs ten independent rows of both that were logged (--log_samples). A score is bold only "
            "where its model is better than all others by more than the uncertainty."
        )
    return Section(
        "overview",
        "Overview",
        text,
        [
            None if totals is None else totals_table(totals, suite),
            _wide_scores(scores),
            checkpoints.table(scores) if steps else None,
            checkpoints.figure(scores) if steps else None,
            means.common_table(scores.common_means_of_parts()),
            means.means_table(parts, "task", suite.tasks),
            means.means_table(parts, "language", suite.languages),
            _scores_figure(scores.headline, suite, scores.models),
            _foreign(scores),
        ],
    )


def comparison_section(scores: Scores) -> Section:
    """Standard errors, and differences between models."""
    return Section(
        "uncertainty",
        "Uncertainty",
        [
            "Two models are compared on the rows that both were asked. The p-values are corrected for the number of comparisons "
            "in the table (Holm): of those below 0.05 none is a false alarm with a probability of 95 %."
        ],
        [
            differences.differences_section_table(scores.differences, scores.tasks),
            _scores_table(scores.headline),
        ],
    )


def _wide_scores(scores: Scores) -> Table:
    """One row per task, one column per model; below, if members of the suite were run, those that nobody ran."""
    suite, headline = scores.suite, scores.headline
    rows: dict[str, dict[str, object]] = {}
    if headline.task.isin(suite.members).any():
        for name, (task, language) in suite.members.items():
            rows[name] = {"task": name, "kind": suite.tasks.get(task, task), "language": language, **suite.settings.get(name, {})}
    for row in headline.itertuples():
        entry = rows.setdefault(row.task, {"task": row.task, "language": row.language})
        entry |= {"kind": suite.tasks.get(row.task_kind, row.task_kind), "dataset": row.dataset, "variant": row.variant}
        entry |= {"metric": row.metric, "chance": row.chance}
        rank = scores.ranks.get((row.model, row.task))
        found = {
            "score": row.score,
            "low": row.low,
            "high": row.high,
            "normalised": row.normalised,
            "limited": bool(row.limited),
            "few": bool(row.few),
            "contradicted": bool(row.contradicted),
            "rank": rank.text if rank else None,
            "best": bool(rank and rank.best),
            "link": sample_link(row.model, row.task) if isinstance(row.samples, str) else None,
        }
        entry |= {f"{row.model}: {name}": value for name, value in found.items()}
    frame = pd.DataFrame(sorted(rows.values(), key=lambda entry: "metric" not in entry))  # a stable order
    frame = frame.reindex(columns=list(dict.fromkeys(["task", "kind", "dataset", "language", "variant", *frame.columns])))
    columns = [TASK, LANGUAGE, Column("metric", "metric"), Column("chance", "chance", "percent")]
    for model in scores.models:
        named = {name: f"{model}: {name}" for name in ("low", "high", "few", "contradicted", "link", "rank")}
        columns.append(
            Column(
                f"{model}: score",
                model,
                "score",
                marker=f"{model}: limited",
                strong=f"{model}: best",
                shade=f"{model}: normalised",
                shows=("model", model),
                **named,
            )
        )
    note = "A score leads to the rows it is made of; – is a member of the suite that was not run."
    return Table("scores_by_model", "Scores by task and model", note, frame, columns)


def _foreign(scores: Scores) -> Table:
    foreign = scores.tasks[~scores.tasks.of_pack]
    note = "Tasks that are not of this pack are listed, not scored: their scale and chance level are not known."
    return Table("other_tasks", "Other tasks", note, foreign, [MODEL, TASK, Column("version", "version"), ROWS])


def _scores_table(headline: pd.DataFrame) -> Table:
    """All scores with their standard errors."""
    return Table(
        "scores",
        "Scores and standard errors",
        "Rows that share a passage or premise are not independent: the clustered standard error counts them together (Miller "
        "2024), the plain one takes every row for itself. Both in percentage points. Where all rows make one score together "
        "(BLEU, chrF++) the error is the bootstrap in the results; where they have none, it is that of draws of the logged rows.",
        headline,
        [
            MODEL,
            TASK,
            Column("metric", "metric"),
            SCORE,
            Column("normalised", "normalised", "percent", hint="chance is 0, perfect is 100"),
            Column("stderr_plain", "error, plain", "error"),
            Column("stderr", "error, clustered", "error"),
            Column("clusters", "clusters", "count"),
            ROWS,
            Column("rows_total", "of", "count"),
        ],
    )


def _scores_figure(headline: pd.DataFrame, suite: Suite, models: Sequence[str]) -> Figure | None:
    """Scores of the members of the suite, one line each, with intervals and chance."""
    found = headline[headline.task.isin(suite.members)]
    if found.empty:
        return None
    best = found.loc[found.normalised.idxmax()]
    chart = Chart([Panel("", _lines(found, suite), axis="headline score (%)")], models)
    return Figure.of_chart(
        "overview",
        "Headline scores of the suite with 95 % intervals; the grey bar is chance.",
        chart,
        f"Points with bars, one line per task: scores of {', '.join(chart.legend)} on {found.task.nunique()} tasks, from "
        f"{found.score.min():.0f} to {found.score.max():.0f} per cent. Farthest above chance is {best.model} on {best.task}.",
        found,
    )


def _lines(found: pd.DataFrame, suite: Suite) -> list[Line]:
    lines = []
    for name in (name for name in suite.members if name in set(found.task)):
        rows = found[found.task == name].to_dict("records")
        chance = [Mark(GUIDE, rows[0]["chance"])] if rows[0]["chance"] else []
        marks = [
            Mark(DOT, row["score"], _end(row["low"]), _end(row["high"]), series=row["model"], keys=keys_of(row, "model"))
            for row in rows
        ]
        label = task_title(found[found.task == name].iloc[0], suite)
        lines.append(Line(label, [*chance, *marks], keys_of(rows[0], "language", "dataset", "variant")))
    return lines


def _end(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
