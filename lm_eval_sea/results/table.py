"""The table that people see after a run: one line per task, in per cent of the best possible score."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lm_eval_sea.catalogue.task_list import aligned
from lm_eval_sea.results import comparison
from lm_eval_sea.results.answers import advice_on, answers_text, unlike_ends
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.differing_settings import mixed_settings, under_one_name, uneven_exemplars, unlike
from lm_eval_sea.results.facts import row_count_note, unknown_size_note, version_note
from lm_eval_sea.results.row_statistics import beyond_scale, scale_of
from lm_eval_sea.results.runs import GroupRun, Run, TaskRun
from lm_eval_sea.results.score import AGREE
from lm_eval_sea.results.strata import UNKNOWN, weighted
from lm_eval_sea.results.types import grouped, is_number
from lm_eval_sea.results.uncertainty import FEWEST, FEWEST_CLUSTERS
from lm_eval_sea.results.visible_text import once, one_line, some_names
from lm_eval_sea.tasks._shared.facts import ORDER
from lm_eval_sea.tasks._shared.metrics.bits_per_byte import BITS

WIDTH = 100  # columns of a terminal
HEAD = ("task", "rows", "metric", "score", "95 % interval", "chance")
COLLAPSED = 80  # per cent of the answers
_NUMBERS = ("score", "low", "high", "stderr", "clusters", "chance")
_NOT_LOGGED = "the rows of its tasks were not logged (--log_samples), or do not tell their scores"
_TOO_FEW = f"a task has fewer than {FEWEST} passages, or a label fewer than {FEWEST} rows"
_NO_INTERVAL = (
    "no interval, because the score depends on fewer than two rows or passages: in all, with a label, or for BLEU with an answer "
    "that has four words in a row of its reference"
)
_TOO_NARROW = "the interval is too narrow: it takes rows that share a passage or premise for independent; add --log_samples"
_WITHOUT_TOKENIZER = ("acc", "acc_norm", "acc_bytes")  # scores of ranked options that need no tokenizer
_OTHER_MEAN = "it is not the plain mean of the scores above"


def table_of(runs: Runs) -> str:
    """Runs as lines, a block per model and run."""
    blocks = [_block(run, runs.labels[run.model], runs.of_run(run), runs.groups) for run in runs.runs]
    text = "\n".join([*blocks, *_compared(runs), *map(_note, runs.notes)])
    return text if text.endswith("\n") else f"{text}\n"


def _two_models(runs: Runs) -> dict[str, dict[str, TaskRun]]:
    """The tasks of two models with a score that counts, by label and name; empty unless exactly two models have any."""
    own = [task for task in runs.tasks if task.score is not None and task.facts.counts]
    by_model = grouped((runs.labels[task.run.model], task) for task in own)
    return {model: {task.name: task for task in tasks} for model, tasks in by_model.items()} if len(by_model) == 2 else {}


def _difference(first: Mapping[str, TaskRun], second: Mapping[str, TaskRun]) -> comparison.MeanDifference | None:
    counted, common = comparison.rows_once([first, second]), comparison.pairs(first, second)
    common = {name: common[name] for name in counted if name in common}
    paths = {name: (comparison.plain_name(name, first[name].facts),) for name in common}
    return comparison.difference_of_means(common, comparison.nested_weights(paths, comparison.part_sizes(first)))


def _compared(runs: Runs) -> list[str]:
    """Two models in a sentence, and for any number of models the `comparison_notes`."""
    notes = [_note(text) for text in comparison_notes(runs)]
    both = _two_models(runs)
    if not both:
        return notes
    (one, first), (other, second) = both.items()
    said = comparison.sentence(one, other, _difference(first, second), len(comparison.rows_once([first, second])))
    return [textwrap.fill(f"{said} Means of normalised scores.", WIDTH), *notes, ""]


def comparison_notes(runs: Runs) -> list[str]:
    """What a comparison of two models leaves out, and how models, or the tasks of one model, were asked differently."""
    of_pack = [task for task in runs.tasks if task.facts.of_pack]
    by_model = {label: [task for task in of_pack if task.run.model == model] for model, label in runs.labels.items()}
    return [*comparison.left_out(_two_models(runs)), *unlike_notes(runs.tasks), *uneven_notes(by_model)]


def records_of(runs: Runs) -> list[dict[str, Any]]:
    """A record for each model and task of the pack, unrounded, with the table's notes; scores in per cent, or None.

    For two models also one for each common task, with the second as `against`: their difference in percentage points, with its
    95 % interval and a p-value that is not corrected for the number of tasks. The last, whose task is "mean", is in points of
    normalised scores.
    """
    records = [
        {
            "model": runs.labels[task.run.model],
            "against": None,
            "task": task.name,
            "date": task.run.date.isoformat(timespec="seconds"),
            "rows": task.evaluated,
            "of": task.expected,
            "exemplars": task.num_fewshot,
            "version": task.version,
            "metric": task.facts.headline_metric,
            **{name: getattr(task.score, name, None) for name in _NUMBERS},
            "normalised": comparison.normalised(task),
            "difference": None,
            "p_value": None,
            "notes": "; ".join([*_seeds(task), *_notes_of(task), *task.notes]),
        }
        for task in runs.tasks
        if task.facts.of_pack and not task.facts.is_text
    ]
    both = _two_models(runs)
    return [*records, *_difference_records(both, dict.fromkeys(records[0]))] if both else records


def _seeds(task: TaskRun) -> list[str]:
    return [f"the mean over the seeds {task.seeds}; its interval is over rows and draws"] if task.draws else []


def _difference_records(both: Mapping[str, Mapping[str, TaskRun]], blank: Mapping[str, None]) -> Iterator[dict[str, Any]]:
    (one, first), (other, second) = both.items()
    about = {**blank, "model": one, "against": other}
    for name, task in first.items():
        if name in second and (found := comparison.task_difference(task, second[name])) is not None:
            yield about | {"task": name} | {key: value for key, value in asdict(found).items() if key in blank}
    mean = _difference(first, second)
    if mean is not None:
        low, high = mean.interval()
        numbers = {"difference": mean.value, "stderr": mean.spread.stderr, "p_value": mean.p_value, "low": low, "high": high}
        yield about | {"task": "mean", "of": mean.tasks, "metric": "normalised"} | numbers


def _block(run: Run, model: str, tasks: Sequence[TaskRun], groups: Sequence[GroupRun]) -> str:
    own = [task for task in tasks if task.facts.of_pack]
    texts = [task for task in tasks if task.facts.is_text]
    others = [task for task in tasks if not task.facts.of_pack and task not in texts]
    means = [mean for group in groups if group.run is run and (mean := _group_mean(group, own)) is not None]
    limit = run.settings.limit
    limited = f"; limited: --limit {limit:g}" if is_number(limit) else ""
    reread = "; answers read again" if run.is_reread else ""
    parts = [f"{one_line(model)}, {run.date.isoformat(sep=' ', timespec='minutes')}{limited}{reread}; scores in per cent"]
    if own:
        lines = aligned([HEAD, *map(_cells, own), *(line for line, _ in means)], (0, HEAD.index("metric")), WIDTH)
        parts += lines[: len(own) + 1]
        parts += ["", "groups (means of their tasks, as lm-eval computes them)", *lines[len(own) + 1 :]] if means else []
    for task in texts:
        bits = task.scores.get(BITS)
        error = f" ± {bits.stderr:.3f} (standard error)" if bits is not None and bits.stderr else ""  # one text has none
        parts += [f"{one_line(task.name)}: {bits.value:.3f}{error} bits per byte, {task.evaluated or 0:,} texts"] if bits else []
    parts += ["not of this pack, as lm-eval scores them:", *map(_foreign_scores, others)] if others else []
    said = once((one_line(task.name), text) for task in own for text in _notes_of(task))
    no_interval = grouped((obstacle, line[0]) for line, obstacle in means if obstacle)
    said += [*_common_notes(own, no_interval), *(note for task in tasks for note in task.notes)]
    said += filter(None, [unknown_size_note({task.name: task.facts for task in own})])
    return "\n".join(parts + [_note(note) for note in dict.fromkeys(said)]) + "\n"


def _foreign_scores(task: TaskRun) -> str:
    """The scores of a task whose scale is not known, with their standard errors."""
    errors = {name: f" ± {score.stderr:.4g}" if score.stderr else "" for name, score in task.scores.items()}
    scores = [f"{one_line(name)} {score.value:.4g}{errors[name]}" for name, score in task.scores.items()]
    return f"  {one_line(task.name)}: {', '.join(scores) or 'no score'} ({task.evaluated or 0:,} rows)"


def _notes_of(task: TaskRun) -> list[str]:
    """The notes on the score of a task, without its name."""
    said = [collapsed_text(task), score_text(task), absent_labels_text(task), answers_text(task), *advice_on(task)]
    of_run = task.run.settings
    refused, most = of_run.refused_parameters, of_run.prompts_cut_at
    said.append(of_run.answered_by and f"answered by {of_run.answered_by}, as the server calls the model")
    said.append(f"prompts seem to have been cut at {most:,} tokens; give the model a larger window" if most else None)
    beginning = "prompts did not fit the model's window: their beginning was cut off; lower --num_fewshot, or raise max_length"
    said.append(f"{100 * task.cut_prompts:.1f} % of the {beginning}" if task.cut_prompts else None)
    end = "documents were cut at their end to fit the model's window; raise max_length"
    said.append(f"{100 * task.cut_documents:.1f} % of the {end}" if task.cut_documents else None)
    said += [refused and f"requests differ from the configuration: the server refuses {refused}", *catalogue_notes(task)]
    return list(filter(None, said))


def catalogue_notes(task: TaskRun) -> list[str]:
    """How a task's run differs from the installed pack, without its name."""
    return list(filter(None, [version_note(task.name, task.facts), row_count_note(task.facts, task.rows_total)]))


