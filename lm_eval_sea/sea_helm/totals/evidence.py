"""Gathers what SEA-HELM's totals are made from: the rows of each task, as all runs of one model scored them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from lm_eval_sea.catalogue.sea_helm import sea_helm
from lm_eval_sea.results.answers import advice_on, unread_text
from lm_eval_sea.results.differing_settings import task_settings, under_one_name, uneven_exemplars
from lm_eval_sea.results.facts import Facts, row_count_note, unknown_size_note
from lm_eval_sea.results.rows import POSITION, in_published_order
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import ResultsError, disagreeing, grouped, is_number
from lm_eval_sea.results.visible_text import once, some_names
from lm_eval_sea.sea_helm import row_scores
from lm_eval_sea.sea_helm.totals.hierarchy import Place
from lm_eval_sea.sea_helm.totals.task_score import TaskRows
from lm_eval_sea.tasks._shared.facts import SEA_HELM
from lm_eval_sea.tasks._shared.metrics.ranking import PROBABILITY

# A row's metric → its greatest value.
NATIVE_MAXIMUM = {"correct": 1.0, "f1": 1.0, "pass": 1.0, "rougeL": 100.0, PROBABILITY: 100.0}
_ROUNDING = 1e-6
# What runs of a task must agree in to be draws of one score: settings in `task_settings`, and those of the run (`Settings`).
_OF_TASK = (
    *("number of exemplars", "exemplars", "limit of tokens", "version of the task", "version of the prompt file"),
    *("words of the prompt", "rows of the data set"),
)
_OF_RUN = (
    *("chat template", "system instruction", "thinking", "generation"),
    *("revision", "weights", "dtype", "softmax dtype"),
)
_NONE_IS_A_VALUE = ("chat template", "system instruction", "generation")  # else it was not recorded


def is_ranked(facts: Facts) -> bool:
    """Whether the task ranks labels; its rows then count the probability of the right one."""
    return facts.variant == "ppl"


@dataclass
class Evidence:
    """The tasks that can be scored, and what is wrong with the others."""

    rows: dict[Place, TaskRows] = field(default_factory=dict)
    headlines: dict[Place, tuple[str, float]] = field(default_factory=dict)  # name and mean over runs of lm-eval's own metric
    without_samples: set[Place] = field(default_factory=set)
    without_scores: set[Place] = field(default_factory=set)  # with answers that their judge or metric model has not scored yet
    notes: list[str] = field(default_factory=list)
    scorers: dict[Place, list[str]] = field(default_factory=dict)  # what scored the tasks that lm-eval does not score
    unequal: set[Place] = field(default_factory=set)  # fewer runs or rows than other tasks, or scored by several models
    model: str = ""
    base_model: bool = False  # whether the runs showed exemplars without a chat template

    def doubt(self, places: Iterable[Place], note: str) -> None:
        """Notes why the runs of some tasks are not enough for a complete total."""
        self.notes.append(note)
        self.unequal |= set(places)


def place_of(facts: Facts, *, ranked: bool = False) -> Place | None:
    """Where a task stands in the hierarchy; None if it is not one of SEA-HELM's, or a lite task of one.

    If `ranked`, the tasks that rank labels take the place of those that generate one.
    """
    if facts.suite != SEA_HELM or facts.subset is not None or facts.assumed:
        return None
    if is_ranked(facts) != (ranked and bool(facts.labels)):
        return None
    if not (facts.language and facts.competency and facts.sea_helm_task and facts.of_pack):
        return None  # a file that was changed: its task has no place
    return Place(facts.language, facts.competency, facts.score_group, facts.sea_helm_task)


def gather(tasks: Sequence[TaskRun], *, ranked: bool = False) -> Evidence:
    """Reads the rows of SEA-HELM's tasks in runs of one model; several runs of a task are seeds. For `ranked` see `place_of`.

    Raises `ResultsError` if there is no task of SEA-HELM, none with samples, or runs differ in the model or in how it was asked.
    """
    evidence = Evidence()
    found = grouped((place, task) for task in tasks if (place := place_of(task.facts, ranked=ranked)))
    beside = {place for task in tasks if (place := place_of(task.facts, ranked=not ranked)) and place not in found}
    of_suite = [task for task in tasks if task.facts.suite == SEA_HELM]
    partial = [task.name for task in of_suite if task.facts.subset is not None or task.facts.assumed]
    if partial:
        evidence.notes.append(f"left out, because totals are of whole tasks with their results file: {some_names(partial)}")
    if not found and not beside:
        why = "; ".join(["no task of SEA-HELM in these runs", *evidence.notes])
        raise ResultsError(f"{why}; run some, such as sea_helm_id, with --log_samples")
    if beside:
        what, how = ("generate a label", "without --suite") if ranked else ("rank labels", "with --suite seahelm_logprobs")
        left_out = f"{len(beside)} tasks of SEA-HELM that {what} are left out; they are averaged {how}"
        if not found:
            raise ResultsError(left_out)
        evidence.notes.append(left_out)
    members = [task for results in found.values() for task in results]
    models = sorted({task.run.model for task in members})
    if len(models) > 1:
        raise ResultsError(
            f"the runs are of {len(models)} models ({some_names(models)}), but totals are of one; give the folder of one"
        )
    [evidence.model] = models
    _refuse_unlike(found.values())
    if others := under_one_name(members):
        raise ResultsError(f"{others[0]}, because totals are of one model")
    templates = {task.run.settings.chat_template for task in members}
    evidence.base_model = templates == {None} and any(task.num_fewshot for task in members)
    for line in _mixed_settings(members):
        evidence.doubt(found, line)
    _doubt_repeated_seeds(found, evidence)
    limited = {place: of[0].name for place, of in found.items() if any(0 < (run.rows or 0) < (run.rows_total or 0) for run in of)}
    if limited:
        evidence.doubt(limited, f"{some_names(list(limited.values()))}: only some rows were evaluated (--limit)")
    most = max(map(len, found.values()))
    for place, results in tqdm(sorted(found.items()), desc="Reading samples", unit="task"):
        _doubt_parts(place, results, most, evidence)
        _gather_task(place, results, evidence)
    _doubt_mixed_scorers(evidence)
    evidence.notes += _notes_on_answers(found)
    sizes = unknown_size_note({results[0].name: results[0].facts for _, results in sorted(found.items())})
    one_of_each = [results[0] for results in found.values()]
    evidence.notes += filter(None, [sizes, _shared_texts(one_of_each)])
    if uneven := uneven_exemplars(one_of_each):
        evidence.doubt(found, uneven)
    if not evidence.rows and evidence.without_scores:
        raise ResultsError("the tasks of SEA-HELM here have no scores yet; score them with --judge or --metricx")
    if not evidence.rows:
        raise ResultsError("none of the tasks of SEA-HELM has samples; run them with --log_samples")
    return evidence


def _notes_on_answers(found: Mapping[Place, Sequence[TaskRun]]) -> list[str]:
    """Lines on answers that could not be read, and on likely mistakes of a run."""
    advice = dict.fromkeys((result.name, text) for results in found.values() for result in results for text in advice_on(result))
    return [*filter(None, [unread_text(found.values())]), *once(advice)]


def _doubt_repeated_seeds(found: Mapping[Place, Sequence[TaskRun]], evidence: Evidence) -> None:
    """Notes runs of a task with equal seeds: they draw the same answers, so one draw counts several times."""
    counts = [(place, Counter(result.run.seed for result in results)) for place, results in found.items()]
    repeated = [((seed, runs), place) for place, of in counts for seed, runs in of.items() if seed is not None and runs > 1]
    places = grouped(repeated)  # seed and how often it was run → tasks
    for (seed, runs), of_seed in sorted(places.items()):
        names = some_names([found[place][0].name for place in of_seed])
        evidence.doubt(
            of_seed,
            f"{names}: {runs} runs have seed {seed} and count as {runs} draws, though equal; give one run of each seed",
        )


def _doubt_mixed_scorers(evidence: Evidence) -> None:
    """Notes means over scores of several judges or several metric models."""
    known = sea_helm().judge_of
    scored = ((known.get(place.task), (scorer, place)) for place, scorers in evidence.scorers.items() for scorer in scorers)
    for by_scorer in disagreeing(scored).values():
        named = (f"{some_names([f'{p.language} {p.task}' for p in places])} {name}" for name, places in by_scorer.items())
        places = {place for of_scorer in by_scorer.values() for place in of_scorer}
        evidence.doubt(places, f"tasks differ in what scored them ({' against '.join(named)})")


def _shared_texts(tasks: Iterable[TaskRun]) -> str | None:
    """The note on tasks that may ask about the same texts, which the draws take for independent."""
    families = grouped((task.facts.family, task.name) for task in tasks)
    shared = [name for names in families.values() if len(names) > 1 for name in names]
    if not shared:
        return None
    return (
        f"{len(shared)} tasks share texts, some in translation ({some_names(shared)}); their questions are drawn separately, "
        "as in SEA-HELM, so intervals of means over them are too narrow"
    )


def _asked(result: TaskRun) -> dict[str, str]:
    """How a run of a task was asked, setting by setting, without those that were not recorded."""
    settings = task_settings(result)
    asked = {
        "prompts": result.name,
        **{name: settings[name] for name in _OF_TASK},
        **{name: getattr(result.run.settings, name.replace(" ", "_")) for name in _OF_RUN},
    }
    recorded = {name: value for name, value in asked.items() if value is not None or name in _NONE_IS_A_VALUE}
    return {name: "none" if value is None else str(value) for name, value in recorded.items()}


def _refuse_unlike(tasks: Iterable[Sequence[TaskRun]]) -> None:
    """Raises `ResultsError`, with the first setting in which they differ, if runs of a task are not draws of one score."""
    found = []  # (setting, task), (value, where)
    for results in tasks:
        for result in results:
            where = result.run.place or result.run.model
            found += [((setting, results[0].name), (value, where)) for setting, value in _asked(result).items()]
    unlike = grouped((setting, (task, by_value)) for (setting, task), by_value in disagreeing(found).items())
    for setting, of_tasks in unlike.items():
        (_, of_first), names = of_tasks[0], [name for name, _ in of_tasks]
        values_of = ", ".join(f"{value} in {places[0]}" for value, places in sorted(of_first.items()))
        raise ResultsError(
            f"{some_names(names)}: runs differ in the {setting} ({values_of}), so they are not seeds of one score; "
            "give only the folder, or the results files, of one"
        )


def _mixed_settings(tasks: Sequence[TaskRun]) -> list[str]:
    """A line for each run setting in which the tasks of a mean differ; tasks that rank labels have no generation settings.

    Tasks with SEA-HELM's own prompts (`make --official`) are in the same places, under other names.
    """
    found = []  # setting, (value, task)
    for task in tasks:
        found.append(("whose prompts they have, the pack's or others", (str(task.name.startswith(SEA_HELM)), task.name)))
        settings = set(_OF_RUN) - {"generation" if is_ranked(task.facts) else ""}
        found += [(f"the {setting}", (value, task.name)) for setting, value in _asked(task).items() if setting in settings]
    return [
        f"tasks differ in {setting} ({' against '.join(some_names(list(dict.fromkeys(names))) for names in by_value.values())})"
        for setting, by_value in disagreeing(found).items()
    ]


def _doubt_parts(place: Place, results: Sequence[TaskRun], most: int, evidence: Evidence) -> None:
    """Notes if a task has fewer than `most` runs, or another number of rows than its data set."""
    name = results[0].name
    if len(results) < most:
        evidence.doubt([place], f"{name}: {len(results)} of {most} runs")
    for note in dict.fromkeys(filter(None, (row_count_note(result.facts, result.rows_total) for result in results))):
        evidence.doubt([place], f"{name}: {note}")


def _gather_task(place: Place, results: Sequence[TaskRun], evidence: Evidence) -> None:
    name, facts = results[0].name, results[0].facts
    headline = PROBABILITY if is_ranked(facts) else facts.headline_metric
    values = [result.scores[headline].value for result in results if headline in result.scores]
    if values:
        evidence.headlines[place] = (headline, float(np.mean(values)))
    metric = PROBABILITY if is_ranked(facts) else facts.item_metric  # of the rows; empty if lm-eval does not score them
    beside = [None if metric or result.samples is None else row_scores.read_beside(result) for result in results]
    if not metric and not any(beside):
        if any(result.samples for result in results):
            evidence.without_scores.add(place)
        return
    read = [_table(result, metric, scores, evidence.notes) for result, scores in zip(results, beside, strict=True)]
    tables = [table for table in read if table is not None]
    if not tables:
        evidence.without_samples.add(place)
        evidence.notes.append(f"{name}: no samples; run it with --log_samples")
        return
    scored = [scores for scores in beside if scores]
    if not scored and metric not in NATIVE_MAXIMUM:
        known = ", ".join(NATIVE_MAXIMUM)
        raise ResultsError(f"{name}: the scale of {metric!r} is not known, only that of {known}; run the pack's own task")
    sizes = [(len(table), result.evaluated) for result, table in zip(results, read, strict=True) if table is not None]
    fewer = [f"{there} of {rows} rows" for there, rows in sizes if rows and there < rows]
    fewer += [f"{len(tables)} of {len(results)} runs"] * (len(tables) < len(results))
    if fewer:
        evidence.doubt([place], f"{name}: only {'scores' if scored else 'samples'} of {', '.join(fewer)}")
    elif said := list(filter(None, (result.score and result.score.contradiction for result in results))):
        evidence.doubt([place], f"{name}: {said[0]}")
    shared = [row for row in tables[0].index if all(row in table.index for table in tables)]
    if len(shared) < max(map(len, tables)):
        evidence.doubt([place], f"{name}: the runs have different rows; the {len(shared)} that all have are scored")
    if shared:
        best = scored[0].best if scored else NATIVE_MAXIMUM[metric]
        evidence.scorers[place] = sorted({scores.scorer for scores in scored})
        evidence.notes += dict.fromkeys(f"{name}: {note}" for scores in scored for note in (scores.scorer, *scores.notes))
        evidence.rows[place] = _task_rows(facts, best, [table.loc[shared] for table in tables])


def _table(result: TaskRun, metric: str, beside: row_scores.RowScores | None, notes: list[str]) -> pd.DataFrame | None:
    """The rows of one run by their number in the data set, in published order: SEA-HELM draws them by their place.

    None without rows. If the scores are `beside` the samples, rows without one are left out; `notes` gets a line for rows that
    cannot be read.
    """
    if result.samples is None or not (metric or beside):
        return None
    frame = rows_in_order(result, notes, "doc.label", "doc.phenomenon", *filter(None, [metric]))
    if not all(type(number) in (int, str) for number in frame.doc_id):
        raise ResultsError(f"{result.samples}: a row has no doc_id; run the task again")
    frame = frame.set_index("doc_id")
    if result.facts.labels and metric != PROBABILITY and (unlabelled := list(frame.index[frame["doc.label"].isna()])):
        raise ResultsError(f"{result.samples}: row {unlabelled[0]} has no label; run the task again")
    frame["score"] = frame[metric] if beside is None else [beside.scores.get(number) for number in frame.index]
    frame = frame if beside is None else frame[frame.score.notna()]
    best = NATIVE_MAXIMUM.get(metric, math.inf)
    for number, score in frame.score.items():
        if not is_number(score) or not 0 <= score <= best + _ROUNDING:
            what = "no number" if not is_number(score) else f"{score:g}, which is not between 0 and {best:g},"
            raise ResultsError(f"{result.samples}: row {number} has {what} for {metric!r}; run the task again")
    return frame.astype({"score": float}) if len(frame) else None


def rows_in_order(task: TaskRun, notes: list[str], *columns: str) -> pd.DataFrame:
    """The logged rows of a task in published order, with further columns; of rows that repeat others the last.

    `notes` gets a line for what is odd.
    """
    read = task.rows_frame(*columns, POSITION)
    assert read is not None
    frame = in_published_order(read)
    found = [*task.notes, *row_scores.repeated(task.samples, frame.doc_id)]
    notes += [note for note in found if note not in notes]
    return frame[~frame.doc_id.duplicated(keep="last")]


def _task_rows(facts: Facts, best: float, runs: Sequence[pd.DataFrame]) -> TaskRows:
    def label_of(given: Any) -> str | tuple[str, ...] | None:
        return tuple(map(str, given)) if isinstance(given, list) else None if given is None else str(given)

    rows = runs[0]
    return TaskRows(
        scores=np.stack([run.score.to_numpy() for run in runs]),
        labels=tuple(map(label_of, rows["doc.label"])),
        clusters=tuple(rows.cluster),
        phenomena=tuple(map(str, rows["doc.phenomenon"])) if rows["doc.phenomenon"].notna().all() else None,
        is_label_task=bool(facts.labels) and not is_ranked(facts),
        chance=facts.chance,
        best=best,
    )
