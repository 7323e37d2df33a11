"""All runs that were read, and the choice among them: which of several runs of a task counts, or the mean over them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from statistics import fmean

from lm_eval_sea.results.differing_settings import made_differently
from lm_eval_sea.results.model_names import distinct, short_names
from lm_eval_sea.results.row_statistics import scale_of
from lm_eval_sea.results.rows import parse, pooled
from lm_eval_sea.results.runs import GroupRun, Run, TaskRun
from lm_eval_sea.results.types import Score, grouped, list_of
from lm_eval_sea.results.visible_text import counted, some_names
from lm_eval_sea.tasks._shared.facts import SEA_HELM


@dataclass(frozen=True)
class Runs:
    """Runs by model and date. What `read` returns has all of them; `best`, `apart` and `by_seed` say which count.

    For all three, copies of a results file count once, and so do answers that were read again.
    """

    runs: Sequence[Run]
    tasks: Sequence[TaskRun]
    groups: Sequence[GroupRun]
    notes: list[str]  # what is incomplete, unreadable or superseded
    beside: Sequence[TaskRun] = ()  # left out by `best`: with a chat template where the kept run has none, or the reverse

    def best(self) -> Runs:
        """Keeps of each model and task the newest run with the most rows; runs that differ only in the seed become their mean."""
        once = self._once()
        kept = _best_tasks(once.tasks, once.notes)
        beaten = {task.run for task in once.tasks} - {task.run for task in kept}
        runs = [run for run in once.runs if run not in beaten]
        chosen = once._chosen(runs, kept)
        groups = _best_groups(chosen.groups, kept, once.groups)
        return replace(chosen, groups=groups, beside=_with_other_template(once.tasks, kept))

    def by_seed(self) -> Runs:
        """Keeps of each model and task the runs with the most rows, which are draws of the same score.

        A run that was repeated because of failed requests counts once.
        """
        once = self._once()
        best = _best_of(once.tasks)
        pairs = [(task, best[task.run.model, task.name]) for task in once.tasks]
        fewer = grouped(((one.run, other.run), (one, other)) for one, other in pairs if _rank(one)[0] < _rank(other)[0])
        once.notes.extend(_left_out_note(run, kept, of_run, is_newer=False) for (run, kept), of_run in fewer.items())
        kept = _asked_last([task for task, most in pairs if _rank(task)[0] == _rank(most)[0]], once.notes)
        once.notes.extend(_same_texts_notes(grouped(((task.run.model, task.name), task) for task in kept).values()))
        gone = {task.run for task in once.tasks} - {task.run for task in kept}
        return once._chosen([run for run in once.runs if run not in gone], kept)

    def apart(self) -> Runs:
        """All runs as separate models: a model with several runs gets the date of each in its name."""
        once = self._once()
        several = {model for model, count in Counter(run.model for run in once.runs).items() if count > 1}
        dates = {run: f" ({run.date.isoformat(sep=' ', timespec='seconds')})" for run in once.runs if run.model in several}
        names = distinct(run.model + dates.get(run, "") for run in once.runs)
        named = zip(once.runs, names, strict=True)
        renamed = once._with({run: replace(run, model=name, own_model=run.model) for run, name in named})
        return renamed._chosen(renamed.runs, renamed.tasks)

    def told_apart(self) -> Runs:
        """Runs of one name as separate models if a sweep's plan names them differently, or if their weights differ.

        Weights differ in two people's "./model". Runs to which the user gave one name are of one model.
        """
        told = {(run, what): text for run in self.runs for what, text in _told_apart_by(run).items() if text}
        count = Counter((model, what) for model, what, _ in {(run.model, what, text) for (run, what), text in told.items()})
        apart = grouped((run, text) for (run, what), text in told.items() if count[run.model, what] > 1)
        own = {run: ", ".join(texts) for run, texts in apart.items() if run.model == run.recorded}
        return self._with({run: replace(run, model=f"{run.model} ({text})", own_model=run.model) for run, text in own.items()})

    def _with(self, others: Mapping[Run, Run]) -> Runs:
        """A copy with some runs replaced by others."""
        runs = [others.get(run, run) for run in self.runs]
        tasks = [replace(task, run=others.get(task.run, task.run)) for task in self.tasks]
        groups = [replace(group, run=others.get(group.run, group.run)) for group in self.groups]
        return replace(self, runs=runs, tasks=tasks, groups=groups)

    def _once(self) -> Runs:
        """Without copies and older readings. Of copies the one with the larger samples stays, as a file may be cut off."""
        logged: Counter[Run] = Counter()
        for task in self.tasks:
            logged[task.run] += task.samples.stat().st_size if isinstance(task.samples, Path) else 0
        kept: list[Run] = []
        gone: set[Run] = set()
        notes = list(self.notes)
        for run in sorted(self.runs, key=lambda run: -logged[run]):
            same = next((other for other in kept if _is_copy(run, other)), None)
            if same is None:
                kept.append(run)
            else:
                gone.add(run)
                notes.append(f"{run.model}: {run.place} left out, because it is a copy of {same.place}")
        tasks = _read_last([task for task in self.tasks if task.run not in gone], notes)
        gone |= {task.run for task in self.tasks} - {task.run for task in tasks}
        runs = [run for run in self.runs if run not in gone]
        return Runs(runs, tasks, [group for group in self.groups if group.run not in gone], notes)

    def _chosen(self, runs: Sequence[Run], tasks: Sequence[TaskRun]) -> Runs:
        """Keeps these runs and tasks; adds notes on missing samples."""
        for run in runs:
            if without := [task.name for task in tasks if task.run is run and task.samples is None]:
                of = counted(len(without), "task")
                self.notes.append(f"{run.place}: no samples of {of} ({some_names(without)}); --log_samples writes them")
        kept = set(runs)
        return Runs(runs, tasks, [group for group in self.groups if group.run in kept], self.notes)

    def of_run(self, run: Run) -> list[TaskRun]:
        """The tasks of a run."""
        return [task for task in self.tasks if task.run is run]

    @cached_property
    def labels(self) -> dict[str, str]:
        """Short names of the models; see `short_names`."""
        own = {run.model: run.own_model or run.model for run in self.runs}
        short = short_names(set(own.values()))
        return {model: short[own[model]] + model.removeprefix(own[model]) for model in sorted(own)}


def _told_apart_by(run: Run) -> dict[str, str]:
    return {"plan": run.planned, "weights": f"weights {run.settings.weights[:8]}" if run.settings.weights else ""}


def _is_copy(run: Run, other: Run) -> bool:
    """Whether two results files have the same content; if it has a date, the dates in the file names may differ."""
    if run.place is None or other.place is None or not (run.has_results and other.has_results):
        return False
    if run.model != other.model or run.started != other.started or (run.started is None and run.date != other.date):
        return False
    return bool(parse(run.place.read_bytes()) == parse(other.place.read_bytes()))  # blanks and line ends may differ


def _read_last(tasks: Sequence[TaskRun], notes: list[str]) -> list[TaskRun]:
    """Keeps the last reading of answers that were read again; every reading has the start time of the model's run."""
    older: list[tuple[TaskRun, TaskRun]] = []
    for (_, started, _), found in grouped(((task.run.model, task.run.started, task.name), task) for task in tasks).items():
        if started is not None and len(found) > 1 and any(task.run.is_reread for task in found):
            last = max(found, key=lambda task: (task.run.is_reread, task.run.date))
            older += [(task, last) for task in found if task is not last]
    return _without(older, tasks, notes, "because the answers were read again ({})")