def unlike_notes(tasks: Iterable[TaskRun]) -> list[str]:
    """How runs of the pack's tasks differ in what was asked or in how it is scored."""
    of_pack = [task for task in tasks if task.facts.of_pack]
    return [*under_one_name(of_pack), *unlike(of_pack), *unlike_ends(of_pack)]


def uneven_notes(by_model: Mapping[str, Iterable[TaskRun]]) -> list[str]:
    """A line for the models whose means are over tasks that were asked differently, by label."""
    of_means = {model: [task for task in tasks if task.facts.counts] for model, tasks in by_model.items()}
    said = {model: filter(None, [uneven_exemplars(tasks), *mixed_settings(tasks)]) for model, tasks in of_means.items()}
    return once((model, text) for model, texts in said.items() for text in texts)


def score_text(task: TaskRun) -> str | None:
    """A note if the headline score is missing, off its scale or contradicted by rows, or its interval missing or too narrow."""
    metric = task.facts.headline_metric
    if metric not in task.scores and (others := [name for name in _WITHOUT_TOKENIZER if name in task.scores]):
        said = ", ".join(f"{name} {100 * task.scores[name].value:.1f}" for name in others)
        return f"no {metric}, which needs the model's tokenizer and the log-likelihood of prompts; there is {said}"
    if task.score is not None:
        if task.score.contradiction or task.score.low is None:
            return task.score.contradiction or (_NO_INTERVAL if task.telling_rows is not None else None)
        shares = task.logged is None and (task.facts.clusters or math.inf) < (task.expected or 0)
        return _TOO_NARROW if shares else None
    beyond = beyond_scale(metric, task.scores[metric].value) if metric in task.scores else None
    return beyond and f"{beyond}; not shown"


