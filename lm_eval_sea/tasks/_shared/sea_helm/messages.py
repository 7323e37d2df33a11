"""SEA-HELM's prompt as messages, which are the same for chat models and base models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lm_eval.api.task import ConfigurableTask

from ..facts import facts
from ..lm_eval_private import template


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


Message = dict[str, str]


class SEAHelmMessages(ConfigurableTask):
    """A task that asks by messages: a pair of user and assistant for each exemplar, and one of the user for the row.

    The first message begins with the preamble (`description`: what is asked, and in which format) and a blank line. An
    exemplar's answer is the answer tag and its label. There is no system message, unless the user gives one. Chat models get
    the messages through their template. Base models get the texts with a blank line between them and one at the end. The
    exemplars are the first rows of the published split `examples` or, with `metadata.exemplars_by`, the first with the same
    value as the row in this column. If a row has `answers` to earlier `turns`, these come before its own message.

    `gen_prefix`, the answer tag, begins the answer if labels are ranked; a model that generates writes it itself. lm-eval's own
    messages begin with the description as a system message, and no hook changes that.
    """

    def doc_to_text(self, doc: Mapping[str, Any], doc_to_text: str | None = None) -> str:
        """The message of a row, without white space at its ends."""
        text: str = template(doc_to_text or self.config.doc_to_text).render(doc)
        return text.strip()

    def _exemplars_of(self, doc: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
        """The first exemplars that a row may have; raises `ValueError` if there are fewer."""
        column = facts(self.config.metadata).get("exemplars_by")
        exemplars = [row for row in self.sampler.df if column is None or row[column] == doc[column]]
        if number > len(exemplars):
            of = f" with {column} {doc[column]!r}" if column else ""
            raise ValueError(
                f"{self.task_name}: --num_fewshot {number} asks for more exemplars than the data set has{of}; "
                f"choose 0 to {len(exemplars)}"
            )
        return exemplars[:number]

    def messages(self, doc: Mapping[str, Any], num_fewshot: int) -> list[Message]:
        """The messages of a row with its exemplars."""
        messages = []
        tag = self.config.metadata["answer_tag"]
        answered = self.config.metadata.get("exemplar_answer", "{answer_tag} {label}")
        for exemplar in self._exemplars_of(doc, num_fewshot):
            label = exemplar["label"]
            answer = label[0] if isinstance(label, list) else label
            messages.append({"role": "user", "content": self.doc_to_text(exemplar)})
            messages.append({"role": "assistant", "content": answered.replace("{answer_tag}", tag).replace("{label}", answer)})
        for turn, answer in zip(doc.get("turns", []), doc.get("answers", []), strict=False):
            messages += [{"role": "user", "content": turn}, {"role": "assistant", "content": answer}]
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
        """The prompt. Exemplars are always messages of their own, whatever `fewshot_as_multiturn` is."""
        messages = self.messages(doc, num_fewshot)
        if system_instruction:
            messages.insert(0, {"role": "system", "content": system_instruction})
        if apply_chat_template and chat_template:
            prefix = [{"role": "assistant", "content": gen_prefix}] if gen_prefix else []
            return chat_template(messages + prefix, add_generation_prompt=not gen_prefix)
        return "".join(message["content"].strip() + "\n\n" for message in messages) + (gen_prefix or "")
