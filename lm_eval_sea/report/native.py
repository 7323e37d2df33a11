"""Scores on rows that were written in a language, and on rows that were translated into it."""

from __future__ import annotations

import pandas as pd

from lm_eval_sea.catalogue.names import lite_name
from lm_eval_sea.report.scores import Scores
from lm_eval_sea.report.section import LANGUAGE, MODEL, Section
from lm_eval_sea.report.tables import Column, Table, number, with_interval, written
from lm_eval_sea.results.comparison import mean_of, nested_weights
from lm_eval_sea.results.visible_text import some_names

_MOST_MODELS = 2  # with a line per language in the overview


def native_table(scores: Scores) -> pd.DataFrame:
    """One row per model and language with both kinds: means of normalised scores, and their numbers of tasks.

    All data sets weigh the same; a chat task shares the weight of the ranked one on the same rows. Only tasks whose answers are
    chosen count: they have a chance level, so their scores are on one scale. English is left out, because its rows are the source
    of the translations.
    """
    rows, origins = [], scores.suite.origins
    for model, tasks in sorted(scores.by_model.items()):
        chosen = {name: task for name, task in tasks.items() if name in origins and task.facts.chance > 0}
        for language in sorted({task.facts.language for task in chosen.values()} - {"en"}):
            own = {name: task for name, task in chosen.items() if task.facts.language == language}
            native = {name: task for name, task in own.items() if origins[name] == "native"}
            translated = {name: task for name, task in own.items() if name not in native}
            if not native or not translated:
                continue
            pools = ({name: (task.facts.pool,) for name, task in kind.items()} for kind in (native, translated))
            weights = {name: weight for paths in pools for name, weight in nested_weights(paths).items()}
            signed = {name: weights[name] if name in native else -weights[name] for name in own}
            means = {"native": (native, weights), "translated": (translated, weights), "difference": (own, signed)}
            row: dict[str, object] = {"model": model, "language": language}
            for name, of in means.items():
                if mean := mean_of(*of):
                    row |= {name: mean.value, f"{name}_low": mean.low, f"{name}_high": mean.high}
            row |= {"native_tasks": len(native), "translated_tasks": len(translated)}
            rows.append(row | {"limited": any(task.limited for task in own.values())})
    ends = [f"{name}_{end}" for name in ("native", "translated", "difference") for end in ("low", "high")]
    columns = ["model", "language", "native", "native_tasks", "translated", "translated_tasks", "difference", "limited", *ends]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(ends, "float64"))


def lite_tasks_left_out(scores: Scores) -> list[str]:
    """A sentence on models whose lite tasks do not count, because others were run on the whole ones; none without such models."""
    left, origins = dict[str, list[str]](), scores.suite.origins
    for model, tasks in sorted(scores.by_model.items()):
        for name, task in tasks.items():
            whole = name.removesuffix(lite_name(""))
            if task.facts.chance > 0 and name not in origins and whole in origins and whole not in tasks:
                left.setdefault(model, []).append(name)
    named = "; ".join(f"{model} ({some_names(names)})" for model, names in left.items())
    where = "In the means over native and over translated rows, lite tasks do not count if any model was run on the whole ones"
    return [f"{where}, so these are left out: {named}."] if left else []


def native_section(scores: Scores) -> Section:
    """The table, and what it does not show."""
    shown = [
        *(MODEL, LANGUAGE),
        with_interval("native", "native [95 %]", "score", marker="limited"),
        Column("native_tasks", "tasks", "count"),
        with_interval("translated", "translated [95 %]", "score", marker="limited"),
        Column("translated_tasks", "tasks", "count"),
        with_interval("difference", "native − translated [95 %]", "points", marker="limited"),
    ]
    note = (
        "Each mean is followed by its number of tasks; docs/coverage.md has the origin of each data set. The intervals "
        "are about other rows of the same tasks, not about other tasks."
    )
    text = [
        "Means of normalised scores (chance is 0, perfect is 100) over the tasks of a language whose answers are chosen, on "
        "rows that were written in the language and on rows that were translated into it. If a model ranks better on "
        "translated rows than on native ones, the reason may be what translations carry over from English, such as subjects "
        "and ways of speaking. A chat task shares the weight of the ranked one on the same rows.",
        "The two means are of different tasks, so their difference does not measure translation: it depends on how hard the "
        "tasks are, and that of one model alone says nothing. Compare models on the same tasks, not languages.",
        *lite_tasks_left_out(scores),
    ]
    title = "Native and translated rows"
    return Section("native", title, text, [Table("native", title, note, native_table(scores), shown)])


def native_lines(scores: Scores) -> list[str]:
    """A line per model and language of `native_table`; for more than two models, one line with the range."""
    table, languages = native_table(scores), scores.suite.languages
    few = table.model.nunique() <= _MOST_MODELS
    shown = table if few else table.loc[[table.difference.idxmin(), table.difference.idxmax()]]
    interval, said = with_interval("difference", "", "points"), []
    for row in shown.to_dict("records"):
        where = f"{row['model']} in {languages.get(row['language'], row['language'])}"
        own, translated, difference = number("score", row["native"]), number("score", row["translated"]), written(interval, row)
        line = (
            f"{where}: {own} on rows written in the language, {translated} on translated ones; {difference}, of different tasks."
        )
        said.append(line if few else f"{difference} ({where})")
    if few:
        return said
    return [f"Native minus translated rows, of different tasks: from {said[0]} to {said[1]}; see Native and translated rows."]