def collapsed_text(task: TaskRun) -> str | None:
    """The note on an option that has more than `COLLAPSED` per cent of the answers, but is right less often; else None."""
    logged = [rows for draw in task.each_draw if (rows := draw.logged)]
    chosen, golds = [place for rows in logged for place in rows.chosen], [place for rows in logged for place in rows.golds]
    counts = Counter(position for position in chosen if position is not None)
    if len(chosen) < FEWEST_CLUSTERS * len(logged) or not counts or all(gold is None for gold in golds):
        return None
    [(option, count)] = counts.most_common(1)
    share, right = 100 * count / len(chosen), 100 * golds.count(option) / len(golds)
    if not share > COLLAPSED >= right:
        return None
    labels = task.config.get("doc_to_choice")
    word = f" (“{one_line(str(labels[option]))}”)" if isinstance(labels, list) and option < len(labels) else ""
    return f"{share:.0f} % of the answers are option {option + 1}{word}, which is right on {right:.0f} %"


def absent_labels_text(task: TaskRun) -> str | None:
    """The note on labels that no row of a limited run has; None if there are none, or the task has no labels."""
    if task.logged is None or not task.limited:
        return None
    choices = task.config.get("doc_to_choice")
    labels = choices if isinstance(choices, list) else task.facts.labels
    golds = task.logged.golds
    absent = [f"“{one_line(str(label))}”" for place, label in enumerate(labels) if place not in golds]
    if not absent or not golds or any(gold is None or gold >= len(labels) for gold in golds):
        return None
    said = f"none of the {len(golds)} rows has the label {some_names(absent)}"
    return f"{said}, so the score says nothing about it; run more rows"


