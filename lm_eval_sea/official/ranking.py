"""The pack's ranking by perplexity for official tasks: the one place that knows how its task classes are built.

lm-eval has no hook for the perplexity of the whole text, which needs a request for the prompt and the number of tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval.api.task import ConfigurableTask

from lm_eval_sea.official.sailcompass_task import answer_scores
from lm_eval_sea.tasks._shared.calibrated_ranking_task import CalibratedRankingTask
from lm_eval_sea.tasks._shared.ranking_task import RankingTask


class SailCompassRankingTask(RankingTask):
    """Ranks the options of a row by `acc_ppl` and scores the chosen label as SailCompass does."""

    def download(self, dataset_kwargs: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """Loads the rows with the function under `custom_dataset`."""
        ConfigurableTask.download(self, dataset_kwargs, **kwargs)
        self._published_exemplars: list[dict] = []
        self.config.metadata["data_sha256"] = self.config.metadata["provenance"]["data_sha256"]

    def fewshot_docs(self) -> list[dict]:
        """None: the exemplars stand in the description."""
        return []

    def build_all_requests(self, **kwargs: Any) -> None:
        """Builds the requests of all rows.

        Raises:
            ValueError: if the tokenizer is not known, for then there is no perplexity.
        """
        if self._tokenizer is None:
            raise ValueError(
                f"{self.task_name}: the perplexity of a text needs the model's tokenizer, which cannot be loaded; name it with "
                "`--metadata tokenizer=NAME_OR_FOLDER`"
            )
        super().build_all_requests(**kwargs)

    def process_results(self, doc: dict, results: Sequence[Any]) -> dict[str, float]:
        """The official scores of the label of the lowest perplexity, for one row."""
        metrics = super().process_results(doc, results)
        record = self.config.dataset_kwargs["sailcompass_rows"]
        label = record["labels"][doc["predictions"]["acc_ppl"]]
        metrics |= answer_scores(record["evaluator"], label, doc["reference"])
        return {name: value for name, value in metrics.items() if name in self._metric_fn_list}


class SailCompassCalibratedTask(SailCompassRankingTask, CalibratedRankingTask):
    """The same for labels that all rows share, with the pack's contextual calibration beside it.

    The published classification numbers are calibrated, but no official code or configuration does it.
    """
