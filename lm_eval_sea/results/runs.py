"""Runs of lm-eval, typed: what `read` finds, the choice among them, and the scores of their tasks."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.results.facts import DIGEST_LENGTH, Facts
from lm_eval_sea.results.row_statistics import of_one_more, scale_of
from lm_eval_sea.results.rows import Rows, Samples, parse, read_lines, read_rows
from lm_eval_sea.results.score import TaskScore, task_score
from lm_eval_sea.results.seeds import mean_scores, pooled
from lm_eval_sea.results.settings import NOT_RECORDED, Settings
from lm_eval_sea.results.strata import Origin, Stratum, reported_stratum, strata_of
from lm_eval_sea.results.types import Score, mapping_of
from lm_eval_sea.results.visible_text import one_line, some_names
from lm_eval_sea.tasks._shared.facts import CHAT, SEA_HELM

OF_THOUGHTS = ("doc.state", "doc.finish_reason", "doc.tokens")


@dataclass(frozen=True)
class Run:
    """One call of lm-eval."""

    model: str
    date: datetime  # in the name of the file: local time of the machine that wrote it
    place: Path | None  # the results file; where only samples were found, their folder; None: in memory
    settings: Settings
    seed: int | None = None
    batch_size: Any = None
    has_results: bool = True
    started: float | None = None  # seconds since 1970, as the results say
    own_model: str | None = None  # the model, where `Runs.apart` put more into its name
    recorded: str | None = None  # the model, as the results call it
    multiturn: bool | None = None  # whether a chat template got exemplars as turns of their own
    is_reread: bool = False  # whether these are logged answers that `score --reread` has read again


@dataclass(frozen=True)
class TaskRun:
    """One task of one run; what only the results file knows is empty or None without it."""

    run: Run
    name: str
    version: str | None
    facts: Facts
    config: Mapping[str, Any]  # of lm-eval
    scores: Mapping[str, Score]  # by metric; "name,filter" for another filter than lm-eval's "none"
    num_fewshot: int | None
    rows: int | None  # evaluated, as the results say
    rows_total: int | None  # of the data set, as the run saw it
    cut_prompts: float | None = None  # the share of the rows whose prompts did not fit the model's window
    cut_documents: float | None = None  # likewise, whose documents were cut at their end, so that the prompts fit
    samples: Samples | None = field(default=None, repr=False)  # None: the rows were not logged
    notes: list[str] = field(default_factory=list)  # on what is odd; grows as rows are read
    draws: Sequence[TaskRun] = ()  # the runs of several seeds that this one is the mean of; see `_over_seeds`

    @property
    def expected(self) -> int | None:
        """How many rows the data set has."""
        return self.facts.rows or self.rows_total

    @property
    def evaluated(self) -> int | None:
        """How many rows were evaluated; reads them where the results do not say."""
        return self.rows if self.rows is not None else len(self.logged.keys) if self.logged is not None else None

    @property
    def limited(self) -> bool:
        """Whether the score is not of all rows of the data set."""
        return self.evaluated is not None and self.expected is not None and self.evaluated < self.expected

    @property
    def is_chat(self) -> bool:
        """Whether it is a chat task, whose answers are read by the pack's own rules."""
        return self.facts.variant in CHAT

    @property
    def takes_thoughts_apart(self) -> bool:
        """Whether its rows say how each answer ended: those of chat tasks, and of SEA-HELM's generated ones since 0.3."""
        return "cut_rate" in self.scores

    def texts(self, places: Collection[int] | None = None) -> Iterator[Mapping[str, Any]]:
        """Rows as lm-eval logged them, one after the other; all, or those at some places (column `place` of the frame)."""
        return (row for _, row in read_lines(self.samples, self.notes, places)) if self.samples is not None else iter(())

    @cached_property
    def logged(self) -> Rows | None:
        """The rows, as the headline metric scores them; None for other packs and where none were logged.

        Those of tasks that take thoughts apart have the columns `OF_THOUGHTS`.
        """
        if self.draws:
            return pooled([draw.logged for draw in self.draws])
        extra = OF_THOUGHTS if self.takes_thoughts_apart else ()
        rows = self.logged_by(self.facts.headline_metric, *extra) if self.facts.of_pack else None
        numbered = [key for key in rows.keys if key[0] != "None"] if rows is not None else []
        if repeated := len(numbered) - len(set(numbered)):
            self.notes.append(f"{self.name}: {repeated:,} of {len(numbered):,} logged rows repeat others, and count again")
        if rows is not None and self.rows is not None and len(rows.keys) != self.rows:
            self.notes.append(f"{self.samples}: {len(rows.keys)} rows, but the results are of {self.rows}")
        return rows

    def logged_by(self, metric: str, *extra: str) -> Rows | None:
        """The rows as any metric scores them; see `read_rows`."""
        if self.draws:
            return pooled([draw.logged_by(metric, *extra) for draw in self.draws])
        if self.samples is None:
            return None
        item = self.facts.metric_of_rows if metric == self.facts.headline_metric else metric
        return read_rows(self.samples, metric, item, self.notes, extra)

    def rows_frame(self, *extra: str) -> pd.DataFrame | None:
        """The rows as a frame, with further columns as lm-eval logs them; see `Rows`. None where none were logged."""
        rows = self.logged_by(self.facts.headline_metric, *extra)
        return rows.frame if rows is not None else None

    @cached_property
    def score(self) -> TaskScore | None:
        """The headline score; None for other packs and where there is none."""
        return self.score_by(self.facts.headline_metric, self.logged) if self.facts.of_pack else None

    def score_by(self, metric: str, rows: Rows | None) -> TaskScore | None:
        """The score by a metric; see `task_score`."""
        statistics, clusters = (rows.statistics, rows.clusters) if rows is not None else (None, [])
        return task_score(metric, self.facts, self.scores.get(metric), statistics, clusters, evaluated=self.evaluated)

    @property
    def telling_rows(self) -> Rows | None:
        """The rows, if the headline score is made of them; None also if the results contradict them."""
        if self.logged is None or self.logged.statistics is None or self.score is None or self.score.contradiction:
            return None
        return self.logged

    @cached_property
    def strata(self) -> list[Stratum] | None:
        """The uncertainty of the headline score, 0 to 1; see `strata.strata_of`. None if it is unknown."""
        rows = self.telling_rows
        if rows is not None and rows.statistics is not None:
            found = strata_of(rows.statistics, self.facts.pool, rows.clusters)
        elif self.score is None or self.score.stderr is None:
            return None
        else:
            of_run = f"{self.run.model}\0{self.name}"
            score, count = self.score.score / 100, self.evaluated or 0
            least = of_one_more(self.facts.headline_metric, score, count)
            found = [reported_stratum(of_run, score, self.score.stderr / 100, count, least)]
        return [replace(stratum, origin=self.origin) for stratum in found]

    @property
    def origin(self) -> Origin:
        """Where its rows are from."""
        return Origin(self.name, self.facts.family)

    def beside(self, kind: str, ending: str) -> Path:
        """A file of ours beside the samples, which are in a file: "judged", ".json" → judged_<task>_<date>.json."""
        if not isinstance(self.samples, Path):
            raise ValueError(f"{self.name}: its rows are in no file")
        return self.samples.with_name(f"{kind}{self.samples.stem.removeprefix('samples')}{ending}")


