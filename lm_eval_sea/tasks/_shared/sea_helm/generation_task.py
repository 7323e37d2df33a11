"""The task class of SEA-HELM's written answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lm_eval.models.utils import handle_stop_sequences

from ..prompted_answers import WrittenTask
from .messages import SEAHelmMessages


if TYPE_CHECKING:
    from lm_eval.api.instance import Instance


class SEAHelmGenerationTask(WrittenTask, SEAHelmMessages):
    """Generation with SEA-HELM's messages; scores come from the key `process_results`.

    Only the end of its turn stops a chat model. A base model is stopped where it begins another message of the user. An empty
    line alone does not stop it, because one may come before the answer tag. Which of the two applies depends on the chat
    template, and only a task class learns from lm-eval whether there is one.
    """

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> Instance | list[Instance]:
        """The request of one row."""
        is_chat = kwargs.get("apply_chat_template", False)
        made = super().construct_requests(doc, ctx, **kwargs)
        head = self.config.doc_to_text.partition("{")[0].strip()
        for instance in (made if isinstance(made, list) else [made]) if head and not is_chat else ():
            prompt, arguments = instance.arguments
            until = handle_stop_sequences(arguments["until"], eos=None)  # the user's --gen_kwargs may give a text, or none
            instance.arguments = (prompt, arguments | {"until": [*until, f"\n\n{head}"]})
        return made
