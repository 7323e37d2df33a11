"""The task classes of chat tasks: what reads an answer also gets the prompt that it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base_task import ModelTask
from ..summarization_task import SummarizationTask


if TYPE_CHECKING:
    from typing_extensions import Self

    from lm_eval.api.instance import Instance


class PromptedText(str):
    """A generated text with its prompt, and with what its backend told of it (`models/generated_text.py`)."""

    prompt: str
    told: Any

    def __new__(cls, text: str, prompt: str) -> Self:
        """A text and the rendered prompt."""
        made = super().__new__(cls, text)
        made.prompt, made.told = prompt, text
        return made

    def __getattr__(self, name: str) -> Any:
        """What the backend told; None of what it did not."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.told, name, None)

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """What `pickle` makes the text of."""
        return str(self), self.prompt


class ChatTask(ModelTask):
    """Generation whose scores come from the key `process_results`.

    Whether an answer is cut in its thought can depend on the prompt, for many chat templates open the thought. lm-eval hands the
    answers alone to `process_results`, but applies filters to whole requests.
    """

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> Instance | list[Instance]:
        """The request of one row; where the engine is to choose, with the options to choose from."""
        made = super().construct_requests(doc, ctx, **kwargs)
        if self.facts["variant"] == "choice":
            tag, labels = self.facts["answer_tag"], self.facts.get("label_words") or doc["letters"]
            constraint = {"structured_outputs": {"choice": [f"{tag} {label}" for label in labels]}}
            for instance in made if isinstance(made, list) else [made]:
                prompt, arguments = instance.arguments
                instance.arguments = (prompt, arguments | constraint)
        return made

    def apply_filters(self) -> list[Instance] | None:
        """As lm-eval does; then every answer knows its prompt."""
        filtered = super().apply_filters()
        for instance in self.instances:
            prompt = str(instance.arguments[0])
            for key, found in instance.filtered_resps.items():
                if isinstance(found, str):
                    instance.filtered_resps[key] = PromptedText(found, prompt)
        return filtered


class ChatSummarizationTask(ChatTask, SummarizationTask):
    """The same for documents that may be too long for the model."""