@dataclass(frozen=True)
class GroupRun:
    """A group with a mean of its own in one run."""

    run: Run
    name: str
    scores: Mapping[str, Score]
    tasks: Sequence[str]  # in it and in the groups within it, each once


@dataclass(frozen=True)
class Runs:
    """Runs by model and date. What `read` returns has all of them; `best`, `apart` and `by_seed` say which count.

    A run whose results file is a copy of another's counts once for all three, and so do answers that were read again.
    """

    runs: Sequence[Run]
    tasks: Sequence[TaskRun]
    groups: Sequence[GroupRun]
    notes: list[str]  # what is incomplete, unreadable or superseded
    beside: Sequence[TaskRun] = ()  # left out by `best` for the same task without, or behind, a chat template

    def best(self) -> Runs:
        """Keeps one run of each model and task: one of all rows, else the one with more rows; of equal ones the newest."""
        once = self._once()
        kept = _best_tasks(once.tasks, once.notes)
        with_tasks, left = ({id(task.run) for task in tasks} for tasks in (once.tasks, kept))
        runs = [run for run in once.runs if id(run) in left or id(run) not in with_tasks]
        chosen = once._chosen(runs, kept)
        of_means = {(id(task.run), task.name) for task in kept if task.draws}  # lm-eval's means of groups are of one seed
        groups = [group for group in chosen.groups if not any((id(group.run), name) in of_means for name in group.tasks)]
        return replace(chosen, groups=groups, beside=_with_other_template(once.tasks, kept))

    def by_seed(self) -> Runs:
        """All runs: those of one task are draws of the same score."""
        once = self._once()
        return once._chosen(once.runs, once.tasks)

    def apart(self) -> Runs:
        """All runs as separate models: a model with several runs gets the date of each in its name."""
        once = self._once()
        several = {model for model, count in Counter(run.model for run in once.runs).items() if count > 1}
        dates = {id(run): f" ({run.date.isoformat(sep=' ', timespec='seconds')})" for run in once.runs if run.model in several}
        names = _distinct(run.model + dates.get(id(run), "") for run in once.runs)
        named = {id(run): replace(run, model=name, own_model=run.model) for run, name in zip(once.runs, names, strict=True)}
        renamed = once._with(named)
        return renamed._chosen(renamed.runs, renamed.tasks)

    def weights_apart(self) -> Runs:
        """Runs with different weights under one folder name, such as two people's "./model", as separate models.

        Runs to which the user gave one name are of one model.
        """
        known = {id(run): (run.model, run.settings.weights[:8]) for run in self.runs if run.settings.weights}
        count = Counter(model for model, _ in set(known.values()))
        apart = [run for run in self.runs if id(run) in known and count[run.model] > 1 and run.model == run.recorded]
        return self._with({id(run): replace(run, model="{} (weights {})".format(*known[id(run)])) for run in apart})

    def _with(self, others: Mapping[int, Run]) -> Runs:
        """With some runs, by their `id`, replaced by others."""
        runs = [others.get(id(run), run) for run in self.runs]
        tasks = [replace(task, run=others.get(id(task.run), task.run)) for task in self.tasks]
        groups = [replace(group, run=others.get(id(group.run), group.run)) for group in self.groups]
        return replace(self, runs=runs, tasks=tasks, groups=groups)

    def _once(self) -> Runs:
        """Without copies; of these the run with samples of more tasks is kept, then the first."""
        logged = Counter(id(task.run) for task in self.tasks if task.samples is not None)
        kept: dict[int, Run] = {}
        notes = list(self.notes)
        for run in sorted(self.runs, key=lambda run: -logged[id(run)]):
            same = next((other for other in kept.values() if _is_copy(run, other)), None)
            if same is None:
                kept[id(run)] = run
            else:
                notes.append(f"{run.model}: {run.place} left out, because it is a copy of {same.place}")
        tasks = _read_last([task for task in self.tasks if id(task.run) in kept], notes)
        had, have = ({id(task.run) for task in of} for of in (self.tasks, tasks))
        runs = [run for run in self.runs if id(run) in kept and (id(run) in have or id(run) not in had)]
        still = {id(run) for run in runs}
        return Runs(runs, tasks, [group for group in self.groups if id(group.run) in still], notes)

    def _chosen(self, runs: Sequence[Run], tasks: Sequence[TaskRun]) -> Runs:
        """Keeps these runs and tasks; adds notes on missing samples."""
        for run in runs:
            without = [task.name for task in tasks if task.run is run and task.samples is None]
            if without:
                self.notes.append(
                    f"{run.place}: no samples of {len(without)} tasks ({some_names(without)}); --log_samples writes them"
                )
        kept = {id(run) for run in runs}
        return Runs(runs, tasks, [group for group in self.groups if id(group.run) in kept], self.notes)

    def of_run(self, run: Run) -> list[TaskRun]:
        """The tasks of a run."""
        return [task for task in self.tasks if task.run is run]

    @cached_property
    def labels(self) -> dict[str, str]:
        """Short names of the models: of a path the last parts that tell it from the others."""
        own = {run.model: run.own_model or run.model for run in self.runs}
        short = _short_names(set(own.values()))
        return {model: short[own[model]] + model.removeprefix(own[model]) for model in sorted(own)}