def _group_mean(group: GroupRun, own: Sequence[TaskRun]) -> tuple[tuple[str, ...], str | None] | None:
    """The line of a group's mean of a headline metric, and why it has no interval; None where lm-eval gives no such mean."""
    tasks = {task.name: task for task in own}
    metric = next((name for name in dict.fromkeys(task.facts.headline_metric for task in own) if name in group.scores), None)
    if metric is None or not 0 <= (mean := group.scores[metric].value / scale_of(metric)) <= 1:
        return None
    members = [name for name in group.tasks if name not in tasks or metric in tasks[name].scores]
    # It is not the plain mean if tasks weigh by their rows, have another headline, or are shown under another run.
    is_plain = bool(members) and all(name in tasks and tasks[name].facts.headline_metric == metric for name in members)
    values = [tasks[name].scores[metric].value / scale_of(metric) for name in members if is_plain]
    spread, obstacle = UNKNOWN, _OTHER_MEAN
    if is_plain and abs(sum(values) / len(values) - mean) < AGREE:
        obstacle = _NOT_LOGGED
        if all(tasks[name].telling_rows is not None for name in members):
            spread, obstacle = weighted((100 / len(members), tasks[name].strata) for name in members), _TOO_FEW
    low, high = spread.interval(100 * mean, 0.0, 100.0)
    if low is not None:
        low, high = comparison.interval_of_one([tasks[name] for name in members]) or (low, high)
    line = (one_line(group.name), "", one_line(metric), f"{100 * mean:.1f}", _interval(low, high), "")
    return line, obstacle if low is None else None


def _cells(task: TaskRun) -> tuple[str, ...]:
    rows = "–" if task.evaluated is None else f"{task.evaluated:,}" + (f" of {task.expected:,}" if task.limited else "")
    name, metric = one_line(task.name), one_line(task.facts.headline_metric)
    if task.score is None:
        return (name, rows, metric, "–", "–", "–")
    found = task.score
    return (name, rows, metric, f"{found.score:.1f}", _interval(found.low, found.high), f"{found.chance:.1f}")


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{low:.1f}, {high:.1f}]"


def _common_notes(tasks: Sequence[TaskRun], no_interval: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Notes on the tasks together, and on groups whose means have no interval, by reason."""
    if limited := sum(task.limited for task in tasks):
        yield f"{limited} of {len(tasks)} scores are of only a part of the rows"
    if few := sum(task.score is not None and task.score.few for task in tasks):
        yield f"{few} of {len(tasks)} scores are of fewer than {FEWEST_CLUSTERS} independent rows or passages, and say little"
    if orders := [one_line(task.name) for task in tasks if task.facts.setting == ORDER]:
        yield f"{some_names(orders)}: not a test of skill; see Contamination in the report"
    yield from (f"no interval for the mean of {some_names(names)}: {why}" for why, names in no_interval.items())


def _note(text: str) -> str:
    return textwrap.fill(f"note: {one_line(text)}", WIDTH, subsequent_indent="  ")
