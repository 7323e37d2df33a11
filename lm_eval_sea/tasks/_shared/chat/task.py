"""The task classes of chat tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base_task import ModelTask
from ..prompted_answers import PromptedAnswers
from ..summarization_task import SummarizationTask


if TYPE_CHECKING:
    from lm_eval.api.instance import Instance


class ChatTask(PromptedAnswers, ModelTask):
    """Generation whose scores come from the key `process_results`."""

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> Instance | list[Instance]:
        """The request of one row, with the options if the engine is to choose among them."""
        made = super().construct_requests(doc, ctx, **kwargs)
        if self.facts["variant"] == "choice":
            tag, labels = self.facts["answer_tag"], self.facts.get("label_words") or doc["letters"]
            constraint = {"structured_outputs": {"choice": [f"{tag} {label}" for label in labels]}}
            for instance in made if isinstance(made, list) else [made]:
                prompt, arguments = instance.arguments
                instance.arguments = (prompt, arguments | constraint)
        return made


class ChatSummarizationTask(ChatTask, SummarizationTask):
    """A `ChatTask` with documents that may be too long for the model."""