_HUB_CACHE = re.compile(r"(?:^|/)models--([^/]+)/snapshots/([^/]+)$")  # a repository at a commit


def _short_names(models: Collection[str]) -> dict[str, str]:
    paths = {model for model in models if model.startswith(("/", "./", "../", "~")) or model.count("/") > 1}
    parts = {model: [part for part in PurePosixPath(model).parts if part != "/"] for model in paths}
    names = {model: [one_line("/".join(of[-count:])) for count in range(1, len(of) + 1)] for model, of in parts.items()}
    for model in paths:  # the last part of a folder in the hub's cache is a commit
        if kept := _HUB_CACHE.search(model):
            repository = kept[1].replace("--", "/")
            names[model] = [repository, *(f"{repository}@{commit}" for commit in (kept[2][:8], kept[2]))]
    taken = Counter(name for model in models for name in {*names.get(model, ()), one_line(model)})
    order = sorted(models)
    short = [next((name for name in names.get(model, ()) if taken[name] == 1), one_line(model)) for model in order]
    return dict(zip(order, _distinct(short), strict=True))  # some may differ in a line break alone


def _distinct(names: Iterable[str]) -> list[str]:
    """The names, with a number added to repeated ones."""
    found: list[str] = []
    for name in names:
        alike = sum(other == name or other.startswith(f"{name} #") for other in found)
        found.append(f"{name} #{alike + 1}" if alike else name)
    return found


