"""The task class that lets the model write the letter of its answer."""

from __future__ import annotations

from collections.abc import Sequence

from .generation_task import BoundedGenerationTask
from .letter_answer import extract_letter


class LetterGenerationTask(BoundedGenerationTask):
    """Multiple choice by greedy generation of the answer's letter, read strictly (`letter_answer.py`).

    `metadata.reading`, if there, holds the keyword arguments of `extract_letter`; else only the prompt's cue may come before.
    """

    def process_results(self, doc: dict, results: Sequence[str]) -> dict[str, float]:
        """exact_match: the letter is right; null_rate: there is no letter. The predictions are written into `doc`."""
        reading = self.config.metadata.get("reading", {"cues": [self.config.metadata["answer_cue"]]})
        letter = extract_letter(results[0], doc["letters"], doc["options"], **reading)
        doc["predictions"] = {"exact_match": letter}
        metrics = {"exact_match": float(letter == doc["gold"]), "null_rate": float(letter is None)}
        return {metric: value for metric, value in metrics.items() if metric in self._metric_fn_list}