def _asked_last(tasks: Sequence[TaskRun], notes: list[str]) -> list[TaskRun]:
    """Leaves out tasks with failed requests if the same command was run again: it repeated only these requests."""
    failed = {task.run for task in tasks if "failure_rate" in task.scores and task.scores["failure_rate"].value > 0}
    older: list[tuple[TaskRun, TaskRun]] = []
    for (*_, seed), found in grouped(((task.run.model, task.name, task.run.seed), task) for task in tasks).items():
        last = max(found, key=_rank)  # not a trial run of fewer rows
        again = [task for task in found if seed is not None and task.run in failed and task is not last]
        older += [(task, last) for task in again if not made_differently([task], [last])]
    return _without(older, tasks, notes, "because the run of {} asked its failed requests again")


def _without(older: Sequence[tuple[TaskRun, TaskRun]], tasks: Iterable[TaskRun], notes: list[str], why: str) -> list[TaskRun]:
    """The tasks without the older of each pair; notes say why, with the date of the newer one."""
    gone = {id(task) for task, _ in older}
    for (run, last_run), of_run in grouped(((task.run, last.run), task) for task, last in older).items():
        names = some_names([task.name for task in of_run])
        notes.append(f"{run.model}: {names} of {run.date} left out, {why.format(last_run.date)}")
    return [task for task in tasks if id(task) not in gone]


