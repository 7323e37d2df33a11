"""What the form of the answer does to scores: options ranked, a letter written, an answer read, an answer constrained.

The questions are the same, but the form changes the score. So scores in different forms must not be compared between models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from lm_eval_sea.report.chart import Chart, Line, Panel, dots
from lm_eval_sea.report.robustness import prompt_label, setting_column
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import DATA_SET, LANGUAGE, MODEL, PROMPT, ROWS, Figure, Section
from lm_eval_sea.report.tables import Column, Table, columns, mean_and_ends, with_interval
from lm_eval_sea.results.comparison import common_places
from lm_eval_sea.results.power import LEVEL
from lm_eval_sea.results.rows import Rows
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.uncertainty import calibrated_error, estimate, holm, paired_difference

READ, CONSTRAINED = "read", "constrained"
_NAMES = {"chat": READ, "choice": CONSTRAINED, "classification": "labels ranked"}  # other variants keep theirs
_LETTER_RANKED, _LETTER_WRITTEN = "litilo_ppl", "litilo_gen"  # after the same prompt
_WITH_TEMPLATE = ", chat template"
_ABOUT = ["model", "dataset", "language", "prompt_language", "setting"]


def same_questions(tasks: Sequence[TaskRun]) -> list[tuple[tuple[str, ...], dict[str, TaskRun]]]:
    """Tasks of one model that ask for a choice on the same rows: what they share, and at least two tasks by form.

    The name of a ranked form has its variant, and whether it is ranked after a chat template.
    """
    found: dict[tuple[str, ...], dict[str, TaskRun]] = {}
    for task in tasks:
        facts = task.facts
        if task.logged is not None and any(gold is not None for gold in task.logged.golds):
            setting = "" if facts.setting == facts.variant else facts.setting  # unless it only repeats the form
            form = _NAMES.get(facts.variant, facts.variant)
            form += _WITH_TEMPLATE if form not in (READ, CONSTRAINED) and task.run.settings.chat_template else ""
            rows = f"{facts.data_set} {facts.sea_helm_task}".rstrip()  # SEA-HELM is one data set with many tasks in a language
            found.setdefault((rows, facts.language, facts.prompt_language, setting), {})[form] = task
    return [(about, forms) for about, forms in found.items() if len(forms) > 1]


def pairs_of(forms: Mapping[str, TaskRun]) -> list[tuple[str, str]]:
    """The pairs of forms to compare.

    These are each form with a read or constrained answer; the ranked letter with the written letter and with the other ranked
    forms, which a base model has; and each ranked form with itself after the chat template.
    """
    order = sorted(forms, key=lambda form: (form == CONSTRAINED, form == READ, form.startswith(_LETTER_WRITTEN), form))
    return [
        (first, second)
        for first, second in combinations(order, 2)
        if second in (READ, CONSTRAINED, first + _WITH_TEMPLATE)
        or (first.startswith(_LETTER_RANKED) and first.endswith(_WITH_TEMPLATE) == second.endswith(_WITH_TEMPLATE))
    ]


def _compared(first: Rows, second: Rows) -> dict[str, Any] | None:
    """Two forms on the rows that both were asked, in per cent, with intervals by cluster; None without a common row.

    `agreement` is the share of rows with the same choice; an answer without a choice agrees with none. `gained` are rows that are
    right only in the second form, `lost` those right only in the first, `unread` those without a choice in the second.
    """
    sides = list(zip((first, second), common_places(first, second), strict=True))
    clusters = [first.clusters[place] for place in sides[0][1]]
    if not clusters:
        return None
    statistics, choices = zip(*(rows.at(places) for rows, places in sides), strict=True)
    moved = [np.zeros(len(clusters)) if of is None or of.moved is None else of.moved for of in statistics]  # by calibration
    before, after = (
        [float(choice == rows.golds[place]) for choice, place in zip(own, places, strict=True)]
        for own, (rows, places) in zip(choices, sides, strict=True)
    )
    changes = [b - a for a, b in zip(before, after, strict=True)]
    agree = [float(a is not None and a == b) for a, b in zip(*choices, strict=True)]
    row: dict[str, Any] = {"rows": len(clusters)}
    for name, scores, by in (("first_score", before, moved[0]), ("second_score", after, moved[1]), ("agreement", agree, None)):
        row |= mean_and_ends(name, estimate(scores, clusters, calibrated_error(scores, by, clusters)), 100)
    difference = paired_difference(after, before, clusters, calibrated_error(changes, moved[1] - moved[0], clusters))
    counts = {"gained": changes.count(1), "lost": changes.count(-1), "unread": choices[1].count(None)}
    row |= {name: 100 * (count / len(clusters)) for name, count in counts.items()}
    return row | mean_and_ends("difference", difference, 100) | {"p": difference.p_value}


def forms_table(scores: Scores) -> pd.DataFrame:
    """One row per model, data set, language, prompt language and pair of forms, in per cent; `p` is corrected for all (Holm)."""
    rows: list[dict[str, Any]] = []
    for model in scores.models:
        tasks = [task for (name, _), task in scores.of.items() if name == model]
        for about, forms in same_questions([*scores.beside.get(model, ()), *tasks]):
            for pair in pairs_of(forms):
                one, other = (forms[form] for form in pair)
                if one.logged and other.logged and (found := _compared(one.logged, other.logged)):
                    named = dict(zip([*_ABOUT, "first", "second"], [model, *about, *pair], strict=True))
                    shots = ["–" if of.num_fewshot is None else str(of.num_fewshot) for of in (one, other)]
                    named["exemplars"] = " and ".join(dict.fromkeys(shots))
                    rows.append({**named, "rows": 0, "limited": one.limited or other.limited, **found})
    table = pd.DataFrame(rows)
    if rows:
        table["p"] = pd.Series(holm(table.p.to_dict()), dtype="float64")
        table["tells"] = table.p <= LEVEL
    return table


def forms_section(scores: Scores) -> Section:
    """The table, and one panel per model."""
    frame = forms_table(scores)
    shown = [
        *(MODEL, DATA_SET, LANGUAGE, PROMPT),
        *(setting_column(frame) if len(frame) else []),
        *columns("text", first="first form", second="second form", exemplars="exemplars"),
        with_interval("first_score", "first [95 %]", "score", marker="limited"),
        with_interval("second_score", "second [95 %]", "score"),
        with_interval("agreement", "same choice", "score"),
        *columns("percent", gained="gained", lost="lost"),
        Column("unread", "no answer", "percent", hint="in the second form"),
        with_interval("difference", "second − first", "points", strong="tells"),
        Column("p", "p", "p"),
        ROWS,
    ]
    text = [
        "The same rows, answered in several forms by the same model: options ranked (named by the variant; after the chat "
        "template where it says so), a letter written (litilo_gen), the answer read from what the model writes, or one of "
        "the options by the engine's constraint. Gained are rows that are right only in the second form, lost those right "
        "only in the first. Of two numbers of exemplars the first is the first form's; they affect the difference, too.",
        "Compare two models in one form only: a ranked score of a base model against a read score of a chat model compares "
        "the forms as much as the models. p is that of the paired test by passage, corrected for all lines of this table "
        "(Holm).",
        *scores.of_last_seed(),
    ]
    note = "Bold: a difference that survives the correction."
    table = Table("forms", "Two forms on the same rows", note, frame, shown)
    return Section("forms", "Forms of the answer", text, [_figure(frame, scores), table])


def _figure(table: pd.DataFrame, scores: Scores) -> Figure | None:
    """A panel per model: accuracy in each form, a line per data set and language; only the pairs of forms on the most rows."""
    if table.empty:
        return None
    table = table[table.rows == table.groupby(_ABOUT).rows.transform("max")]
    ends = ["score", "score_low", "score_high"]
    sides = [table[[*_ABOUT, side, *(f"{side}_{end}" for end in ends)]] for side in ("first", "second")]
    shown = pd.concat([side.set_axis([*_ABOUT, "form", *ends], axis=1) for side in sides]).drop_duplicates([*_ABOUT, "form"])
    panels = []
    for model, of_model in shown.groupby("model", sort=False):
        lines = []
        for (dataset, language, prompt, setting), group in of_model.groupby(_ABOUT[1:], sort=False):
            label = scores.suite.title_of(dataset, language) + prompt_label(prompt == "en" != language, setting)
            marks = dots(group, "score", "dataset", "language", series="form", ends=("score_low", "score_high"))
            lines.append(Line(label, marks, {"dataset": dataset, "language": language}))
        panels.append(Panel(str(model), lines, axis="accuracy", keys={"model": str(model)}))
    return Figure.of_chart(
        "forms",
        "Accuracy on the same rows by form of the answer, with 95 % intervals; forms that were run on fewer rows are left out.",
        Chart(panels, list(dict.fromkeys(shown.form)), series_are_models=False),
    )
