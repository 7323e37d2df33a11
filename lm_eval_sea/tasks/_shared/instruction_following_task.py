"""The task class of SEA-IFEval: whether a chat model follows an instruction that a program can check, in the right language."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval.api.instance import Instance

from .data import TEST_SPLIT
from .instruction_checkers import CONSTRAINED_RESPONSE, PHRASES, RESPONSE_LANGUAGE, check, is_scored
from .sea_helm_task import SEAHelmTask
from .target_language import identify, is_in_language, target_signature

logger = logging.getLogger("lm_eval_sea")

# What may stand around a prescribed phrase.
_AROUND_PHRASE = " \t\r\n\"'“”„‘’*_`.။។"


def is_in_right_language(
    response: str, instruction_ids: Sequence[str], kwargs: Sequence[Mapping[str, Any]], language: str
) -> bool:
    """Whether a response is in the language that is asked for: that of the prompt, unless the instruction names another.

    A response that is nothing but a phrase which the prompt prescribes is in its language; of three words an identifier says
    little.

    Args:
        response: what the model wrote, without its thoughts.
        instruction_ids: kinds of the prompt's instructions.
        kwargs: the arguments of each.
        language: code of the prompt's language.
    """
    arguments = dict(zip(instruction_ids, kwargs, strict=True))
    if RESPONSE_LANGUAGE in arguments:
        return is_in_language(response, arguments[RESPONSE_LANGUAGE]["response_language"])
    if CONSTRAINED_RESPONSE in arguments:
        bare = response.strip(_AROUND_PHRASE)
        if bare in [phrase.strip(_AROUND_PHRASE) for phrase in PHRASES[language]]:
            return True
    return is_in_language(response, language)


class InstructionFollowingTask(SEAHelmTask):
    """The prompt is the text of the row alone.

    A response may be long: where the longest prompt and the longest response do not both fit the model's context, all responses of
    the run get the same lower limit, for a prompt cut from the left may lack its instruction.
    """

    def download(self, dataset_kwargs: Mapping[str, Any] | None = None, **options: Any) -> None:
        """Loads the rows, and leaves out those that are not scored in this language, as SEA-HELM does; the metadata says how many."""
        super().download(dataset_kwargs, **options)
        rows, language = self.dataset[TEST_SPLIT], self.config.metadata["language"]
        scored = [
            position
            for position, instruction_ids in enumerate(rows["instruction_ids"])
            if all(is_scored(instruction_id, language) for instruction_id in instruction_ids)
        ]
        self.dataset = {TEST_SPLIT: rows.select(scored)}
        self.config.metadata |= {
            "rows_not_scored": len(rows) - len(scored),
            "signatures": {"right_language": target_signature(language)},
        }

    def process_results(self, doc: dict, results: Sequence[str]) -> dict[str, Any]:
        """What each metric needs of one row. The response that is scored and what was found are written into `doc`."""
        response, language = self._answer(results).strip(), self.config.metadata["language"]
        instructions = doc["instruction_ids"], doc["kwargs"]
        doc["answer"] = response
        doc["followed"] = [check(name, response, kwargs, language) for name, kwargs in zip(*instructions, strict=True)]
        doc["identified_language"] = identify(response) if response else None
        followed, right = all(doc["followed"]), is_in_right_language(response, *instructions, language)
        values = {"pass": followed and right, "instructions": followed, "right_language": right, "null_rate": not response}
        # --predict_only takes metrics away
        return {name: float(value) for name, value in values.items() if name in self._metric_fn_list}

    def _fit(self, instance: Instance, room: int) -> None:
        # As an attribute, for --cache_requests stores the requests and drops what the task knows.
        instance.prompt_tokens = len(self._tokenizer.encode(instance.arguments[0]))

    def _warn_of_cuts(self) -> None:
        """Lowers the limit of all responses where that is needed; one limit, for backends batch requests with equal arguments.

        Raises:
            ValueError: if a prompt leaves no room for a response.
        """
        if self._tokenizer is None or not self.instances:
            return
        longest, context = max(instance.prompt_tokens for instance in self.instances), self._tokenizer.max_length
        asked, room = int(self.instances[0].arguments[1].get("max_gen_toks", 0)), context - longest
        if room < 1:
            raise ValueError(
                f"{self.task_name}: a prompt of {longest} tokens leaves no room for a response in the model's context of {context} "
                "tokens; raise max_length"
            )
        if room >= asked:
            return
        logger.warning(
            "%s: responses may have %d tokens instead of %d, for the model's context is %d and the longest prompt %d.",
            self.task_name,
            room,
            asked,
            context,
            longest,
        )
        for instance in self.instances:
            prompt, arguments = instance.arguments
            instance.arguments = (prompt, arguments | {"max_gen_toks": room})