def _best_tasks(tasks: Sequence[TaskRun], notes: list[str]) -> list[TaskRun]:
    """The tasks of `Runs.best`; notes say what is left out and why, and how the runs differ."""
    best = _best_of(tasks)
    beaten = [(task, winner) for task in tasks if (winner := best[task.run.model, task.name]) is not task]
    superseded = grouped(((task.run, winner.run, _rank(winner)[0] <= _rank(task)[0]), (task, winner)) for task, winner in beaten)
    seeds: dict[Run, list[TaskRun]] = {}  # kept run → tasks of runs that differ from it only in the seed
    for (run, kept, is_newer), pairs in superseded.items():
        left_out = [task for task, _ in pairs]
        differing = made_differently(left_out, [winner for _, winner in pairs])
        if is_newer and not differing and None not in (run.seed, kept.seed) and run.seed != kept.seed:
            seeds.setdefault(kept, []).extend(left_out)
        else:
            made = f"; made differently ({'; '.join(differing)})" if differing else ""
            if run.model.startswith(("./", "../")) and None in (run.settings.weights, kept.settings.weights):
                made += f"; {run.model} may be a different folder for each"
            notes.append(_left_out_note(run, kept, pairs, is_newer=is_newer) + made)
    means: dict[tuple[str, str], TaskRun] = {}  # by model and name, as `best`
    for run, of_seeds in seeds.items():
        by_name = grouped((task.name, task) for task in of_seeds)
        found = {name: _over_seeds([*others, best[run.model, name]]) for name, others in by_name.items()}
        means |= {(run.model, name): mean for name, mean in found.items() if mean is not None}
        notes += _same_texts_notes(mean.draws for mean in found.values() if mean is not None)
        for is_mean in (True, False):
            of_kind = [task for task in of_seeds if (found[task.name] is not None) == is_mean]
            notes += [_seeds_note(run, of_kind, is_mean=is_mean)] if of_kind else []
    return [means.get(key, task) for task in tasks if best[key := (task.run.model, task.name)] is task]


def _best_of(tasks: Iterable[TaskRun]) -> dict[tuple[str, str], TaskRun]:
    """(model, name) → the run that counts; the last of equal rank."""
    return {(task.run.model, task.name): task for task in sorted(tasks, key=_rank)}


def _left_out_note(run: Run, kept: Run, pairs: Sequence[tuple[TaskRun, TaskRun]], *, is_newer: bool) -> str:
    counts = {(winner.rows, "an unknown number" if task.rows is None else task.rows) for task, winner in pairs}
    why = "has more of the rows" + (" ({} instead of {})".format(*counts.pop()) if len(counts) == 1 else "")
    if is_newer:  # the dates in the files' names, which the note gives, may be the other way round
        by_results = " by the date in the results (those here are local times of the file names)"
        why = f"is newer{by_results if run.date > kept.date else ''}"
    names = ", ".join(task.name for task, _ in pairs)
    return f"{run.model}: {names} of {run.date} left out, because the run of {kept.date} {why}"


def _over_seeds(tasks: Sequence[TaskRun]) -> TaskRun | None:
    """The last run of a task with the mean over its runs, one per seed; None if a run lacks rows that make its score."""
    draws = list({task.run.seed: task for task in tasks}.values())
    rows = pooled([draw.telling_rows for draw in draws])
    if rows is None or rows.statistics is None:
        return None
    metric = draws[-1].facts.headline_metric
    headline = Score(rows.statistics.of_all_rows * scale_of(metric), None)
    return replace(draws[-1], scores=_mean_scores([draw.scores for draw in draws]) | {metric: headline}, draws=draws)


