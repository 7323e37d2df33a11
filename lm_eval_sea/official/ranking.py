"""The pack's ranking by perplexity for official tasks: the one place that knows how its task classes are built.

lm-eval has no hook for the perplexity of the whole text, which needs a request for the prompt and the number of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lm_eval_sea.tasks._shared.calibrated_ranking_task import CalibratedRankingTask
from lm_eval_sea.tasks._shared.metrics.sailcompass_scores import answer_scores
from lm_eval_sea.tasks._shared.ranking_task import RankingTask


class SailCompassRankingTask(RankingTask):
    """Ranks the options of a row by `acc_ppl` and scores the chosen label as SailCompass does."""

    NEEDS_TOKENIZER = "exact_match_sailcompass needs the model's tokenizer"

    def fewshot_docs(self) -> list[dict]:
        """None: the exemplars stand in the description."""
        return []

    def build_all_requests(self, **kwargs: Any) -> None:
        """Builds the requests of all rows.

        Raises:
            ValueError: if the tokenizer is not known, or declined, for then there is no perplexity.
        """
        super().build_all_requests(**kwargs)
        if self._tokenizer is None:
            raise ValueError(f"{self.task_name}: {self.NEEDS_TOKENIZER}; it cannot go without")

    def process_results(self, doc: dict, results: Sequence[Any]) -> dict[str, float]:
        """The official scores of the label of the lowest perplexity, for one row."""
        metrics = super().process_results(doc, results)
        record = self.config.dataset_kwargs["sailcompass_rows"]
        label = record["labels"][doc["predictions"]["acc_ppl"]]
        metrics |= answer_scores(record["evaluator"], label, doc["reference"])
        return {name: value for name, value in metrics.items() if name in self._wanted_metrics}


class SailCompassCalibratedTask(SailCompassRankingTask, CalibratedRankingTask):
    """The same for labels that all rows share, with the pack's contextual calibration beside it.

    The published classification numbers are calibrated, but no official code or configuration does it.
    """
