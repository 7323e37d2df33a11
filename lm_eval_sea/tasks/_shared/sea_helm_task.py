"""The task classes of SEA-HELM that let the model write an answer behind an answer tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval.api.instance import Instance

from .generation_task import BoundedGenerationTask
from .group_means import Outcome
from .sea_helm_answer import published_label, published_text, strict_label, strict_text, without_thinking
from .sea_helm_metrics import METRICS, NORMALISED
from .sea_helm_prompt import SEAHelmPrompt

_STDERR, _STRICT = "_stderr", "_strict"


class SEAHelmTask(SEAHelmPrompt, BoundedGenerationTask):
    """Generation with SEA-HELM's prompts.

    Nothing stops a chat model but the end of its turn. A base model is stopped where it begins another message of the user; a
    bare blank line would also stop it before the answer tag.
    """

    def construct_requests(self, doc: dict, ctx: str, **kwargs: Any) -> Instance:
        """The request of one row."""
        is_chat = kwargs.get("apply_chat_template", False)
        instance = super().construct_requests(doc, ctx, **kwargs)
        head = self.config.doc_to_text.partition("{")[0].strip()
        if head and not is_chat:
            prompt, arguments = instance.arguments
            instance.arguments = (prompt, arguments | {"until": [*arguments["until"], f"\n\n{head}"]})
        return instance

    def _answer(self, results: Sequence[str]) -> str:
        """What the model wrote, without its thoughts."""
        return without_thinking(results[0])


class SEAHelmLabelTask(SEAHelmTask):
    """The answer is one of the labels; balanced accuracy over the right labels."""

    GROUPED_BY = "label"
    MINIMAL_PAIRS = False

    def process_results(self, doc: dict, results: Sequence[str]) -> dict[str, Any]:
        """What each metric needs of one row. The labels that were read are written into `doc`."""
        text, metadata = self._answer(results), self.config.metadata
        tag, labels = metadata["answer_tag"], metadata["labels"]
        read = {
            "": published_label(text, tag, labels, minimal_pairs=self.MINIMAL_PAIRS),
            _STRICT: strict_label(text, tag, labels),
        }
        doc["predictions"] = {"published": read[""], "strict": read[_STRICT]}
        values: dict[str, Any] = {}
        for suffix, label in read.items():
            correct = float(label == doc["label"])
            values[f"correct{suffix}"] = correct
            values[f"null_rate{suffix}"] = float(label is None)
            values[f"balanced_acc{suffix}"] = Outcome(doc["label"], correct, metadata["chance"])
            grouped = Outcome(doc[self.GROUPED_BY], correct, metadata["chance"])
            values |= {f"{metric}{suffix}": grouped for metric in ("phenomena_acc", "normalised")}
            values |= {f"acc_{phenomenon}{suffix}": grouped for phenomenon in metadata.get("phenomena", ())}
        values |= {f"{name}{_STDERR}": value for name, value in values.items()}
        # --predict_only takes metrics away, and not every task has all phenomena
        return {name: value for name, value in values.items() if name in self._metric_fn_list}


class SEAHelmPhenomenonTask(SEAHelmLabelTask):
    """LINDSEA: the mean of the accuracies on the linguistic phenomena."""

    GROUPED_BY = "phenomenon"


class SEAHelmMinimalPairTask(SEAHelmPhenomenonTask):
    """LINDSEA's minimal pairs, whose labels are read in a way of their own."""

    MINIMAL_PAIRS = True


class SEAHelmTextTask(SEAHelmTask):
    """The answer is a line of text behind the answer tag."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Loads the rows, and notes in the metadata how each score is made."""
        super().__init__(config)
        metadata = self.config.metadata
        self._language: str = metadata["answer_language"]
        own = METRICS | {"normalised": NORMALISED.get(metadata["headline_metric"])}
        self._metrics = {name: own[name.removesuffix(_STRICT)] for name in self._metric_fn_list}
        metadata["signatures"] = {name: metric.signature(self._language) for name, metric in self._metrics.items()}

    def process_results(self, doc: dict, results: Sequence[str]) -> dict[str, Any]:
        """What each metric needs of one row. The answers that are scored are written into `doc`."""
        text, tag = self._answer(results), self.config.metadata["answer_tag"]
        doc["answer"], doc["answer_strict"] = published_text(text, tag), strict_text(text, tag)
        references = doc["label"] if isinstance(doc["label"], list) else [doc["label"]]
        return {
            name: metric.of_row(doc["answer_strict" if name.endswith(_STRICT) else "answer"], references, self._language)
            for name, metric in self._metrics.items()
            if name in self._metric_fn_list  # --predict_only takes them away
        }