HOW_ASKED = (  # the `task_settings` that change the question or the score; rows are handled elsewhere
    *("version of the task", "version of the prompt file", "rows of the data set", "number of exemplars", "exemplars"),
    *("use of turns for exemplars", "limit of tokens", "headline metric"),
    *("use of a chat template", "system instruction", "generation settings"),
)
_OF_RUN = HOW_ASKED[-3:]  # what stands among the settings of the run, too
_TYPE = "number type"  # of one model; another model may be of another


def task_settings(task: TaskRun) -> dict[str, Any]:
    """What should agree between runs of a task that are compared; None is not recorded."""
    facts, settings, exemplars = task.facts, task.run.settings, None
    samples = mapping_of(task.config.get("fewshot_config")).get("samples")
    if isinstance(samples, list) and task.num_fewshot is not None:
        exemplars = json.dumps(samples[: task.num_fewshot], sort_keys=True).encode()
    return {
        "version of the pack": facts.pack_version or None,
        "version of the task": task.version,
        "version of the prompt file": None if facts.prompt_book_version is None else str(facts.prompt_book_version),
        "rows of the data set": facts.digest,
        "number of exemplars": task.num_fewshot,
        "exemplars": exemplars and hashlib.sha256(exemplars).hexdigest()[:DIGEST_LENGTH],
        "use of turns for exemplars": bool(task.num_fewshot and task.run.multiturn),
        "limit of tokens": mapping_of(task.config.get("generation_kwargs")).get("max_gen_toks"),  # with room for a thought
        "metric signatures": "; ".join(f"{metric}: {how}" for metric, how in facts.signatures.items()) or None,
        "number of rows evaluated": task.evaluated,
        "headline metric": facts.headline_metric,
        "use of a chat template": bool(settings.chat_template),
        "system instruction": settings.system_instruction,
        "generation settings": "; ".join(filter(None, (settings.generation, settings.refused_parameters))) or None,
        _TYPE: settings.dtype,
    }


