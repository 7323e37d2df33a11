"""The task classes that let the model write an answer: make the requests, read the answer, hand it to `generation_metrics.py`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval.api.instance import Instance

from .answer_text import answer_text
from .base_task import SEATask
from .generation_metrics import metrics_for, signatures

logger = logging.getLogger("lm_eval_sea")

# Other names under which `--gen_kwargs` may give the most tokens of an answer; lm-eval would prefer the one in the YAML.
_LIMIT_ALIASES = ("max_new_tokens", "max_tokens", "max_completion_tokens")
_ADVICE = "Lower --num_fewshot, raise max_length, or lower max_gen_toks in --gen_kwargs."


class BoundedGenerationTask(SEATask):
    """Greedy generation that knows when prompt and answer are too long for the model."""

    def set_config(self, key: str, value: Any, update: bool = False) -> None:
        """Sets a configuration value; under `generation_kwargs` the most tokens may have any name that lm-eval knows."""
        if key == "generation_kwargs" and isinstance(value, Mapping):
            given = [value[name] for name in ("max_gen_toks", *_LIMIT_ALIASES) if name in value]
            value = {name: argument for name, argument in value.items() if name not in _LIMIT_ALIASES}
            value |= {"max_gen_toks": given[0]} if given else {}
        super().set_config(key, value, update)

    def construct_requests(self, doc: dict, ctx: str, **kwargs: Any) -> Instance:
        """The request of one row."""
        instance = super().construct_requests(doc, ctx, **kwargs)
        if self._tokenizer is not None:
            limit = int(instance.arguments[1].get("max_gen_toks", 0))
            self._fit(instance, self._tokenizer.max_length - limit)
        return instance

    def _fit(self, instance: Instance, room: int) -> None:
        """Sees to it that the prompt fits in `room` tokens; here it only notes that the model will cut it."""
        # As an attribute, for --cache_requests stores the requests and drops what the task knows.
        instance.prompt_was_cut = len(self._tokenizer.encode(instance.arguments[0])) > room

    def build_all_requests(self, **kwargs: Any) -> None:
        """Builds the requests of all rows, and says how many are cut."""
        super().build_all_requests(**kwargs)
        self._warn_of_cuts()

    def _warn_of_cuts(self) -> None:
        cut = sum(getattr(instance, "prompt_was_cut", False) for instance in self.instances)
        if cut:
            logger.warning(
                "%s: %d of %d prompts and their answers do not fit the model's context of %d tokens; the model cuts them from "
                "the left, so they lack the instruction. %s",
                self.task_name,
                cut,
                len(self.instances),
                self._tokenizer.max_length,
                _ADVICE,
            )


class GenerationTask(BoundedGenerationTask):
    """Greedy generation of an answer of one line (`answer_text.py`), scored by the metrics in the YAML."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Loads the rows, finds the model's tokenizer, and notes in the metadata how each score is made."""
        super().__init__(config)
        self._language: str = self.config.metadata["answer_language"]
        self._metrics = metrics_for(list(self._metric_fn_list), self._language)
        self.config.metadata["signatures"] = signatures(list(self._metric_fn_list), self._language)

    def process_results(self, doc: dict, results: Sequence[str]) -> dict[str, Any]:
        """What each metric needs of one row. The answer that is scored is written into `doc`."""
        doc["answer"] = answer_text(results[0], [self.config.metadata["answer_cue"]])
        references = doc["answers"] if "answers" in doc else [self.doc_to_target(doc)]
        return {
            name: metric.of_row(doc["answer"], references, self._language)
            for name, metric in self._metrics.items()
            if name in self._metric_fn_list  # --predict_only takes them away
        }


class SummarizationTask(GenerationTask):
    """Summaries of documents.

    A document too long for the model is cut at its end: a prompt cut from the left, as models do it, lacks the instruction and
    the exemplar.
    """

    NEEDS_TOKENIZER = "documents too long for the model are not cut at their end, so that it cuts the instruction"

    def _fit(self, instance: Instance, room: int) -> None:
        prompt, arguments = instance.arguments
        document = instance.doc["document"]
        before, found, after = prompt.rpartition(document)
        if not found:  # a chat template changed it
            super()._fit(instance, room)
            return
        kept = self._tokenizer.cut_inside(before, document, after, room)
        if not kept:
            raise ValueError(
                f"{self.task_name}: the prompt without its document leaves no room in the model's context of "
                f"{self._tokenizer.max_length} tokens for an answer of {arguments['max_gen_toks']}. {_ADVICE}"
            )
        instance.arguments = (before + kept + after, arguments)
        instance.kept_share = len(kept) / len(document)

    def _warn_of_cuts(self) -> None:
        super()._warn_of_cuts()
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
