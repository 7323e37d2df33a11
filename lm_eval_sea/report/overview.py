"""The answer, SEA-HELM's totals, all scores and all means."""

from __future__ import annotations

from dataclasses import asdict
from urllib.parse import quote

import pandas as pd

from lm_eval_sea.report import checkpoints
from lm_eval_sea.report.chart import Chart, Mark, Panel, dots
from lm_eval_sea.report.means import (
    WEIGHINGS,
    answer,
    comparisons_table,
    languages_table,
    means_figure,
    models_table,
    scopes_table,
)
from lm_eval_sea.report.native import lite_tasks_left_out, native_lines
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import LANGUAGE, MODEL, ROWS, SCORE, TASK, Figure, Section
from lm_eval_sea.report.tables import CONTRADICTED, LIMITED, Column, Table, columns
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.comparison import left_out
from lm_eval_sea.results.power import LEVEL
from lm_eval_sea.results.table import uneven_notes, unlike_notes
from lm_eval_sea.results.types import grouped
from lm_eval_sea.results.uncertainty import FEWEST, FEWEST_CLUSTERS
from lm_eval_sea.results.visible_text import some_names
from lm_eval_sea.sea_helm.totals.evidence import gather, place_of
from lm_eval_sea.sea_helm.totals.hierarchy import ALL, SEA
from lm_eval_sea.sea_helm.totals.methods import METHODS
from lm_eval_sea.sea_helm.totals.suite import read_suite
from lm_eval_sea.sea_helm.totals.totals import compute
from lm_eval_sea.sea_helm.totals.views import view_of


def overview_section(scores: Scores, totals: pd.DataFrame | None, *, steps: bool) -> Section:
    """The answer: models by their means, two models compared, or one model by language; SEA-HELM's totals; the curve of steps."""
    means = scores.means
    count = len(means.by_model)
    over = "Means of normalised scores (chance is 0, the best score 100) over the tasks that were run"
    after = [f"{over}; {WEIGHINGS[means.weigh]}."] if count else []
    if count and (without := [model for model in scores.models if model not in means.by_model]):
        alone = f", so they are of {next(iter(means.by_model))} alone" if count == 1 else ""
        after.append(f"They have no score of {some_names(without)}{alone}.")
    if count > 1:
        after.append(
            "Ranks, and claims that models differ, hold for the whole report at once: with a probability of 95 % none of these "
            "claims is false. Four fifths of the 5 % are for the means over all tasks"
            f"{', hence the interval of 96 %' if count == 2 else ''}; the rest is for languages"
            f"{', suites and tasks' if count == 2 else ' and suites'} (Holm 1979, Wiens 2003)."
        )
    notes = uneven_notes({model: tasks.values() for model, tasks in means.by_model.items()})
    after += [f"{note}." for note in (*notes, *unlike_notes(scores.of.values()), *left_out(means.by_model))]
    if native := native_lines(scores):
        after += [*native, *lite_tasks_left_out(scores)]
    parts = [
        *([comparisons_table(means), _differences(scores, apart_alone=True)] if count == 2 else []),
        models_table(means) if count > 1 else languages_table(means) if count else None,
        means_figure(means) if count > 2 else None,
        *(checkpoints.parts(scores) if steps else []),
        None if totals is None else _totals_table(totals),
    ]
    return Section("overview", "Overview", [], parts, lead=answer(means) or "", after=after)


def totals_by_model(runs: Runs, notes: list[str]) -> pd.DataFrame | None:
    """One row per average, language and competency; a column per model, each with its standard error and whether it is complete.

    Uses the default method and suite of `lm-eval-sea score`; all runs of a model count as seeds. A note names models that cannot
    be scored. None if no task of SEA-HELM was run.
    """
    by_model = grouped((runs.labels[task.run.model], task) for task in runs.tasks if place_of(task.facts))
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for model, own in sorted(by_model.items()):
        try:
            totals = compute(gather(own), read_suite("seahelm"), next(iter(METHODS)))
        except (ValueError, KeyError, TypeError) as error:
            notes.append(f"{model}: no totals of SEA-HELM ({error})")
            continue
        for place, node in sorted(totals.nodes.items(), key=lambda item: (item[0] not in (SEA, ALL), item[0])):
            if view_of(place) == "detailed":
                continue
            key = (place.language or place.group, place.competency)
            row = rows.setdefault(key, {"language": key[0], "competency": key[1] or "all"})
            stderr = node.standard_error if round(node.standard_error or 0.0, 9) else None  # not known if all rows score alike
            row |= {model: node.score, f"{model}: error": stderr, f"{model}: incomplete": not node.complete}
    return pd.DataFrame(list(rows.values())) if rows else None


