"""Means of normalised scores over what was run (all of it, a language, a suite, a competency), and models compared by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations

import pandas as pd

from lm_eval_sea.report.chart import Chart, Line, Mark, Panel
from lm_eval_sea.report.section import MODEL, Figure
from lm_eval_sea.report.suite import Suite
from lm_eval_sea.report.tables import LIMITED, Column, Table, columns
from lm_eval_sea.results import comparison
from lm_eval_sea.results.power import LEVEL
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.uncertainty import CONFIDENCE, FEWEST

ALL = "all"
BY_TASK, BY_COMPETENCY = "task", "competency"
WEIGHINGS = {BY_TASK: "every task has the same weight", BY_COMPETENCY: "every competency has the same weight"}
_LEAST_COMMON = 0.5  # of the tasks that either ran; models that share fewer are not ranked against each other
_LEAST_OF_SUITE = 0.5  # of a suite's tasks; the suite has no mean if all models together ran fewer
_TESTED = ("all", "language", "suite")
_FEW = f"“few” means that a task has fewer than {FEWEST} passages, or a label fewer than {FEWEST} rows"

Tasks = Mapping[str, TaskRun]  # by name, with a score


@dataclass(frozen=True)
class Scope:
    """What a mean is taken over."""

    kind: str  # "all", "language", "suite" or "competency"
    name: str
    title: str
    paths: Mapping[str, tuple[str, ...]]  # task → its groups; see `comparison.nested_weights`
    sizes: Mapping[str, int] = field(default_factory=dict)  # likewise

    def of(self, tasks: Tasks) -> comparison.Mean | None:
        """The mean of one model."""
        own = {name: tasks[name] for name in self.paths if name in tasks}
        return comparison.mean_of(own, self.weights(list(own)))

    def weights(self, names: Sequence[str]) -> dict[str, float]:
        """The weights of tasks in a mean over these alone."""
        return comparison.nested_weights({name: self.paths[name] for name in names}, self.sizes)


def scopes(by_model: Mapping[str, Tasks], suite: Suite, weigh: str) -> list[Scope]:
    """All scopes of the tasks that any model was run on; a suite may state its own weights."""
    tasks = {name: task for own in by_model.values() for name, task in own.items()}
    counted = {name: tasks[name] for name in comparison.rows_once(by_model.values())}

    def path(competency: str, name: str) -> tuple[str, ...]:
        return (competency, name) if weigh == BY_COMPETENCY else (name,)

    paths = {name: path(task.facts.task, comparison.plain_name(name, task.facts)) for name, task in counted.items()}
    sizes = comparison.part_sizes(counted)
    made = [Scope(ALL, ALL, "all tasks", paths, sizes)]
    for kind, fact, titles in (("language", "language", suite.languages), ("competency", "task", suite.kinds)):
        values = {name: str(getattr(task.facts, fact)) for name, task in counted.items()}
        for title, value in sorted((titles.get(value, value), value) for value in set(values.values()) - {""}):
            made.append(Scope(kind, value, title, {name: paths[name] for name in counted if values[name] == value}, sizes))
    for name, members in suite.suites.items():
        if sum(member in tasks for member in members) >= _LEAST_OF_SUITE * len(members):
            nested = suite.nested.get(name) or {member: path(suite.facts[member]["task"], member) for member in members}
            made.append(Scope("suite", name, name, nested))
    return made


class Means:
    """The means of all models and their differences; every number is computed once."""

    def __init__(self, by_model: Mapping[str, Tasks], suite: Suite, weigh: str = BY_TASK) -> None:
        self.by_model = by_model
        self.weigh = weigh
        self.scopes = scopes(by_model, suite, weigh)

    @cached_property
    def values(self) -> dict[tuple[str, str, str], comparison.Mean]:
        """(kind, name, model) → mean."""
        return {
            (scope.kind, scope.name, model): mean
            for scope in self.scopes
            for model, tasks in self.by_model.items()
            if (mean := scope.of(tasks)) is not None
        }

    @cached_property
    def order(self) -> list[str]:
        """The models by their mean over all tasks, the highest first; models with fewer tasks come last."""
        most = max((mean.tasks for mean in self.values.values()), default=0)

        def key(model: str) -> tuple[bool, float, str]:
            mean = self.values.get((ALL, ALL, model))
            return (mean is None or mean.tasks < most, -(mean.value if mean else 0.0), model)

        return sorted(self.by_model, key=key)

    @cached_property
    def _tested_scopes(self) -> list[Scope]:
        """The scopes, without those that are the whole run under another name."""
        whole = self.scopes[0]
        return [whole, *(scope for scope in self.scopes[1:] if scope.kind in _TESTED and dict(scope.paths) != dict(whole.paths))]

    @cached_property
    def differences(self) -> dict[tuple[str, str, str, str], comparison.MeanDifference]:
        """(kind, name, first, second) → difference."""
        found = {}
        weights = cache(lambda place, names: self._tested_scopes[place].weights(names))
        for first, second in combinations(sorted(self.by_model), 2):
            common = comparison.pairs(self.by_model[first], self.by_model[second])
            for place, scope in enumerate(self._tested_scopes):
                own = {name: common[name] for name in scope.paths if name in common}
                difference = comparison.difference_of_means(own, weights(place, tuple(own)))
                if difference is not None:
                    found[scope.kind, scope.name, first, second] = difference
        return found

    @cached_property
    def of_tasks(self) -> dict[tuple[str, str, str], comparison.TaskDifference]:
        """(task, first, second) → difference, for two models; with more models, tasks are not compared."""
        if len(self.by_model) != 2:
            return {}
        first, second = sorted(self.by_model)
        one, other = self.by_model[first], self.by_model[second]
        found = {name: comparison.task_difference(one[name], other[name]) for name in one if name in other}
        return {(name, first, second): difference for name, difference in found.items() if difference is not None}

    @cached_property
    def corrected(self) -> dict[tuple[str, ...], float | None]:
        """The p-values of `differences` and `of_tasks`, by their keys, corrected for all claims of the page."""
        main: dict[tuple[str, ...], float | None] = {}
        rest: dict[tuple[str, ...], float | None] = {key: found.p_value for key, found in self.of_tasks.items()}
        for key, found in self.differences.items():
            (main if key[0] == ALL else rest)[key] = found.p_value
        first, others = comparison.corrected_on_page(main, rest)
        return first | others

    def _models(self, scope: Scope) -> list[str]:
        return [model for model in self.by_model if (scope.kind, scope.name, model) in self.values]

    def _comparable(self, scope: Scope) -> list[tuple[str, str]]:
        """The pairs of models with this mean that share enough of the tasks that either was run on.

        Tasks that share the weight of a plain task, such as its other wordings, count as one.
        """
        plain = {name: name for name in scope.paths} | {name: path[-1] for name, path in self.scopes[0].paths.items()}

        def share_enough(first: str, second: str) -> bool:
            asked = {plain[name] for name in scope.paths if name in self.by_model[first] or name in self.by_model[second]}
            found = self.differences.get((scope.kind, scope.name, first, second))
            return found is not None and len({plain[name] for name in found.names}) >= _LEAST_COMMON * len(asked)

        return [pair for pair in combinations(sorted(self._models(scope)), 2) if share_enough(*pair)]

    def compares(self, scope: Scope) -> bool:
        """Whether two of the models with this mean share enough of its tasks; True for a single model."""
        tested = self.scopes[0] if dict(scope.paths) == dict(self.scopes[0].paths) else scope
        return len(self._models(scope)) < 2 or bool(self._comparable(tested))

    @cached_property
    def ranks(self) -> dict[tuple[str, str], dict[str, comparison.RankSet]]:
        """(kind, name) → model → its possible places; none for a single model, or if no two compare."""
        found = {}
        for scope in self._tested_scopes:
            keys = {pair: (scope.kind, scope.name, *pair) for pair in self._comparable(scope)}
            p_values = {pair: self.corrected.get(key) for pair, key in keys.items()}
            apart = {pair: self.differences[keys[pair]].value for pair, p in p_values.items() if p is not None and p <= LEVEL}
            if keys:
                found[scope.kind, scope.name] = comparison.rank_sets(self._models(scope), apart)
        return found


def models_table(means: Means) -> Table:
    """The models by their means over all tasks, with a column per language."""
    scoped = [scope for scope in means.scopes if scope.kind in (ALL, "language")]
    several, ranked = len(means.by_model) > 1, (ALL, ALL) in means.ranks
    note = (
        "The rank shows which places a model can have; a single place means that it is told apart from all others. Two models "
        "that share fewer than half of their tasks are not ranked against each other, nor are models in a circle, each better "
        "than the next on other tasks."
        if ranked
        else "The means do not compare and there are no ranks, because no two models share half of their tasks."
    ) + f" A mean in brackets lacks tasks that other models were run on.{_few_note(means, ALL, 'language')}"
    rows = [{"model": model, "rank": _rank(means, scoped[0], model), **_cells(means, scoped, model)} for model in means.order]
    shown = [MODEL, *([Column("rank", "rank")] if ranked else []), *_columns(scoped)]
    return Table("models", "Models by their means", note if several else "", pd.DataFrame(rows), shown)


def _rank(means: Means, scope: Scope, model: str) -> str | None:
    places = means.ranks.get((scope.kind, scope.name), {}).get(model)
    return places.text if places else None


def means_figure(means: Means) -> Figure:
    """The means over all tasks, a line per model."""
    rows = [(model, mean) for model in means.order if (mean := means.values.get((ALL, ALL, model)))]
    count = len(means.scopes[0].paths)
    lacking = {model: f" ({mean.tasks} of {count} tasks)" for model, mean in rows if mean.tasks < count}
    limited = {model: LIMITED for model, mean in rows if mean.limited}
    labels = {model: model + lacking.get(model, "") + limited.get(model, "") for model, _ in rows}
    caption = "Means over all tasks with 95 % intervals; the grey bar is chance."
    caption += " A model with a number of tasks lacks some, so its mean is over other tasks." if lacking else ""
    caption += f" {LIMITED} marks means over a part of the rows." if limited else ""
    lines = [
        Line(labels[model], [Mark(0.0), Mark(mean.value, mean.low, mean.high, series="mean", keys={"model": model})])
        for model, mean in rows
    ]
    values = [end for _, mean in rows for end in (mean.value, mean.low, mean.high) if end is not None]
    return Figure.of_chart(
        "means",
        caption,
        Chart([Panel("", lines, (min(0.0, *values), 100.0), "mean of normalised scores")], ["mean"], series_are_models=False),
    )


def scopes_table(means: Means, kind: str, title: str, note: str) -> Table:
    """The means of one kind, a column each."""
    scoped = [scope for scope in means.scopes if scope.kind == kind]
    rows: list[dict[str, object]] = [
        {"model": model, **_cells(means, scoped, model)}
        | {f"{scope.title}: rank": _rank(means, scope, model) for scope in scoped}
        for model in means.order
    ]
    note += _few_note(means, kind)
    return Table(f"means_by_{kind}", title, note, pd.DataFrame(rows if scoped else []), [MODEL, *_columns(scoped)])


def _few_note(means: Means, *kinds: str) -> str:
    return f" {_FEW}." if any(mean.few for (kind, *_), mean in means.values.items() if kind in kinds) else ""


def _cells(means: Means, scoped: Sequence[Scope], model: str) -> dict[str, object]:
    cells: dict[str, object] = {}
    for scope in scoped:
        mean = means.values.get((scope.kind, scope.name, model))
        cells[scope.title] = mean.value if mean else None
        cells |= {f"{scope.title}: {end}": getattr(mean, end, None) for end in ("low", "high")}
        cells[f"{scope.title}: tasks"] = f"{mean.tasks if mean else 0} of {len(scope.paths)}"
        cells |= {f"{scope.title}: {sign}": getattr(mean, sign, False) for sign in ("few", "limited")}
    return cells


def _columns(scoped: Sequence[Scope]) -> list[Column]:
    parts = {"low": "low", "high": "high", "members": "tasks", "few": "few", "marker": "limited"}
    return [
        Column(
            *(scope.title, scope.title, "mean"),
            shows=("language", scope.title) if scope.kind == "language" else None,
            **{part: f"{scope.title}: {name}" for part, name in parts.items()},
        )
        for scope in scoped
    ]


def languages_table(means: Means) -> Table:
    """One model: a line per language, with the weakest task."""
    [(model, tasks)] = means.by_model.items()
    rows = []
    for scope in means.scopes:
        mean = means.values.get((scope.kind, scope.name, model))
        if scope.kind not in (ALL, "language") or mean is None:
            continue
        weakest_score, weakest = min((comparison.normalised(tasks[name]) or 0.0, name) for name in scope.paths if name in tasks)
        row = {"language": "all languages" if scope.kind == ALL else scope.name, "mean": mean.value}
        row |= {name: getattr(mean, name) for name in ("low", "high", "few", "limited", "tasks")}
        rows.append({**row, "weakest": weakest, "weakest_score": weakest_score})
    shown = [
        Column("language", "language"),
        Column("mean", "mean [95 %]", "score", low="low", high="high", marker="limited", few="few"),
        Column("tasks", "tasks", "count"),
        Column("weakest", "weakest task"),
        Column("weakest_score", "its score, normalised", "percent"),
    ]
    note = f"{_FEW}: no interval is known." if any(row["few"] for row in rows) else ""
    return Table("languages", "Languages", note, pd.DataFrame(rows), shown)


def comparisons_table(means: Means) -> Table:
    """Every two models on their common tasks: all of them, those of a language, of a suite."""
    scope_of = {(scope.kind, scope.name): scope for scope in means.scopes}
    two = len(means.by_model) == 2
    rows = []
    for key, found in means.differences.items():
        kind, name, first, second = key
        confidence = comparison.MAIN_CONFIDENCE if two and kind == ALL else CONFIDENCE
        p_value, (low, high) = means.corrected.get(key), found.interval(confidence)
        scope = scope_of[kind, name]
        row: dict[str, object] = {"over": scope.title, "language": name if kind == "language" else None}
        row |= {"first": first, "second": second, "tasks": found.tasks, "of": len(scope.paths), "rows": found.rows}
        row |= {"mean_first": found.first, "mean_second": found.second, "difference": found.value}
        row |= {"stderr": found.spread.stderr, "confidence": 100 * confidence, "low": low, "high": high}
        row |= {"p_value": found.p_value, "p_holm": p_value, "few": found.spread.few, "limited": found.limited}
        rows.append({**row, "apart": p_value is not None and p_value <= LEVEL})
    first, second = sorted(means.by_model) if two else ("first", "second")
    head = "difference [95\u00a0%; all\u00a0tasks\u00a096\u00a0%]" if two else "difference [95 %]"
    note = (
        "The first model minus the second, in points of normalised scores, over the tasks and rows that both were asked: paired "
        "by row where rows were logged, else with the reported errors. Bold: told apart. p-values are corrected "
        f"for all comparisons of this page, intervals {'except that of all tasks ' if two else ''}are not: one without 0 "
        f"need not be bold.{f' {_FEW}.' if any(row['few'] for row in rows) else ''}"
    )
    shown = [
        Column("over", "over"),
        *([] if two else columns("text", first="first", second="second")),
        Column("difference", head, "points", low="low", high="high", marker="limited", few="few", strong="apart"),
        Column("p_holm", "p, corrected", "p"),
        *columns("count", tasks="common tasks", of="of", rows="common rows"),
        *columns("percent", marker="limited", mean_first=f"mean of {first}", mean_second=f"mean of {second}"),
    ]
    return Table("comparisons", "Two models on their common tasks", note, pd.DataFrame(rows), shown)


def answer(means: Means) -> str | None:
    """The comparison of two models in a sentence; None if there are not two."""
    if len(means.by_model) != 2:
        return None
    first, second = sorted(means.by_model)
    return comparison.sentence(first, second, means.differences.get((ALL, ALL, first, second)), len(means.scopes[0].paths))
