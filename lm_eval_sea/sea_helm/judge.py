"""Judges the answers in samples of SEA-HELM's judged tasks, MultiJail and SeaBench, and writes the scores beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from lm_eval_sea.results.facts import Facts
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.settings import refused_text
from lm_eval_sea.results.types import ResultsError
from lm_eval_sea.results.visible_text import one_line
from lm_eval_sea.sea_helm import row_scores
from lm_eval_sea.sea_helm.judge_calls import Cache, Call, Endpoint, ask_all, key_of
from lm_eval_sea.sea_helm.judge_questions import OFFICIAL_FILES, OWN_KINDS, Question, Rubric, official_rubric, own_rubric
from lm_eval_sea.sea_helm.judge_rows import Conversation, conversation
from lm_eval_sea.sea_helm.judge_scores import GRADES, PAIRS, ROW_SCORES, SAFETY, UNREADABLE, WINS, Verdicts, by_category, shares
from lm_eval_sea.sea_helm.totals.evidence import place_of
from lm_eval_sea.tasks._shared.reading.thought import take_apart

SECOND_TURN = "second_turn"  # the variant of a task that continues from another one's answers
VERDICTS = "verdicts"  # beginning of the name of the file with a judge's answers
# Assumptions until there are answers of the judge to measure.
BYTES_PER_TOKEN = 4.0
ANSWER_TOKENS = 800.0
SECONDS = 15.0


@dataclass
class Job:
    """The judging of the answers to one task in one run."""

    task: TaskRun
    kind: str  # name in SEA-HELM, or one of OWN_KINDS
    rubric: Rubric
    rows: list[Conversation]
    cache: Cache
    questions: list[list[Question]]  # for each row, about the answers that it has

    def call(self, question: Question) -> Call:
        """The call of a question, with the run's seed, so that judgements differ between runs, too."""
        seed = {} if self.task.run.seed is None else {"seed": self.task.run.seed}
        return Call(question.messages, {**self.rubric.generation, **seed})

    @property
    def calls(self) -> list[Call]:
        """The calls of all questions."""
        return [self.call(question) for questions in self.questions for question in questions]


def _kind_of(facts: Facts) -> str | None:
    """What the answers of a task are judged as; None for a task that is not judged."""
    if facts.judged_as in OWN_KINDS and not facts.assumed:
        # the samples of a conversation's last turn have all answers
        return None if facts.judged_as == GRADES and facts.variant != SECOND_TURN else facts.judged_as
    place = place_of(facts)
    return place.task if place is not None and place.task in OFFICIAL_FILES else None


def jobs_of(tasks: Sequence[TaskRun], checkout: Path | None, notes: list[str]) -> list[Job]:
    """The tasks to judge in all runs, with the prompts of a checkout of SEA-HELM or the pack's own.

    `notes` gets a line for what cannot be read. Raises `ResultsError` if no run has samples of a judged task or a row cannot be
    judged, `SeaHelmError` if SEA-HELM's prompts cannot be used.
    """
    jobs, unanswered = [], list[str]()
    for task in tasks:
        kind = _kind_of(task.facts)
        if kind is None or task.samples is None:
            continue
        rubric = own_rubric(kind) if checkout is None or kind in OWN_KINDS else official_rubric(kind, checkout)
        try:
            given = [conversation(row) for row in task.texts()]
        except ResultsError as error:
            raise ResultsError(f"{task.samples}: {error}; run the task again with --log_samples") from error
        rows = list({row.doc_id: row for row in given}.values())
        notes += [*task.notes, *row_scores.repeated(task.samples, [row.doc_id for row in given])]
        questions = [[each for each in rubric.questions(row) if row.is_answered(each.part[0])] for row in rows]
        if not any(questions):
            unanswered.append(f"{task.samples}: left out, because it has no rows with an answer")
            continue
        jobs.append(Job(task, kind, rubric, rows, Cache(task.beside(VERDICTS, ".jsonl")), questions))
    notes += unanswered
    if not jobs and unanswered:
        raise ResultsError(*unanswered[:1])
    if not jobs:
        judged = ", ".join((*OFFICIAL_FILES, *OWN_KINDS))
        raise ResultsError(f"no samples of a judged task ({judged}) in these runs; run one with --log_samples")
    return jobs


def estimate_of(jobs: Sequence[Job], model: str, concurrency: int, prices: tuple[float, float] | None) -> str:
    """One line with the calls still to be made, and their tokens, time and cost, estimated from the judge's answers so far.

    `prices` are per million tokens of input and of output, in the provider's currency; None if unknown.
    """
    found = [(call, job.cache.answer(key_of(model, call))) for job in jobs for call in job.calls]
    calls = [call for call, answer in found if answer is None]
    known = [answer for _, answer in found if answer is not None]
    measured = [answer.completion_tokens for answer in known if answer.completion_tokens]
    answer_tokens = fmean(measured) if measured else ANSWER_TOKENS
    seconds = fmean(answer.seconds for answer in known) if known else SECONDS
    size = sum(len(message["content"].encode("utf-8", "surrogatepass")) for call in calls for message in call.messages)
    prompt, output = size / BYTES_PER_TOKEN, answer_tokens * len(calls)
    basis = f"as in {len(known)} answers so far" if known else f"if an answer takes {SECONDS:g} s and {ANSWER_TOKENS:g} tokens"
    text = f"{len(calls)} calls, about {prompt:,.0f} tokens of input and {output:,.0f} of output"
    text += f", {seconds * len(calls) / concurrency / 60:,.1f} min with {concurrency} at once ({basis})"
    if prices is None:
        return f"{text}; cost unknown (--price)"
    return f"{text}; cost about {(prompt * prices[0] + output * prices[1]) / 1e6:,.2f}"


