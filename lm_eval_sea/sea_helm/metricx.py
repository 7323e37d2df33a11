"""Scores the translations in lm-eval's samples with MetricX-24 and writes the scores beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from lm_eval_sea.results.rows import says_its_order
from lm_eval_sea.results.runs import TaskRun
from lm_eval_sea.results.types import ResultsError, digest_of, is_number
from lm_eval_sea.sea_helm import OFFICIAL_BATCH, OFFICIAL_MODEL, OFFICIAL_TOKENIZER, SEAHELM, SeaHelmError, row_scores
from lm_eval_sea.sea_helm.metricx_model import WORST, points, text_of
from lm_eval_sea.sea_helm.totals.evidence import place_of, rows_in_order
from lm_eval_sea.tasks._shared.row_order import FEW_ROWS

GROUP = "translations"  # of the tasks that MetricX scores
BATCHES = "metricx-batches"  # beginning of the name of the file with the errors of the batches
_COLUMNS = ("doc.text", "doc.answer", "doc.label")

Errors = Callable[[Sequence[str]], list[float]]


class Setting(NamedTuple):
    """How the errors are computed; other settings give other numbers."""

    model: str
    tokenizer: str
    eos: str  # one of EOS_RULES
    batch_size: int

    @property
    def notes(self) -> list[str]:
        """Why the number is not SEA-HELM's, if so."""
        different = []
        if [Path(self.model).name, Path(self.tokenizer).name] != [Path(OFFICIAL_MODEL).name, Path(OFFICIAL_TOKENIZER).name]:
            different.append(f"SEA-HELM has {OFFICIAL_MODEL} with the tokenizer of {OFFICIAL_TOKENIZER}")
        if self.eos != SEAHELM:
            different.append("SEA-HELM leaves most texts their end token")
        elif self.batch_size != OFFICIAL_BATCH:
            different.append(f"SEA-HELM has batches of {OFFICIAL_BATCH}, on which scores depend")
        return [f"not SEA-HELM's number: {' and '.join(different)}"] if different else []


class Job(NamedTuple):
    """The translations of one task in one run, in the order in which they were published."""

    task: TaskRun
    doc_ids: list[int]
    texts: list[str]  # as the model reads them
    clusters: list[str]  # of the rows


def jobs_of(tasks: Sequence[TaskRun], notes: list[str]) -> list[Job]:
    """The translations in tasks of all runs; `notes` gets a line for what cannot be read.

    Raises `ResultsError` if there are none, or a row lacks a text.
    """
    jobs = []
    for task in tasks:
        place = place_of(task.facts)
        if place is None or place.group != GROUP or task.samples is None:
            continue
        frame = rows_in_order(task, notes, *_COLUMNS)
        if len(frame) > FEW_ROWS and not says_its_order(frame):
            notes.append(
                f"{task.samples}: its rows do not say in which order they were published, so its batches are not SEA-HELM's; "
                "run the task again"
            )
        rows = frame[["doc_id", *_COLUMNS]].itertuples(index=False, name=None)
        texts = [_text(task, *row) for row in rows]
        if not texts:
            notes.append(f"{task.samples}: left out, because it has no rows")
            continue
        jobs.append(Job(task, frame.doc_id.tolist(), texts, frame.cluster.tolist()))
    if not jobs:
        raise ResultsError("no samples of SEA-HELM's translations here; run sea_helm_id_translation_en_xx with --log_samples")
    return jobs


def _text(task: TaskRun, number: Any, source: Any, answer: Any, label: Any) -> str:
    reference = label[0] if isinstance(label, list) and label else label
    if not all(isinstance(text, str) for text in (source, answer, reference)) or not isinstance(number, int):
        raise ResultsError(f"{task.samples}: row {number} lacks its source, answer or reference; run the task again")
    return text_of(source, answer, reference)


def score(jobs: Sequence[Job], errors: Errors, setting: Setting) -> list[str]:
    """Computes the errors batch by batch, saves each at once, writes the scores, and returns a line for each task.

    Batches follow the published order of the rows, as SEA-HELM's do, because its scores depend on the batch. `errors` computes
    the errors of a batch, 0 to 25 each. Raises `SeaHelmError` if one is no such number, `ResultsError` if another process
    scores the same task.
    """
    total = sum(-(-len(job.texts) // setting.batch_size) for job in jobs)
    lines = []
    with tqdm(total=total, desc="MetricX", unit="batch") as progress:
        for job in jobs:
            done = row_scores.KeyedLines(job.task.beside(BATCHES, ".jsonl"))
            found: list[float] = []
            with done.alone():
                for start in range(0, len(job.texts), setting.batch_size):
                    texts = job.texts[start : start + setting.batch_size]
                    key = digest_of([*setting, texts])
                    kept = (done.get(key) or {}).get("errors")
                    if not isinstance(kept, list) or len(kept) != len(texts) or not all(map(_is_error, kept)):
                        kept = errors(texts)
                        if not all(map(_is_error, kept)):
                            raise SeaHelmError(
                                f"{setting.model}: an error is no number (its weights overflow?); try another --device"
                            )
                        done.add(key, {"errors": kept})
                    found += kept
                    progress.update()
            lines.append(_written(job, found, setting))
    return lines


def _is_error(value: Any) -> bool:
    return is_number(value) and 0 <= value <= WORST


def _written(job: Job, errors: Sequence[float], setting: Setting) -> str:
    by_row = {doc_id: points(error) for doc_id, error in zip(job.doc_ids, errors, strict=True)}
    scorer = f"MetricX-24 by {setting.model}, end tokens as {setting.eos}, batches of {setting.batch_size}"
    details = {"setting": setting._asdict(), "mean_error": sum(errors) / len(errors)}
    clusters = dict(zip(job.doc_ids, job.clusters, strict=True))
    notes = setting.notes
    if job.task.limited and setting.eos == SEAHELM:
        notes.append("of only a part of the rows, so its batches, on which scores depend, are not SEA-HELM's")
    scores = row_scores.RowScores(scorer, 100.0, by_row, notes, details, clusters)
    return row_scores.write_beside(job.task, row_scores.METRICX, scores, scores.mean_text)
