"""What the task files that `lm-eval-sea make --official` writes need when lm-eval runs them: rows, scores, ranking."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets

from lm_eval_sea import __version__
from lm_eval_sea.tasks._shared.calibrated_ranking_task import CalibratedRankingTask
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.metrics.sailcompass_scores import EXACT_MATCH, answer_scores, signatures, text_pair
from lm_eval_sea.tasks._shared.ranking_task import RankingTask

Row = dict[str, Any]


def digest(rows: Sequence[Row]) -> str:
    """SHA-256 over rows; equal digests mean equal rows."""
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def rows_beside(utils: str) -> Callable[..., dict[str, datasets.Dataset]]:
    """The function for lm-eval's `custom_dataset` that loads a task's rows; they lie beside the task file and `utils`."""

    def rows(*, sailcompass_rows: Mapping[str, Any], provenance: dict[str, Any], **metadata: Any) -> dict[str, datasets.Dataset]:
        """The rows of a task; raises `DataError` if they are missing or have changed.

        `sailcompass_rows` has file, columns shown, column of the answer, evaluator, the digest of the rows, and for ranking the
        labels and, if options differ by row, their columns. `provenance` gets what the results should say.
        """
        path = Path(utils).with_name(sailcompass_rows["file"])
        try:
            loaded = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: cannot be read ({error}); run `lm-eval-sea make --official` again") from error
        if digest(loaded) != sailcompass_rows["sha256"]:
            raise DataError(
                f"{path}: its {len(loaded)} rows are not those that the task was written with; "
                "run `lm-eval-sea make --official` again"
            )
        provenance |= {
            "data_sha256": sailcompass_rows["sha256"],
            "rows_published": len(loaded),
            "pack_version": __version__,
            "signatures": signatures(sailcompass_rows["evaluator"]),
        }
        return {"test": datasets.Dataset.from_list([_task_row(row, sailcompass_rows) for row in loaded])}

    return rows


# Columns of texts that several rows share, so the rows are not independent; a data set has at most one of them.
_SHARED_COLUMNS = ("flores_passage", "context", "premise", "sentence1")


def _task_row(row: Row, record: Mapping[str, Any]) -> Row:
    """What lm-eval needs of a row: the columns shown, the reference, and for ranking the options and the right one.

    Rows that share a passage or premise have the same `cluster`, which the report uses.
    A row whose answer is none of the labels has the right option −1: it always counts as wrong, as in the official code.
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


def scores_of(evaluator: str) -> Callable[[Row, Sequence[str]], dict[str, Any]]:
    """The scores of a generated answer as an official evaluator gives them, for lm-eval's `process_results`.

    For `TextGenEvaluator` they are the pair of texts that BLEU and chrF++ compare.
    """

    def process_results(doc: Row, results: Sequence[str]) -> dict[str, Any]:
        if evaluator == "TextGenEvaluator":
            return dict.fromkeys(("bleu_sailcompass", "chrf_sailcompass"), text_pair(results[0], doc["reference"]))
        return answer_scores(evaluator, results[0], doc["reference"])

    return process_results


class SailCompassRankingTask(RankingTask):
    """Ranks the options of a row by `acc_ppl` and scores the chosen label as SailCompass does.

    lm-eval has no hook for the perplexity of the whole text, which needs a request for the prompt and the number of tokens.
    """

    NEEDS_TOKENIZER = "exact_match_sailcompass needs the model's tokenizer"

    def fewshot_docs(self) -> list[Row]:
        """None: the exemplars are in the description."""
        return []

    def build_all_requests(self, **kwargs: Any) -> None:
        """Builds the requests of all rows; raises `ValueError` without a tokenizer, because then there is no perplexity."""
        super().build_all_requests(**kwargs)
        if self._tokenizer is None:
            raise ValueError(f"{self.task_name}: {self.NEEDS_TOKENIZER}; use a backend that has one")

    def process_results(self, doc: Row, results: Any) -> dict[str, float]:
        """The official scores of the label of the lowest perplexity, for one row."""
        metrics = super().process_results(doc, results)
        record = self.config.dataset_kwargs["sailcompass_rows"]
        label = record["labels"][doc["predictions"]["acc_ppl"]]
        metrics |= answer_scores(record["evaluator"], label, doc["reference"])
        return {name: value for name, value in metrics.items() if name in self._wanted_metrics}


class SailCompassCalibratedTask(SailCompassRankingTask, CalibratedRankingTask):
    """The same for labels that all rows share, with the pack's contextual calibration beside it.

    The published classification scores are calibrated, but no official code or configuration does so.
    """
