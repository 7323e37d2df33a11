"""From lm-eval's output to the tables of `lm-eval-sea report --languages`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from lm_eval_sea.report.languages.measures import (
    FEWEST_LANGUAGES,
    Answers,
    against_english,
    consistencies,
    rank_correlation,
    shared_errors,
)
from lm_eval_sea.results.choice import Runs
from lm_eval_sea.results.differing_settings import mixed_settings, under_one_name
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import ResultsError, grouped
from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS, Estimate, holm
from lm_eval_sea.results.visible_text import counted, csv_text, some_names
from lm_eval_sea.results.written_folder import WrittenFolder
from lm_eval_sea.tasks._shared.facts import ORDER

ENGLISH = "en"
MANIFEST = ".lm_eval_sea_languages.json"
# The settings whose English answers of the same variant serve a setting that has none.
_REFERENCE_SETTINGS = ("base", "chat")
_NEEDED = ("dataset", "variant", "prompt_language", "language", "headline_metric")


class Condition(NamedTuple):
    """What is the same in all languages that are compared."""

    model: str
    data_set: str
    setting: str  # "base", "chat", "enshots", "pair", "translated"
    variant: str
    prompt: str  # "native", or "en" where the instruction is English before rows of another language
    metric: str
    num_fewshot: str  # the number of exemplars; "" where the output does not say

    @property
    def name(self) -> str:
        """A name that distinguishes the conditions of one model and data set."""
        return f"{self.setting} {self.variant} {self.prompt}" + (f" {self.num_fewshot}-shot" if self.num_fewshot else "")

    def name_among(self, others: Iterable[Condition]) -> str:
        """The name, with the metric if another condition has the same name."""
        return self.name if [other.name for other in others].count(self.name) == 1 else f"{self.name} {self.metric}"


class Comparison(NamedTuple):
    """The answers of one model under one condition."""

    answers: Mapping[str, Answers]  # by language; for pairs by the pair
    english: Answers | None  # what differences are relative to


def load_comparisons(runs: Runs, metric: str | None = None) -> tuple[dict[Condition, Comparison], list[str]]:
    """Reads the rows of all parallel tasks; each task of a model counts once in the runs. Returns notes on what is left out, too.

    The metric says whether an answer is right, such as "acc"; by default it is the headline metric of each task. Raises
    `ResultsError` if no parallel tasks have samples with that metric, right or wrong.
    """
    notes = list(runs.notes)
    native: dict[Condition, dict[str, Answers]] = {}
    english: dict[Condition, Answers] = {}
    read: dict[Condition, list[TaskRun]] = {}
    others: list[str] = []
    drawn = grouped((task.run.seed, task.name) for task in runs.tasks if task.draws and task.facts.parallel)
    notes += [f"{some_names(names)}: of several seeds, only the answers of seed {seed} count" for seed, names in drawn.items()]
    for task in (task.each_draw[-1] for task in runs.tasks):
        notes += task.notes
        if not task.facts.parallel or task.facts.setting == ORDER:
            others.append(task.name)
            continue
        condition = _condition_of(task, metric)
        answers = _read_answers(task, condition.metric, notes)
        if answers is None:
            continue
        # its English may come from another setting or prompt
        read.setdefault(condition._replace(setting="", prompt=""), []).append(task)
        if task.facts.language == ENGLISH:
            english[condition._replace(prompt="")] = answers
        else:
            native.setdefault(condition, {})[task.facts.language] = answers
    for condition, tasks in read.items():
        notes += (f"{condition.model}, {condition.data_set}: {line}" for line in mixed_settings(tasks, "limit of tokens"))
    notes += under_one_name(task for tasks in read.values() for task in tasks)
    if others:
        notes.append(f"{counted(len(others), 'task')} of no parallel test left out: {some_names(others)}")
    if not native:
        raise ResultsError(
            "no samples of a parallel task with that metric in a language other than English; run sea_belebele_… tasks of "
            "several languages with --log_samples" + "".join(f"; {note}" for note in notes[:1])
        )
    return {condition: _with_english(condition, answers, english) for condition, answers in sorted(native.items())}, notes


def _condition_of(task: TaskRun, metric: str | None) -> Condition:
    facts = task.facts
    return Condition(
        *(task.run.model, facts.dataset, facts.setting or "base", facts.variant),
        prompt="en" if facts.prompt_language == ENGLISH else "native",
        metric=metric or facts.headline_metric,
        num_fewshot="" if task.num_fewshot is None else str(task.num_fewshot),
    )


def _read_answers(task: TaskRun, metric: str, notes: list[str]) -> Answers | None:
    """What the rows of a task say, by the id of the question; None, with a note, if they cannot be compared."""
    lacking = [name for name in _NEEDED if not getattr(task.facts, name)]
    if lacking or task.samples is None:
        lack = f"its settings lack {', '.join(lacking)}" if lacking else "it has no samples (--log_samples writes them)"
        notes.append(f"{task.run.model}, {task.name}: left out, because {lack}")
        return None
    rows = task.logged if metric == task.facts.headline_metric else task.logged_by(metric)
    assert rows is not None
    notes += [note for note in task.notes if note not in notes]
    names, scores = rows.frame.id.tolist(), rows.frame.score.tolist()
    if why := _obstacle(names, scores, metric):
        notes.append(f"{task.samples}: left out, because {why}")
        return None
    chosen = dict(zip(names, rows.chosen, strict=True)) if f"chosen_{metric}" in rows.frame else {}
    right = {name: bool(score) for name, score in zip(names, scores, strict=True)}
    return Answers(right, dict(zip(names, rows.clusters, strict=True)), chosen, task.limited)


def _obstacle(names: Sequence[str | None], scores: Sequence[float], metric: str) -> str | None:
    """Why rows cannot be compared; None if each has an id of its own and a score that is right or wrong."""
    if not names:
        return "it has no rows"
    for place, (name, score) in enumerate(zip(names, scores, strict=True)):
        if place == 0 and pd.isna(score):
            return f"it has no {metric}; --metric chooses another"
        if name is None:
            return "a row has no id"
        if score not in (0, 1):
            return f"{metric} of question {name!r} is {None if pd.isna(score) else score!r}; expected 0 or 1"
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    return None if repeated is None else f"question {repeated!r} occurs twice"


def _with_english(condition: Condition, answers: Mapping[str, Answers], english: Mapping[Condition, Answers]) -> Comparison:
    """The languages with English, if the setting has it; if not, differences are relative to the plain English task."""
    key = condition._replace(prompt="")
    if key in english:
        return Comparison({**answers, ENGLISH: english[key]}, english[key])
    references = (english.get(key._replace(setting=setting)) for setting in _REFERENCE_SETTINGS)
    return Comparison(answers, next(filter(None, references), None))


def question_rows(comparisons: Mapping[Condition, Comparison]) -> Iterator[dict[str, Any]]:
    """One row per question: 1 or 0 for each language, empty if it was not asked."""
    languages = list(dict.fromkeys(language for comparison in comparisons.values() for language in comparison.answers))
    for condition, comparison in comparisons.items():
        clusters = {question: cluster for given in comparison.answers.values() for question, cluster in given.clusters.items()}
        for question, passage in clusters.items():
            right = {language: given.right[question] for language, given in comparison.answers.items() if question in given.right}
            cells = {language: int(right[language]) if language in right else "" for language in languages}
            counts = {"languages": len(right), "right": sum(right.values())}
            yield condition._asdict() | {"question": question, "passage": passage} | counts | cells


def difference_rows(comparisons: Mapping[Condition, Comparison], notes: list[str]) -> Iterator[dict[str, Any]]:
    """One row per language, compared with English. A note says which languages have nothing to compare with."""
    for condition, comparison in comparisons.items():
        if comparison.english is None:
            notes.append(f"{condition.model}, {condition.name}: no comparable answers in English, so no differences")
            continue
        for language, answers in comparison.answers.items():
            if language == ENGLISH:
                continue
            beside = against_english(answers, comparison.english)
            if beside is None:
                notes.append(f"{condition.model}, {condition.name}, {language}: no question was also asked in English")
                continue
            asked = max(len(answers.right), len(comparison.english.right))
            if beside.difference.rows < asked:
                notes.append(
                    f"{condition.model}, {condition.name}, {language}: {beside.difference.rows} of {asked} questions were asked "
                    "in both languages; only these are compared"
                )
            counts, errors = _parts(beside.difference)
            accuracies = {"accuracy": beside.accuracy, "accuracy_en": beside.accuracy_en, "difference": beside.difference.mean}
            shares = {name: getattr(beside, name) for name in ("english_only", "language_only", "lost")}
            yield {**condition._asdict(), "language": language, **counts, **accuracies, **errors, **shares}


def _parts(difference: Estimate) -> tuple[dict[str, int], dict[str, float | None]]:
    """The number of questions and passages of a difference, and how certain it is."""
    counts = {"questions": difference.rows, "passages": difference.clusters}
    return counts, {name: getattr(difference, name) for name in ("stderr", "low", "high", "p_value")}


def correlation_rows(comparisons: Mapping[Condition, Comparison], notes: list[str]) -> Iterator[dict[str, Any]]:
    """One row for every two conditions of a model that share enough languages; a note says that some share fewer."""
    accuracies: dict[tuple[str, str], dict[Condition, dict[str, float]]] = {}
    for condition, comparison in comparisons.items():
        by_language = {language: given.accuracy for language, given in comparison.answers.items()}
        accuracies.setdefault((condition.model, condition.data_set), {})[condition] = by_language
        if len({frozenset(given.right) for given in comparison.answers.values()}) > 1:
            notes.append(
                f"{condition.model}, {condition.name}: the languages were asked different questions (--limit takes the first, "
                "which differ by language); rank correlations are those of the accuracies on all questions of each"
            )
    for (model, data_set), by_condition in accuracies.items():
        pairs = list(combinations(by_condition, 2))
        if any(len(by_condition[first].keys() & by_condition[second].keys()) < FEWEST_LANGUAGES for first, second in pairs):
            notes.append(
                f"{model}, {data_set}: settings that share fewer than {FEWEST_LANGUAGES} languages have no rank correlation: "
                "even a perfect one may be chance"
            )
        for first, second in pairs:
            if (correlation := rank_correlation(by_condition[first], by_condition[second])) is not None:
                called = {"first": first.name_among(by_condition), "second": second.name_among(by_condition)}
                yield {"model": model, "data_set": data_set, **called, **correlation._asdict()}


def consistency_rows(
    comparisons: Mapping[Condition, Comparison], notes: list[str], *, every: bool = True
) -> Iterator[dict[str, Any]]:
    """One row for every number of languages from two up, or for two and all: the share of same answers, and AC3."""
    for condition, comparison in comparisons.items():
        limited = {"limited": any(answers.limited for answers in comparison.answers.values())}
        rows = [condition._asdict() | found._asdict() | limited for found in consistencies(comparison.answers, every=every)]
        if not rows and len(comparison.answers) > 1:
            notes.append(f"{condition.model}, {condition.name}: no question has a known choice in all languages; no consistency")
        yield from rows


def error_rows(comparisons: Mapping[Condition, Comparison], beside: str = "") -> Iterator[dict[str, Any]]:
    """One row for every two languages, or for those with the language `beside`: see `shared_errors`."""
    for condition, comparison in comparisons.items():
        for first, second in combinations(comparison.answers, 2):
            if beside and beside not in (first, second):
                continue
            one, other = comparison.answers[first], comparison.answers[second]
            shared = shared_errors(one, other)
            if shared is not None:
                counts, errors = _parts(shared.excess)
                about = condition._asdict() | {"first": first, "second": second} | counts
                about |= {"limited": one.limited or other.limited, "few": counts["passages"] < FEWEST_CLUSTERS}
                yield about | shared._asdict() | {"excess": shared.excess.mean} | errors


def with_corrected_p_values(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the p-values corrected for their number (Holm)."""
    p_values = holm({place: row["p_value"] for place, row in enumerate(rows)})
    return [row | {"p_holm": p_values[place]} for place, row in enumerate(rows)]


def write_tables(comparisons: Mapping[Condition, Comparison], folder: Path, notes: list[str]) -> dict[Path, list[dict[str, Any]]]:
    """Writes questions.csv, differences.csv, consistency.csv, errors.csv and rank_correlations.csv, and returns their rows.

    A note names those that would be empty, which are not written.
    """
    out = WrittenFolder(folder, MANIFEST)
    tables = {
        "questions.csv": list(question_rows(comparisons)),
        "differences.csv": with_corrected_p_values(list(difference_rows(comparisons, notes))),
        "consistency.csv": list(consistency_rows(comparisons, notes)),
        "errors.csv": with_corrected_p_values(list(error_rows(comparisons))),
        "rank_correlations.csv": list(correlation_rows(comparisons, notes)),
    }
    notes += [f"{name} is not written, because it would be empty" for name, rows in tables.items() if not rows]
    written = {out.write(name, csv_text(rows)): rows for name, rows in tables.items() if rows}
    out.finish()
    return written