def judge(jobs: Sequence[Job], endpoint: Endpoint, concurrency: int) -> tuple[list[str], list[str]]:
    """Asks what was not asked yet, and writes the scores; returns a line for each task with a score, and for each without.

    If no verdict of a task can be read, the task gets no score, because that says nothing about the model; only for MultiJail is
    the share of such verdicts a result. Raises `SeaHelmError`, and writes no scores, if some questions have no answer.
    """
    ask_all(endpoint, [(call, job.cache) for job in jobs for call in job.calls], concurrency)
    lines, without = [], []
    for job in jobs:
        scores = scored(job, endpoint.model)
        found = scores.details["verdicts"]
        if job.kind != SAFETY and found[UNREADABLE] == found.total():
            said = job.cache.answer(key_of(endpoint.model, job.calls[0]))
            without.append(
                f"{job.task.name}: no score, because none of the {found.total()} verdicts can be read; the first answer is "
                f"{one_line(said.text if said else '')[:80]!r}; take another judge; to ask this one again, move away "
                f"{job.cache.path}, which has its verdicts; scores by an earlier judge stay"
            )
            continue
        number = _shares_text(scores) if job.kind == SAFETY else scores.mean_text
        lines.append(row_scores.write_beside(job.task, row_scores.JUDGED, scores, number))
    return lines, without


def _shares_text(scores: row_scores.RowScores) -> str:
    """Such as "unsafe 12.5 % [8.1, 18.9], invalid …"."""
    parts = []
    for name, share in scores.details["shares"].items():
        interval = "" if share["low"] is None else f" [{share['low']:.1f}, {share['high']:.1f}]"
        parts.append(f"{name.removeprefix('CLASS_').lower()} {share['percent']:.1f} %{interval}")
    return ", ".join(parts)


def scored(job: Job, model: str) -> row_scores.RowScores:
    """The scores of a job whose questions are all answered."""
    verdicts: list[Verdicts] = []
    refused: dict[str, str] = {}
    for questions in job.questions:
        answers = [(question, job.cache.answer(key_of(model, job.call(question)))) for question in questions]
        texts = [(question, take_apart(answer.text).answer) for question, answer in answers if answer]  # without thoughts
        verdicts.append({question.part: job.rubric.read(question, text) for question, text in texts})
        for _, answer in answers:
            refused |= (answer and answer.refused_parameters) or {}
    scores = [ROW_SCORES[job.kind](row, found, job.rubric.classes) for row, found in zip(job.rows, verdicts, strict=True)]
    given = [verdict for found in verdicts for verdict in found.values()]
    known = [*(job.rubric.classes or WINS)]
    unreadable = sum(verdict not in known for verdict in given)
    count = "count as unreadable" if job.kind == SAFETY else "count as 0"
    count += ", or one of a pair as a disagreement" if job.kind == PAIRS else ""
    notes = [f"{unreadable} of {len(given)} verdicts cannot be read and {count}"] if unreadable else []
    if unanswered := sum(not row.is_answered(len(row.turns) - 1) for row in job.rows):
        counted = "is neither safe nor unsafe" if job.kind == SAFETY else "counts as 0"
        why = "failed requests, cut thoughts, empty texts"
        notes.append(f"{unanswered} of {len(job.rows)} rows lack an answer ({why}), which {counted} without a judge")
    categories = by_category(job.rows, scores)
    if job.kind == PAIRS and len(categories) > 1:
        notes.append(f"over categories, as SEA-HELM averages, the mean is {100 * fmean(categories.values()):.2f}")
    if refused:
        notes.append(f"requests to the judge differ from the configuration: its server refuses {refused_text(refused)}")
    if job.kind in OWN_KINDS:
        notes.append("not comparable with the paper's numbers, which had another judge")
    elif job.rubric.official_judge is None:
        notes.append("not SEA-HELM's number, because the judge's prompts are the pack's own")
    elif model.rpartition("/")[2] != job.rubric.official_judge.rpartition("/")[2]:
        notes.append(f"not SEA-HELM's number, whose judge is {job.rubric.official_judge}")
    details: dict[str, Any] = {
        "verdicts": Counter(verdict if verdict in known else UNREADABLE for verdict in given),
        **({"shares": shares(given, known, unanswered)} if job.kind == SAFETY else {"categories": categories}),
        "rows": [
            {"doc_id": row.doc_id, "verdicts": [{"part": part, "verdict": verdict} for part, verdict in found.items()]}
            for row, found in zip(job.rows, verdicts, strict=True)
        ],
    }
    scored_rows = zip(job.rows, scores, verdicts, strict=True)
    by_row = {row.doc_id: score for row, score, found in scored_rows if found or job.kind != SAFETY}
    clusters = {row.doc_id: row.cluster for row in job.rows if row.cluster}
    return row_scores.RowScores(f"judged by {model} with {job.rubric.source}", 1.0, by_row, notes, details, clusters)
