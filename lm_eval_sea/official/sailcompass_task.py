"""What the task files that `lm-eval-sea official sailcompass` writes need when lm-eval runs them: rows and scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import datasets

from lm_eval_sea import __version__
from lm_eval_sea.official.sailcompass_rows import SOURCE, Row, digest, find_file, loaded_rows, read_rows
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.metrics.sailcompass_scores import EXACT_MATCH, answer_scores, signatures, text_pair


def rows(*, sailcompass_rows: Mapping[str, Any], provenance: dict[str, Any], **metadata: Any) -> dict[str, datasets.Dataset]:
    """The rows of a task, for lm-eval's `custom_dataset`.

    Args:
        sailcompass_rows: file, loader, texts that it adds, columns shown, column of the answer, evaluator, and for ranking the
            labels and, where they differ from row to row, the columns of the options; and the digest of the rows that the task
            was written for.
        provenance: a mapping in the metadata, filled here with what the results should say of the rows and the scores.
        metadata: the rest of it, and the arguments of the model.

    Raises:
        DataError: if the rows cannot be had, or are others.
    """
    file = f"{SOURCE}/{sailcompass_rows['file']}"
    published = read_rows(sailcompass_rows["file"])
    loaded = loaded_rows(sailcompass_rows["loader"], published, sailcompass_rows.get("texts", {}), file)
    if digest(loaded) != sailcompass_rows["sha256"]:
        raise DataError(
            f"{file}: its {len(loaded)} rows are not those that the task was written for; write it anew with "
            "`lm-eval-sea official sailcompass`"
        )
    provenance |= {
        "data_revision": find_file(sailcompass_rows["file"])[1],
        "data_sha256": sailcompass_rows["sha256"],
        "rows_published": len(published),
        "pack_version": __version__,
        "signatures": signatures(sailcompass_rows["evaluator"]),
    }
    return {"test": datasets.Dataset.from_list([_task_row(row, sailcompass_rows) for row in loaded])}


# Columns of the texts that several rows share, which are not independent; a data set has one of them at most.
_SHARED_COLUMNS = ("flores_passage", "context", "premise", "sentence1")


def _task_row(row: Row, record: Mapping[str, Any]) -> Row:
    """What lm-eval needs of a row: the columns shown, the reference, and for ranking the options and the right one.

    Rows that share a passage or premise have the same `cluster`, by which the report knows them.

    A row whose answer is none of the labels has the right option −1: it is always answered wrongly, as officially.
    """
    reference = row[record["answer_column"]]
    reference = reference if isinstance(reference, list) else str(reference)
    shown: Row = {column: str(row[column]) for column in record["columns"]} | {"reference": reference}
    if shared := next((row[column] for column in _SHARED_COLUMNS if column in row), None):
        shown["cluster"] = hashlib.sha256(str(shared).encode()).hexdigest()[:16]
    if "labels" in record:
        is_right = EXACT_MATCH[record["evaluator"]]
        right = [position for position, label in enumerate(record["labels"]) if is_right(label, reference)]
        shown["gold"] = right[0] if right else -1
    if "option_columns" in record:
        shown["choices"] = [str(row[column]) for column in record["option_columns"]]
    return shown


def _process_results(evaluator: str) -> Callable[[Row, Sequence[str]], dict[str, float]]:
    def process_results(doc: Row, results: Sequence[str]) -> dict[str, float]:
        return answer_scores(evaluator, results[0], doc["reference"])

    return process_results


belebele_scores = _process_results("BelebeleEvaluator")
m3exam_scores = _process_results("M3examEmEvaluator")
m3exam_thai_scores = _process_results("M3examThEvaluator")
xquad_scores = _process_results("AnsEvaluator")
tydiqa_scores = _process_results("TydiqaIdEvaluator")


def text_scores(doc: Row, results: Sequence[str]) -> dict[str, tuple[str, str]]:
    """What BLEU and chrF++ need of one row, for lm-eval's `process_results`."""
    pair = text_pair(results[0], doc["reference"])
    return {"bleu_sailcompass": pair, "chrf_sailcompass": pair}
