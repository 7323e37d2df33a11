"""Scores the translations in lm-eval's samples with MetricX-24 and writes the scores beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from lm_eval_sea.results.run_files import Run, is_number, read_samples
from lm_eval_sea.sea_helm import published_order, row_scores
from lm_eval_sea.sea_helm.keyed_lines import KeyedLines
from lm_eval_sea.sea_helm.metricx_model import OFFICIAL_MODEL, OFFICIAL_TOKENIZER, SEAHELM, points, text_of
from lm_eval_sea.sea_helm.totals.evidence import place_of

GROUP = "translations"  # of the tasks that MetricX scores
BATCHES = "metricx-batches"  # beginning of the name of the file with the errors of the batches
_COLUMNS = ("doc_id", "doc.text", "doc.answer", "doc.label", published_order.COLUMN)

Errors = Callable[[Sequence[str]], list[float]]


class NothingToScoreError(ValueError):
    """The runs have no translations that can be scored; one line that says what to do."""


class Setting(NamedTuple):
    """How the errors are found; other settings are other numbers."""

    model: str
    tokenizer: str
    eos: str  # one of EOS_RULES
    batch_size: int

    @property
    def notes(self) -> list[str]:
        """What makes the number another than SEA-HELM's."""
        different = []
        if (self.model, self.tokenizer) != (OFFICIAL_MODEL, OFFICIAL_TOKENIZER):
            different.append(f"its model is {OFFICIAL_MODEL} with the tokenizer of {OFFICIAL_TOKENIZER}")
        if self.eos != SEAHELM:
            different.append("it leaves most texts their end token")
        return [f"not SEA-HELM's number, for {' and '.join(different)}"] if different else []


class Job(NamedTuple):
    """The translations of one samples file, in the order in which they were published."""

    task: str
    samples: Path
    doc_ids: list[int]
    texts: list[str]  # as the model reads them


def jobs_of(runs: Sequence[Run], notes: list[str]) -> list[Job]:
    """The translations there are.

    Args:
        runs: with the samples of tasks of translation; other tasks are passed over.
        notes: gets a line for what cannot be read.

    Raises:
        NothingToScoreError: if there are none, or a row lacks a text.
    """
    jobs = []
    for run in runs:
        for task in run.tasks.values():
            place = place_of(task.metadata)
            if place is None or place.group != GROUP or task.samples is None:
                continue
            rows = published_order.in_published_order(read_samples(task.samples, _COLUMNS, notes))
            if published_order.may_be_out_of_order(rows):
                notes.append(
                    f"{task.samples}: its rows do not say in which order they were published, so its batches are not SEA-HELM's; "
                    "run the task again"
                )
            texts = [_text(row, task.samples) for row in rows]
            if not rows:
                notes.append(f"{task.samples}: left out, it has no rows")
                continue
            jobs.append(Job(task.name, task.samples, [row["doc_id"] for row in rows], texts))
    if not jobs:
        raise NothingToScoreError(
            "no samples of SEA-HELM's translations in these runs; run sea_helm_id_translation_en_xx or another with --log_samples"
        )
    return jobs


def _text(row: Mapping[str, Any], samples: Path) -> str:
    label = row["doc.label"]
    reference = label[0] if isinstance(label, list) and label else label
    texts = (row["doc.text"], row["doc.answer"], reference)
    if not all(isinstance(text, str) for text in texts) or not isinstance(row["doc_id"], int):
        raise NothingToScoreError(f"{samples}: row {row['doc_id']} lacks its source, answer or reference; run the task again")
    return text_of(*texts)


def score(jobs: Sequence[Job], errors: Errors, setting: Setting) -> list[str]:
    """Finds the errors batch by batch, each on disk as soon as it is there, writes the scores, and says what came of each task.

    Batches are rows in published order, as SEA-HELM's are, for by its way a text's score depends on its batch.

    Args:
        jobs: what to score.
        errors: texts of a batch → error of each, 0 to 25.
        setting: how `errors` finds them.
    """
    total = sum(-(-len(job.texts) // setting.batch_size) for job in jobs)
    lines = []
    with tqdm(total=total, desc="MetricX", unit="batch") as progress:
        for job in jobs:
            name = f"{BATCHES}{job.samples.stem.removeprefix('samples')}.jsonl"
            done = KeyedLines(job.samples.with_name(name))
            found: list[float] = []
            for start in range(0, len(job.texts), setting.batch_size):
                texts = job.texts[start : start + setting.batch_size]
                key = hashlib.sha256(json.dumps([*setting, texts]).encode()).hexdigest()
                kept = (done.get(key) or {}).get("errors")
                if not isinstance(kept, list) or len(kept) != len(texts) or not all(map(is_number, kept)):
                    kept = errors(texts)
                    done.add(key, {"errors": kept})
                found += kept
                progress.update()
            lines.append(_written(job, found, setting))
    return lines


def _written(job: Job, errors: Sequence[float], setting: Setting) -> str:
    by_row = {doc_id: points(error) for doc_id, error in zip(job.doc_ids, errors, strict=True)}
    scorer = f"MetricX-24 by {setting.model}, end tokens as {setting.eos}, batches of {setting.batch_size}"
    details = {"setting": setting._asdict(), "mean_error": sum(errors) / len(errors)}
    path = row_scores.path_beside(job.samples, row_scores.METRICX)
    row_scores.write(path, row_scores.RowScores(scorer, 100.0, by_row, setting.notes, details))
    mean = sum(by_row.values()) / len(by_row)
    return f"{job.task}: {mean:.2f} of 100, {len(by_row)} rows; {'; '.join([scorer, *setting.notes])}; {path}"