def unlike(tasks: Iterable[TaskRun], settings: Collection[str] = HOW_ASKED) -> list[str]:
    """A line for each setting in which runs of the same task differ."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        by_name.setdefault(task.name, []).append(task_settings(task))
    differing = {
        setting: [name for name, runs in by_name.items() if len({str(run[setting]) for run in runs}) > 1] for setting in settings
    }
    return [f"Models differ in the {setting}: {some_names(names)}" for setting, names in differing.items() if names]


def uneven_exemplars(tasks: Iterable[TaskRun]) -> str | None:
    """The note on a mean over tasks of one model that had different numbers of exemplars.

    None if each had the default number of its task, or all had the same. Tasks that `--num_fewshot` cannot change
    do not count, nor do those whose default the installed pack does not know.
    """
    known = read_tasks().tasks
    defaults = [(task, known[task.name]) for task in tasks if task.num_fewshot is not None and task.name in known]
    # lm-eval takes a 0 in a task file for final
    asked = [(task, record.num_fewshot) for task, record in defaults if task.num_fewshot or record.config.get("num_fewshot") != 0]
    others = [f"{task.name}: {task.num_fewshot} instead of {default}" for task, default in asked if task.num_fewshot != default]
    if not others or len({task.num_fewshot for task, _ in asked}) == 1:
        return None
    count = f"{len(others)} of {len(asked)}"
    return f"means mix numbers of exemplars: {count} tasks were not asked with their default ({some_names(others)})"


def mixed_settings(tasks: Iterable[TaskRun], *also: str) -> list[str]:
    """A line for each setting of their runs, and each in `also` of `task_settings`, in which tasks of one model differ.

    Except for the number type only tasks with the same type of request are compared: options are ranked without a chat template,
    answers are generated with it.
    """
    found: dict[tuple[str, str], dict[str, list[str]]] = {}  # setting, what is asked for → value → tasks
    for task in tasks:
        asked, written = task_settings(task), task.config.get("output_type") == "generate_until"
        kind = task.facts.variant if written else ""
        for setting in (*_OF_RUN, _TYPE, *also):
            if setting != _TYPE or asked[setting] is not None:  # which older results, and servers, do not say
                of_kind = found.setdefault((setting, "" if setting == _TYPE else kind), {})
                of_kind.setdefault(str(asked[setting]), []).append(task.name)
    return [
        f"tasks {'' if setting == _TYPE else 'of one type '}differ in the {setting} "
        f"({' against '.join(map(some_names, by_value.values()))})"
        for (setting, _), by_value in found.items()
        if len(by_value) > 1
    ]


def _differing(left_out: Sequence[TaskRun], kept: Sequence[TaskRun]) -> list[str]:
    """The settings in which two runs of these tasks differ: "dtype: float16, kept bfloat16"."""
    pairs = [(asdict(left_out[0].run.settings), asdict(kept[0].run.settings))]
    pairs += [(task_settings(one), task_settings(other)) for one, other in zip(left_out, kept, strict=True)]
    asked = (*pairs[0][0], *(name for name in HOW_ASKED if name not in _OF_RUN), "version of the pack")
    found = []
    for old, new in pairs:
        for name in (name for name in asked if name in old and old[name] != new[name]):
            values = (NOT_RECORDED if value is None else value for value in (old[name], new[name]))
            found.append("{}: {}, kept {}".format(name.replace("_", " "), *values))
    return list(dict.fromkeys(found))


def under_one_name(tasks: Iterable[TaskRun]) -> list[str]:
    """A line for each name with scores of different models, such as a folder whose checkpoint was replaced."""
    found: dict[tuple[str, str], dict[str, str]] = {}  # name, what differs → value → a task
    for task in tasks:
        settings = task.run.settings
        values = {
            "models": task.run.recorded or task.run.model,
            "weights": settings.weights,
            "revisions": settings.revision or settings.answered_by,
            "adapters or quantisations": settings.adapter_or_quantisation or "none",
        }
        for what, value in values.items():
            if value:
                found.setdefault((task.run.model, what), {}).setdefault(value, task.name)
    return [
        f"{model}: the scores are of {len(tasks_of)} different {what} under one name "
        f"({some_names([f'{task} with {value}' for value, task in tasks_of.items()])}); give each its own"
        for (model, what), tasks_of in found.items()
        if len(tasks_of) > 1
    ]


def _is_copy(run: Run, other: Run) -> bool:
    """Whether two results files say the same: where they have a date, whatever the one in the name of the file."""
    if run.place is None or other.place is None or not (run.has_results and other.has_results):
        return False
    if run.model != other.model or run.started != other.started or (run.started is None and run.date != other.date):
        return False
    return bool(parse(run.place.read_bytes()) == parse(other.place.read_bytes()))  # blanks and line ends may differ


def _read_last(tasks: Sequence[TaskRun], notes: list[str]) -> list[TaskRun]:
    """Keeps the last reading of answers that were read again; such runs have the time of the model's run."""
    readings: dict[tuple[str, float | None, str], list[TaskRun]] = {}
    for task in tasks:
        readings.setdefault((task.run.model, task.run.started, task.name), []).append(task)
    left_out: dict[tuple[Run, Run], list[TaskRun]] = {}
    for (_, started, _), found in readings.items():
        if started is not None and len(found) > 1 and any(task.run.is_reread for task in found):
            last = max(found, key=lambda task: (task.run.is_reread, task.run.date))
            for task in found:
                if task is not last:
                    left_out.setdefault((task.run, last.run), []).append(task)
    for (run, last_run), of_run in left_out.items():
        names = some_names([task.name for task in of_run])
        notes.append(f"{run.model}: {names} of {run.date} left out, because the answers were read again ({last_run.date})")
    gone = {id(task) for of_run in left_out.values() for task in of_run}
    return [task for task in tasks if id(task) not in gone]


