"""The task class that ranks SEA-HELM's labels after its own prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calibrated_ranking_task import CalibratedRankingTask
from ..metrics.group_means import Outcome
from ..metrics.ranking import PROBABILITY, gold_probability
from .messages import SEAHelmMessages


if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..metrics.ranking import OptionScore


class SEAHelmRankingTask(SEAHelmMessages, CalibratedRankingTask):
    """Ranks the labels by their log-likelihood after the prompt and the answer tag, with and without calibration."""

    def process_results(self, doc: dict[str, Any], results: Sequence[OptionScore]) -> dict[str, Any]:
        """What each metric needs of one row, also SEA-HELM's probability and balanced accuracies."""
        metrics = super().process_results(doc, results)
        metrics[PROBABILITY] = gold_probability(results[doc["gold"]].loglikelihood)
        for suffix in ("", "_cc", "_pmi"):
            correct = float(doc["predictions"][f"acc{suffix}"] == doc["gold"])
            outcome = Outcome(doc["label"], correct, self.facts["chance"])
            metrics |= {f"balanced_acc{suffix}": outcome, f"balanced_acc{suffix}_stderr": outcome}
        return {name: value for name, value in metrics.items() if name in self._wanted_metrics}
