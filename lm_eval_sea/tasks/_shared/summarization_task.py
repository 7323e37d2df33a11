"""The task class of summaries. Documents that are too long for the model are cut at their end."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lm_eval.models.utils import normalize_gen_kwargs

from .base_task import ModelTask


if TYPE_CHECKING:
    from lm_eval.api.instance import Instance

    from .tokenization import TextTokenizer


logger = logging.getLogger("lm_eval_sea")

_ADVICE = "Lower --num_fewshot, raise max_length, or lower max_gen_toks in --gen_kwargs."


class SummarizationTask(ModelTask):
    """Summaries of documents. Scores come from the key `process_results`.

    Models cut a long prompt from the left, which would remove the instruction and the exemplar. So the document is cut here, in
    the model's tokens. lm-eval has no hook for that.
    """

    NEEDS_TOKENIZER = "cutting documents to the model's context needs its tokenizer"

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> Instance | list[Instance]:
        """The request of one row."""
        made = super().construct_requests(doc, ctx, **kwargs)
        if self._tokenizer is not None:
            for instance in made if isinstance(made, list) else [made]:
                self._fit(instance, self._tokenizer)
        return made

    def _fit(self, instance: Instance, tokenizer: TextTokenizer) -> None:
        prompt, arguments = instance.arguments
        if not isinstance(prompt, str):  # messages for a chat server, which has the template
            return
        answer = normalize_gen_kwargs(arguments)["max_gen_toks"]  # whatever its name in the task
        room = tokenizer.max_length - answer
        document = instance.doc["document"]
        before, found, after = prompt.rpartition(document)
        # Attributes, because --cache_requests stores the requests but not the task.
        instance.prompt_was_cut = not found and len(tokenizer.encode(prompt)) > room
        if not found:  # a chat template changed the document, so the model will cut the prompt
            return
        kept = tokenizer.cut_inside(before, document, after, room)
        if not kept:
            raise ValueError(
                f"{self.task_name}: the prompt without its document leaves no room in the model's context of "
                f"{tokenizer.max_length} tokens for an answer of {answer}. {_ADVICE}"
            )
        instance.arguments = (before + kept + after, arguments)
        instance.kept_share = len(kept) / len(document)

    def build_all_requests(self, **kwargs: Any) -> None:
        """Builds the requests of all rows, and says how many documents are cut."""
        super().build_all_requests(**kwargs)
        if self._tokenizer is None:
            return
        whole = sum(getattr(instance, "prompt_was_cut", False) for instance in self.instances)
        if whole:
            logger.warning(
                "%s: %d of %d prompts and their answers do not fit the model's context of %d tokens; the model cuts them from "
                "the left, so they lack the instruction. %s",
                self.task_name,
                whole,
                len(self.instances),
                self._tokenizer.max_length,
                _ADVICE,
            )
        shares = [getattr(instance, "kept_share", 1.0) for instance in self.instances]
        cut = [share for share in shares if share < 1]
        if cut:
            logger.warning(
                "%s: %d of %d documents were cut at their end, one to %.0f %%, to fit the model's context of %d tokens. %s",
                self.task_name,
                len(cut),
                len(shares),
                100 * min(cut),
                self._tokenizer.max_length,
                _ADVICE,
            )