def _mean_scores(draws: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """The mean over the draws, without a standard error, of each metric that all draws have."""
    common = [name for name in draws[-1] if all(name in scores for scores in draws)]
    return {name: Score(fmean(scores[name].value for scores in draws), None) for name in common}


def _best_groups(groups: Iterable[GroupRun], kept: Iterable[TaskRun], of_all: Iterable[GroupRun]) -> list[GroupRun]:
    """The groups of kept runs. A group of tasks that are means over seeds is one, too; it is left out if their seeds differ."""
    seeds = {(task.run, task.name): [draw.run for draw in task.draws] for task in kept}
    known = {(group.run, group.name): group for group in of_all}
    found = []
    for group in groups:
        runs = [seeds.get((group.run, name), []) for name in group.tasks]
        if not any(runs):
            found.append(group)
        elif all(of_task == runs[0] for of_task in runs):
            draws = [known.get((run, group.name)) for run in runs[0]]
            scores = [draw.scores for draw in draws if draw is not None and set(draw.tasks) == set(group.tasks)]
            found += [replace(group, scores=_mean_scores(scores))] if len(scores) == len(draws) else []
    return found


def _seeds_note(kept: Run, left_out: Sequence[TaskRun], *, is_mean: bool) -> str:
    names = some_names(list(dict.fromkeys(task.name for task in left_out)))
    runs = (kept, *(task.run for task in left_out))
    seeds = some_names(list(map(str, sorted({run.seed for run in runs if run.seed is not None}))))
    if is_mean:
        return f"{kept.model}: {names}: the mean over the seeds {seeds}; its interval is over rows and draws"
    is_averaged = any(task.facts.suite == SEA_HELM for task in left_out)
    averaged = "; `lm-eval-sea score` has the mean over the seeds of SEA-HELM's tasks" if is_averaged else ""
    return (
        f"{kept.model}: {names}: runs differ only in the seed ({seeds}); seed {kept.seed} is shown, not the mean over them, "
        f"which needs the same rows in all (--log_samples); `lm-eval-sea report --all-runs` shows each{averaged}"
    )


def _same_texts_notes(tasks: Iterable[Sequence[TaskRun]]) -> list[str]:
    """Notes on tasks, each in several runs that differ in the seed, whose answers are the same texts in all."""
    same = grouped((draws[-1].run.model, draws[-1].name) for draws in tasks if len(draws) > 1 and _texts_are_same(draws))
    why = "all seeds gave the same texts; were they sampled, and does the server use the seed?"
    return [f"{model}: {some_names(names)}: {why}" for model, names in same.items()]


def _texts_are_same(draws: Sequence[TaskRun]) -> bool:
    """Whether the runs gave the same texts, row by row. Log-likelihoods, which no seed changes, are no texts."""
    found = False
    for rows in zip(*(draw.texts() for draw in draws), strict=False):
        [first, *others] = [list_of(row.get("resps")) for row in rows]
        texts = [text for of_request in first for text in list_of(of_request)]
        found = bool(texts) and all(isinstance(text, str) for text in texts) and all(other == first for other in others)
        if not found:
            return False
    return found


def _with_other_template(tasks: Iterable[TaskRun], kept: Iterable[TaskRun]) -> list[TaskRun]:
    """The runs with a chat template where the kept one has none, or the reverse, on as many rows; of several the newest."""
    best = _best_of(kept)

    def is_other(task: TaskRun) -> bool:
        winner = best[task.run.model, task.name]
        return bool(task.run.settings.chat_template) != bool(winner.run.settings.chat_template) and task.rows == winner.rows

    return list(_best_of(filter(is_other, tasks)).values())


def _rank(task: TaskRun) -> tuple[float, float, datetime]:
    """Runs of all rows rank equal, because another version of the data set may have fewer rows."""
    is_whole = task.rows is not None and task.expected is not None and not task.limited
    return math.inf if is_whole else task.rows or 0, task.run.seconds, task.run.date