def _best_tasks(tasks: Iterable[TaskRun], notes: list[str]) -> list[TaskRun]:
    """The tasks of `Runs.best`; notes say what is left out and why, and how the runs differ."""
    tasks = list(tasks)
    best = {(task.run.model, task.name): task for task in sorted(tasks, key=_rank)}  # the last of equal ones
    superseded: dict[tuple[Run, Run, bool], list[tuple[TaskRun, TaskRun]]] = {}
    for task in tasks:
        winner = best[task.run.model, task.name]
        if winner is not task:
            more = _rank(winner)[0] > _rank(task)[0]
            superseded.setdefault((task.run, winner.run, not more), []).append((task, winner))
    seeds: dict[Run, list[TaskRun]] = {}  # a run → tasks of others that differ from its in the seed alone
    for (run, kept_run, is_newer), pairs in superseded.items():
        left_out, kept = zip(*pairs, strict=True)
        counts = {(winner.rows, "an unknown number" if task.rows is None else task.rows) for task, winner in pairs}
        why = "has more of the rows" + (" ({} instead of {})".format(*counts.pop()) if len(counts) == 1 else "")
        if is_newer:  # the dates in the files' names, which the note gives, may be the other way round
            by_results = " by the date in the results (those here are local times of the file names)"
            why = f"is newer{by_results if run.date > kept_run.date else ''}"
        differing = _differing(left_out, kept)
        if is_newer and not differing and None not in (run.seed, kept_run.seed) and run.seed != kept_run.seed:
            seeds.setdefault(kept_run, []).extend(left_out)
            continue
        made = f"; made differently ({'; '.join(differing)})" if differing else ""
        if run.model.startswith(("./", "../")) and None in (run.settings.weights, kept_run.settings.weights):
            made += f"; {run.model} may be a different folder for each"
        names = ", ".join(task.name for task in left_out)
        notes.append(f"{run.model}: {names} of {run.date} left out, because the run of {kept_run.date} {why}{made}")
    means: dict[int, TaskRun] = {}
    for run, of_seeds in seeds.items():
        by_name: dict[str, list[TaskRun]] = {}
        for task in of_seeds:
            by_name.setdefault(task.name, []).append(task)
        found = {name: _over_seeds([*others, best[run.model, name]]) for name, others in by_name.items()}
        means |= {id(best[run.model, name]): mean for name, mean in found.items() if mean is not None}
        for is_mean in (True, False):
            of_kind = [task for task in of_seeds if (found[task.name] is not None) == is_mean]
            notes += [_seeds_note(run, of_kind, is_mean=is_mean)] if of_kind else []
    return [means.get(id(task), task) for task in tasks if best[task.run.model, task.name] is task]