def _totals_table(totals: pd.DataFrame) -> Table:
    models = [name for name in totals.columns if f"{name}: error" in totals.columns]
    shown = [Column("language", "language"), Column("competency", "competency")]
    for model in models:
        shown.append(Column(model, model, "percent", marker=f"{model}: incomplete", shade=model, shows=("model", model)))
        shown.append(Column(f"{model}: error", "error", "decimals", shows=("model", model)))
    note = (
        "As on SEA-HELM's leaderboard, chance and less count as 0, so a model that guesses is above 0. † marks a total that "
        "lacks tasks or languages, or mixes settings; the command “lm-eval-sea score” names them, and says what else to know. "
        "All runs of a model count as seeds, also those that other tables leave out."
    )
    return Table("sea_helm_totals", "SEA-HELM's totals", note, totals, shown)


def scores_section(scores: Scores) -> Section:
    """Every score."""
    text = [
        "The score of a task is its headline metric, in per cent, with a 95 % interval; “chance” is what guessing scores. "
        f"{LIMITED} marks numbers that are not of all rows of the data set (--limit), “few” those of fewer than ten independent "
        "rows. The stronger the colour of a cell, the further above chance."
    ]
    if scores.headline.contradicted.any():
        text.append(f"{CONTRADICTED} marks scores of the results that their logged rows contradict: Provenance has both numbers.")
    foreign = "Tasks that are not of this pack are listed, not scored: their scale and chance level are not known."
    others = scores.tasks[~scores.tasks.of_pack & (scores.tasks.setting != "text")]
    errors = (
        "Rows that share a passage or premise are not independent: the clustered standard error, by the jackknife, counts "
        "them together, the plain one takes all rows for independent. Both in percentage points. Where all rows make one score "
        "together (BLEU, chrF++) the plain error is that of the results, and the clustered one that of the contributions of "
        "passages."
    )
    shown = [
        *(MODEL, TASK, Column("metric", "metric"), SCORE),
        Column("normalised", "normalised", "percent", hint="chance is 0, perfect is 100"),
        *columns("decimals", stderr_plain="error, plain", stderr="error, clustered"),
        *(Column("clusters", "clusters", "count"), ROWS, Column("rows_total", "of", "count")),
    ]
    parts = [
        _wide_scores(scores),
        _differences(scores) if len(scores.means.by_model) == 2 else None,
        _scores_figure(scores),
        Table("other_tasks", "Other tasks", foreign, others, [MODEL, TASK, Column("version", "version"), ROWS]),
        Table("scores", "Scores and standard errors", errors, scores.headline, shown),
    ]
    return Section("scores", "Scores", text, parts)


def means_section(scores: Scores) -> Section:
    """Means of suites and competencies, and every two models."""
    means = scores.means
    suites = (
        "In the mean of SailCompass all competencies have the same weight, and so have the languages within each; in other "
        f"means, {WEIGHINGS[means.weigh]}. Brackets: not all tasks of the suite were run."
    )
    parts = [
        scopes_table(means, "suite", "Means by suite", suites),
        scopes_table(means, "competency", "Means by competency", "Over the tasks that were run; no ranks are made of them."),
        comparisons_table(means) if len(means.by_model) > 2 else None,
    ]
    return Section("means", "Means", [], parts)


