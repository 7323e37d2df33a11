"""SEA-HELM's prompt as messages, the same for chat models and base models. Made for every task class of the suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Message = dict[str, str]


class SEAHelmPrompt:
    """A mixin for task classes: messages of user and assistant, one pair an exemplar, and one of the user for the row.

    The preamble (`description`: what is asked, and in which format) stands at the head of the first message, with a blank line
    behind it; an exemplar's answer is the answer tag and its label. There is no system message but one that the user gives.
    Chat models get the messages through their template, base models their texts with a blank line between and one at the end.
    The exemplars are the first rows of the published split `examples`.

    `gen_prefix`, the answer tag, stands at the beginning of the answer where labels are ranked; a model that generates writes it
    itself.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Loads the rows, and finds out how many exemplars a prompt can have."""
        super().__init__(config)
        self._exemplars_by: str | None = self.config.metadata.get("exemplars_by")
        docs = self.test_docs() if self._exemplars_by else [{}]
        self._most_exemplars = min(len(self._exemplars_of(doc)) for doc in docs)

    def fewshot_docs(self) -> list[dict[str, Any]]:
        """The published exemplars."""
        return self._published_exemplars

    def _exemplars_of(self, doc: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The exemplars that a row may have: all, or those of its subject."""
        if self._exemplars_by is None:
            return self._published_exemplars
        return [row for row in self._published_exemplars if row[self._exemplars_by] == doc[self._exemplars_by]]

    def set_config(self, key: str, value: Any, update: bool = False) -> None:
        """Sets a configuration value.

        Raises:
            ValueError: for more exemplars than the data set has.
        """
        if key == "num_fewshot" and not 0 <= value <= self._most_exemplars:
            raise ValueError(
                f"{self.task_name}: --num_fewshot {value} asks for more exemplars than the data set has; "
                f"choose 0 to {self._most_exemplars}"
            )
        super().set_config(key, value, update)

    def doc_to_text(self, doc: Mapping[str, Any], doc_to_text: str | None = None) -> str:
        """The message of a row, without blanks at its ends."""
        return super().doc_to_text(doc, doc_to_text).strip()

    def messages(self, doc: Mapping[str, Any], num_fewshot: int) -> list[Message]:
        """The messages of a row with its exemplars."""
        messages = []
        for exemplar in self._exemplars_of(doc)[:num_fewshot]:
            label = exemplar["label"]
            answer = label[0] if isinstance(label, list) else label
            messages.append({"role": "user", "content": self.doc_to_text(exemplar)})
            messages.append({"role": "assistant", "content": f"{self.config.metadata['answer_tag']} {answer}"})
        messages.append({"role": "user", "content": self.doc_to_text(doc)})
        messages[0]["content"] = f"{self.config.description}\n\n{messages[0]['content']}".strip()
        return messages

    def fewshot_context(
        self,
        doc: Mapping[str, Any],
        num_fewshot: int,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        fewshot_as_multiturn: bool = True,
        chat_template: Callable[..., str] | None = None,
        gen_prefix: str | None = None,
    ) -> str:
        """The prompt. Exemplars are always messages of their own, whatever `fewshot_as_multiturn` says."""
        messages = self.messages(doc, num_fewshot)
        if system_instruction:
            messages.insert(0, {"role": "system", "content": system_instruction})
        if apply_chat_template and chat_template:
            prefix = [{"role": "assistant", "content": gen_prefix}] if gen_prefix else []
            return chat_template(messages + prefix, add_generation_prompt=not gen_prefix)
        return "".join(message["content"].strip() + "\n\n" for message in messages) + (gen_prefix or "")

    def _request_shape(self) -> dict[str, Any]:
        metadata = self.config.metadata
        return super()._request_shape() | {
            "answer_tag": metadata["answer_tag"],
            "gen_prefix": self.config.gen_prefix,
            "exemplars_by": self._exemplars_by,
        }