def _over_seeds(tasks: Sequence[TaskRun]) -> TaskRun | None:
    """The last of a task's runs with the mean over all, one of each seed; None if one lacks rows that make its score."""
    draws = list({task.run.seed: task for task in tasks}.values())
    rows = pooled([draw.telling_rows for draw in draws])
    if rows is None or rows.statistics is None:
        return None
    metric = draws[-1].facts.headline_metric
    headline = Score(rows.statistics.of_all_rows * scale_of(metric), None)
    return replace(draws[-1], scores=mean_scores([draw.scores for draw in draws]) | {metric: headline}, draws=draws)


def _seeds_note(kept: Run, left_out: Sequence[TaskRun], *, is_mean: bool) -> str:
    names = some_names(list(dict.fromkeys(task.name for task in left_out)))
    runs = (kept, *(task.run for task in left_out))
    seeds = some_names(list(map(str, sorted({run.seed for run in runs if run.seed is not None}))))
    if is_mean:
        return f"{kept.model}: {names}: the mean over the seeds {seeds}; its interval is over rows and draws"
    is_averaged = any(task.facts.suite == SEA_HELM for task in left_out)
    averaged = "; `lm-eval-sea score` has the mean over the seeds of SEA-HELM's tasks" if is_averaged else ""
    return (
        f"{kept.model}: {names}: runs differ only in the seed ({seeds}); shown is seed {kept.seed}, not the mean over them, "
        f"which needs the same rows in all (--log_samples); `lm-eval-sea report --all-runs` shows each{averaged}"
    )


def _with_other_template(tasks: Iterable[TaskRun], kept: Iterable[TaskRun]) -> list[TaskRun]:
    """The runs that, unlike the kept one, have a chat template or none; of several the newest."""
    best = {(task.run.model, task.name): task for task in kept}

    def is_other(task: TaskRun) -> bool:
        winner = best[task.run.model, task.name]
        return bool(task.run.settings.chat_template) != bool(winner.run.settings.chat_template) and task.rows == winner.rows

    return list({(task.run.model, task.name): task for task in sorted(tasks, key=_rank) if is_other(task)}.values())


def _rank(task: TaskRun) -> tuple[float, float, datetime]:
    """Runs of all rows rank equal, because another version of the data set may have fewer rows."""
    is_whole = task.rows is not None and task.expected is not None and not task.limited
    return math.inf if is_whole else task.rows or 0, seconds_of(task.run), task.run.date


def seconds_of(run: Run) -> float:
    """The time of a run in seconds since 1970; local times of two machines, or around clock changes, do not compare."""
    if run.started is not None:
        return run.started
    try:
        return run.date.timestamp()
    except (ValueError, OverflowError, OSError):  # no such year
        return 0