def _differences(scores: Scores, *, apart_alone: bool = False) -> Table:
    """Two models on each task, or only on those where they are told apart."""
    rows = []
    for key, found in scores.means.of_tasks.items():
        task, first, second = key
        facts, p_value = scores.of[first, task].facts, scores.means.corrected.get(key)
        row: dict[str, object] = {"task": task, "dataset": facts.data_set, "language": facts.language, "variant": facts.variant}
        row |= {"first": first, "second": second, **asdict(found), "few": found.few, "p_holm": p_value}
        row |= {"apart": p_value is not None and p_value <= LEVEL}
        if row["apart"] or not apart_alone:
            rows.append(row | {"limited": any(scores.of[model, task].limited for model in (first, second))})
    name, title = ("differences_apart", "Tasks that differ") if apart_alone else ("differences", "The two models on each task")
    note = (
        "The first model by name minus the second, in percentage points, on the rows that both were asked. Bold: told "
        "apart, after the correction for all comparisons of this page. “few” means fewer than "
        f"{FEWEST_CLUSTERS} independent rows or passages, fewer than {FEWEST} of a label, or hardly any match of four words for "
        "BLEU: no interval is known."
    )
    compared, (one, other) = {task for task, *_ in scores.means.of_tasks}, scores.means.by_model.values()
    if lacking := [name for name in one if name in other and name not in compared]:
        note += f" Not compared, because rows were not logged or are scored in another way: {some_names(lacking)}."
    head = Column("difference", "difference [95 %]", "points", "", "low", "high", marker="limited", few="few", strong="apart")
    shown = [TASK, *columns("text", metric="metric"), head, *columns("text", test="test")]
    shown += [*columns("p", p_value="p", p_holm="p, corrected"), *columns("count", rows="rows")]
    return Table(name, title, note, pd.DataFrame(rows), shown)


def _wide_scores(scores: Scores) -> Table:
    """One row per task, one column per model; below, if members of the suite were run, those that nobody ran."""
    suite, headline = scores.suite, scores.headline
    rows: dict[str, dict[str, object]] = {}
    if headline.task.isin(suite.members).any():
        for name, (kind, _) in suite.members.items():
            facts = {key: suite.facts[name][key] for key in ("language", "dataset", "variant")}
            rows[name] = {"task": name, "kind": suite.kinds.get(kind, kind), **facts}
    by_task = headline.groupby("task")
    metrics, chances = by_task.metric.unique().map(" or ".join), by_task.chance.unique()
    for row in headline.itertuples():
        entry = rows.setdefault(row.task, {"task": row.task, "language": row.language})
        entry |= {"kind": suite.kinds.get(row.task_kind, row.task_kind), "dataset": row.dataset, "variant": row.variant}
        entry |= {"metric": metrics[row.task], "chance": row.chance if len(chances[row.task]) == 1 else None}
        found = {name: getattr(row, name) for name in ("score", "low", "high", "normalised")}
        found |= {name: bool(getattr(row, name)) for name in ("limited", "few", "contradicted")}
        link = f"samples/{quote(row.task, safe='')}/{quote(row.model, safe='')}"
        found["link"] = link if isinstance(row.samples, str) else None
        entry |= {f"{row.model}: {name}": value for name, value in found.items()}
    frame = pd.DataFrame(sorted(rows.values(), key=lambda entry: "metric" not in entry))  # a stable order
    frame = frame.reindex(columns=list(dict.fromkeys(["task", "kind", "dataset", "language", "variant", *frame.columns])))
    shown = [TASK, LANGUAGE, Column("metric", "metric"), Column("chance", "chance", "percent")]
    parts = {"low": "low", "high": "high", "few": "few", "contradicted": "contradicted", "link": "link"}
    parts |= {"marker": "limited", "shade": "normalised"}
    for model in scores.means.order or scores.models:
        of_model = {part: f"{model}: {name}" for part, name in parts.items()}
        shown.append(Column(f"{model}: score", model, "score", shows=("model", model), **of_model))
    note = "– is a member of the suite that was not run."
    return Table("scores_by_model", "Scores by task and model", note, frame, shown)


def _scores_figure(scores: Scores) -> Figure | None:
    """Scores of the members of the suite, one line each, with intervals and chance."""
    found = scores.headline[scores.headline.task.isin(scores.suite.members)]
    if found.empty:
        return None

    def marks(rows: pd.DataFrame) -> list[Mark]:
        chance = rows.chance.iloc[0]
        return [*([Mark(chance)] if chance else []), *dots(rows, "score", "model", ends=("low", "high"))]

    return Figure.of_chart(
        "overview",
        "Headline scores of the suite with 95 % intervals; the grey bar is chance.",
        Chart([Panel("", scores.suite.lines(found, marks), axis="headline score (%)")], scores.models),
    )
