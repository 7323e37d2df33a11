"""The first section: models side by side on every task, their means, and what is missing."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.report import checkpoints, differences, means, scores
from lm_eval_sea.report.analysis import Analysis
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.sea_helm_totals import totals_table
from lm_eval_sea.report.section import LANGUAGE, MODEL, ROWS, TASK, Section, sample_link
from lm_eval_sea.report.tables import CONTRADICTED, LIMITED, Column, Table


def overview_section(analysis: Analysis, totals: pd.DataFrame | None, *, steps: bool) -> Section:
    """Scores of all models and tasks.

    Args:
        analysis: the numbers.
        totals: SEA-HELM's totals, if its tasks were run.
        steps: whether the models are checkpoints of one training run.
    """
    suite, several = analysis.suite, len(analysis.models) > 1
    parts = analysis.means_of_parts()
    text = [
        "The score of a task is its headline metric, in per cent, with a 95 % interval; “chance” is what guessing scores. "
        f"{LIMITED} marks numbers that are not of all rows of the data set (--limit), “few” those of fewer than ten independent "
        "rows. The stronger the colour of a cell, the farther above chance."
    ]
    if analysis.headline.contradicted.any():
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
            _wide_scores(analysis),
            checkpoints.table(analysis) if steps else None,
            checkpoints.figure(analysis) if steps else None,
            means.common_table(analysis.common_means_of_parts()),
            means.means_table(parts, "task", suite.tasks),
            means.means_table(parts, "language", suite.languages),
            scores.scores_figure(analysis.headline, suite, analysis.models),
            _foreign(analysis.frames),
        ],
    )


def comparison_section(analysis: Analysis) -> Section:
    """Standard errors, and differences between models."""
    return Section(
        "uncertainty",
        "Uncertainty",
        [
            "Two models are compared on the rows that both were asked. The p-values are corrected for the number of comparisons "
            "in the table (Holm): of those below 0.05 none is a false alarm with a probability of 95 %."
        ],
        [
            differences.differences_section_table(analysis.differences, analysis.frames),
            scores.scores_table(analysis.headline),
        ],
    )


def _wide_scores(analysis: Analysis) -> Table:
    """One row per task, one column per model; below, if members of the suite were run, those that nobody ran."""
    suite, headline = analysis.suite, analysis.headline
    rows: dict[str, dict[str, object]] = {}
    if headline.task.isin(suite.members).any():
        for name, (task, language) in suite.members.items():
            rows[name] = {"task": name, "kind": suite.tasks.get(task, task), "language": language, **suite.settings.get(name, {})}
    for row in headline.itertuples():
        entry = rows.setdefault(row.task, {"task": row.task, "language": row.language})
        entry |= {"kind": suite.tasks.get(row.task_kind, row.task_kind), "dataset": row.dataset, "variant": row.variant}
        entry |= {"metric": row.metric, "chance": row.chance}
        rank = analysis.ranks.get((row.model, row.task))
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
    for model in analysis.models:
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


def _foreign(frames: Frames) -> Table:
    foreign = frames.tasks[~frames.tasks.of_pack]
    note = "Tasks that are not of this pack are listed, not scored: their scale and chance level are not known."
    return Table("other_tasks", "Other tasks", note, foreign, [MODEL, TASK, Column("version", "version"), ROWS])
