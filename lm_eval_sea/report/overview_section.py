"""The first section: scores, their means, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from lm_eval_sea.report import scores
from lm_eval_sea.report.frames import Frames
from lm_eval_sea.report.section import LANGUAGE, MODEL, ROWS, TASK, Section, sample_link
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.report.tables import LIMITED, Column, Table


def overview_section(frames: Frames, headline: pd.DataFrame, suite: Suite) -> Section:
    """Scores of all models and tasks.

    Args:
        frames: the runs.
        headline: `scores.headline_scores`.
        suite: what means are taken over.
    """
    models = sorted(frames.tasks.model.unique())
    means = scores.suite_means(headline, suite.members, models)
    by_task = _means_table(means, "task:", suite.tasks)
    by_language = _means_table(means, "language:", suite.languages)
    any_member = any(means[model][scores.ALL].found for model in models)
    note = (
        "Means of rescaled scores: chance is 0, perfect is 100, below chance counts as 0 (SEA-HELM's normalisation). "
        "“3 of 9” says that only so many of the members of the suite were run: such a mean is not comparable."
    )
    return Section(
        "overview",
        "Overview",
        [
            "The score of a task is its headline metric, in per cent, with a 95 % interval; “chance” is what guessing scores. "
            f"{LIMITED} marks numbers that are not of all rows of the data set (--limit).",
        ],
        [
            Table("means_by_task", "Means by task", note, by_task if any_member else by_task[:0], _mean_columns(by_task)),
            Table(
                "means_by_language",
                "Means by language",
                "The same scores by language; “all” is that of the table above.",
                by_language if any_member else by_language[:0],
                _mean_columns(by_language),
            ),
            _wide_scores(headline, suite),
            "overview",
            _foreign(frames),
        ],
    )


def _means_table(means: Mapping[str, Mapping[str, scores.Mean]], kind: str, titles: Mapping[str, str]) -> pd.DataFrame:
    rows = []
    for model, found in means.items():
        row: dict[str, object] = {"model": model}
        for key, mean in found.items():
            if key.startswith(kind) or key == scores.ALL:
                title = "all" if key == scores.ALL else titles.get(key.removeprefix(kind), key.removeprefix(kind))
                row[title] = mean.value
                row |= {f"{title}: members": f"{mean.found} of {mean.expected}", f"{title}: limited": mean.limited}
        rows.append(row)
    return pd.DataFrame(rows)


def _mean_columns(frame: pd.DataFrame) -> list[Column]:
    titles = [name for name in frame.columns if f"{name}: members" in frame.columns]
    return [MODEL, *(Column(title, title, "mean", low=f"{title}: members", marker=f"{title}: limited") for title in titles)]


def _wide_scores(headline: pd.DataFrame, suite: Suite) -> Table:
    """One row a task, one column a model; members of the suite that nobody ran are there, empty."""
    models = sorted(headline.model.unique())
    rows: dict[str, dict[str, object]] = {}
    for name, (task, language) in suite.members.items():
        rows[name] = {"task": name, "kind": suite.tasks.get(task, task), "language": language}
    for row in headline.itertuples():
        entry = rows.setdefault(row.task, {"task": row.task, "language": row.language})
        entry |= {"kind": suite.tasks.get(row.task_kind, row.task_kind), "dataset": row.dataset, "variant": row.variant}
        entry |= {"metric": row.metric, "chance": row.chance}
        entry |= {f"{row.model}: score": row.score, f"{row.model}: low": row.low, f"{row.model}: high": row.high}
        entry |= {f"{row.model}: rescaled": row.rescaled, f"{row.model}: limited": bool(row.limited)}
        entry |= {f"{row.model}: link": sample_link(row.model, row.task) if isinstance(row.samples, str) else None}
    frame = pd.DataFrame(list(rows.values()))
    frame = frame.reindex(columns=list(dict.fromkeys(["task", "kind", "dataset", "language", "variant", *frame.columns])))
    columns = [Column("task", "task"), Column("kind", "kind"), LANGUAGE, Column("metric", "metric")]
    columns.append(Column("chance", "chance", "percent"))
    for model in models:
        columns.append(
            Column(
                f"{model}: score",
                model,
                "score",
                low=f"{model}: low",
                high=f"{model}: high",
                marker=f"{model}: limited",
                link=f"{model}: link",
                best_of=True,
            )
        )
        columns.append(Column(f"{model}: rescaled", "rescaled", "percent", hint=f"{model}: chance 0, perfect 100"))
    note = "All tasks that were run, and members of the suite that were not (–). A score leads to the rows it is made of."
    return Table("scores_by_model", "Scores", note, frame, columns)


def _foreign(frames: Frames) -> Table:
    foreign = frames.tasks[~frames.tasks.of_pack]
    note = "Tasks that are not of this pack are listed, not scored: their scale and chance level are not known."
    return Table("other_tasks", "Other tasks", note, foreign, [MODEL, TASK, Column("version", "version"), ROWS])
