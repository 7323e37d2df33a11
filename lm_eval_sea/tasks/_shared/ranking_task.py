"""The task class that ranks options: it makes the requests, gathers the responses, and passes them to `metrics/ranking.py`."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from lm_eval.api.metrics import bits_per_byte

from .base_task import ModelTask
from .lm_eval_private import another_request
from .metrics.precision import half_precision_type
from .metrics.ranking import OptionScore, log_perplexity, predictions
from .rows import with_lettered_options


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lm_eval.api.instance import Instance

    from .tokenization import TextTokenizer


logger = logging.getLogger("lm_eval_sea")


class RankingTask(ModelTask):
    """Multiple choice by log-likelihood, with the perplexity of the whole text in addition to lm-eval's own scores.

    A row with k options has these requests, which `Instance.idx` tells apart:

        0 … k−1     log p(option | prompt)
        k           log p(prompt): one request for all options
        k+1 … 2k    log p(prompt and option), only for an option whose first characters merge with the end of the prompt
                    into one token, so that the two parts do not add up to the whole

    Without a tokenizer only the first k are made. lm-eval has no hook for more than one request per option.
    """

    NEEDS_TOKENIZER = "acc_ppl and acc_token need the model's tokenizer"

    def fewshot_docs(self) -> list[dict[str, Any]]:
        """The exemplars, in the form of processed rows."""
        exemplars = super().fewshot_docs()  # type: ignore[no-untyped-call]  # of lm-eval
        return [with_lettered_options(exemplar) for exemplar in exemplars or ()]

    def _find_tokenizer(self, model: Any | None) -> TextTokenizer | None:
        """None for an encoder-decoder, such as mT0: it reads the prompt and gives it no probability."""
        if getattr(model, "backend", None) == "seq2seq":
            logger.warning("%s: an encoder-decoder gives a prompt no probability; without acc_ppl and acc_token.", self.task_name)
            return None
        return super()._find_tokenizer(model)

    def build_all_requests(self, **kwargs: Any) -> None:
        """Builds the requests of all rows, and warns of parts of prompts that the scores will not cover."""
        super().build_all_requests(**kwargs)
        cut = sum(getattr(instance, "prompt_was_cut", False) for instance in self.instances)
        if cut and self._tokenizer is not None:
            logger.warning(
                "%s: %d of %d prompts do not fit the model's context of %d tokens and were cut from the left, so they lack "
                "the instruction. Lower --num_fewshot or raise max_length.",
                self.task_name,
                cut,
                len({instance.doc_id for instance in self.instances}),
                self._tokenizer.max_length,
            )
        unscored = max(getattr(instance, "unscored_tokens", 0) for instance in self.instances)
        if unscored:
            logger.warning(
                "%s: the tokenizer begins the prompt with tokens that a request cannot tell apart; acc_ppl leaves out the "
                "log-likelihood of %d token(s), the same for all options of a row.",
                self.task_name,
                unscored,
            )

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> list[Instance]:
        """The requests of one row."""
        options: list[Instance] = super().construct_requests(doc, ctx, **kwargs)
        if self._tokenizer is None:
            return options
        endings = [instance.arguments[1] for instance in options]
        prompt = self._tokenizer.cut_to_fit(ctx, endings)
        # lm-eval counts white space at the end of a prompt (a chat template's line break) with the answer; so must the tokens
        stem = prompt.rstrip()
        whole = another_request(options[0], self._tokenizer.split_first_token(stem), len(options))
        # Attributes, because --cache_requests stores the requests but not the task.
        whole.prompt_was_cut = prompt != ctx
        whole.unscored_tokens = self._tokenizer.unscored_tokens(whole.arguments[0])
        merged = []
        stem_ids = self._tokenizer.encode(stem)
        for index, (instance, ending) in enumerate(zip(options, endings, strict=True)):
            ids = self._tokenizer.encode(prompt + ending)
            instance.arguments = (prompt, ending)
            instance.tokens = len(ids) - len(stem_ids)
            instance.text_tokens = len(ids)
            if ids[: len(stem_ids)] != stem_ids:
                arguments = self._tokenizer.split_first_token(prompt + ending)
                merged.append(another_request(options[0], arguments, len(options) + 1 + index))
        return [*options, whole, *merged]

    def apply_filters(self) -> None:
        """Turns the answers to a row's requests into one `OptionScore` per option.

        They replace the bare answers that lm-eval passes to `process_results`.
        """
        super().apply_filters()
        self._check_responses()
        rows: defaultdict[int, dict[int, Instance]] = defaultdict(dict)
        for instance in self.instances:
            rows[instance.doc_id][instance.idx] = instance
        for instances in rows.values():
            self._score_options(instances)

    def _check_responses(self) -> None:
        """Refuses responses that are not numbers, and warns of numbers that are too coarse to tell options apart."""
        for instance in self.instances:
            for loglikelihood, _ in instance.filtered_resps.values():
                choices = len(self.doc_to_choice(instance.doc))
                what = f"option {instance.idx + 1}" if instance.idx < choices else "the prompt"
                # an option may be impossible, but after an impossible prompt nothing can be said about it
                if math.isnan(loglikelihood) or (instance.idx == choices and math.isinf(loglikelihood)):
                    raise ValueError(
                        f"{self.task_name}, row {instance.doc_id}: the model's log-likelihood of {what} is not a number "
                        f"({loglikelihood}); choose another dtype, such as --model_args dtype=float32"
                    )
        rounded = half_precision_type(answer[0] for instance in self.instances for answer in instance.filtered_resps.values())
        if rounded:
            logger.warning(
                "%s: the log-likelihoods are rounded to %s, so that different options get equal scores. Add "
                "softmax_dtype=float32 to --model_args; it costs little.",
                self.task_name,
                rounded,
            )

    def _score_options(self, instances: Mapping[int, Instance]) -> None:
        choices = self.doc_to_choice(instances[0].doc)
        answers = {index: instance.filtered_resps for index, instance in instances.items()}
        for index, choice in enumerate(choices):
            instances[index].filtered_resps = {
                name: OptionScore(
                    loglikelihood=loglikelihood,
                    is_greedy=bool(is_greedy),
                    characters=len(choice),
                    bytes=len(choice.encode()),
                    tokens=getattr(instances[index], "tokens", None),
                    log_perplexity=self._log_perplexity(
                        instances[index], index, {number: of_all[name] for number, of_all in answers.items()}, len(choices)
                    ),
                )
                for name, (loglikelihood, is_greedy) in answers[index].items()
            }

    def _log_perplexity(
        self, option: Instance, index: int, response: Mapping[int, tuple[float, bool]], choices: int
    ) -> float | None:
        if choices not in response:  # no tokenizer, no request for the prompt
            return None
        if choices + 1 + index in response:
            prompt, ending = response[choices + 1 + index][0], 0.0
        else:
            prompt, ending = response[choices][0], response[index][0]
        return log_perplexity(prompt, ending, option.text_tokens)

    def process_results(self, doc: dict[str, Any], results: Sequence[OptionScore]) -> dict[str, Any]:
        """Whether each metric chooses the right option of one row (0 or 1), and how well the model predicts that option.

        Writes the scores of the options and the choices into `doc`, which lm-eval logs.
        """
        scores = results[: len(self.doc_to_choice(doc))]
        chosen = predictions(scores)
        doc["option_scores"] = [{name: value for name, value in score._asdict().items() if value is not None} for score in scores]
        doc["predictions"] = chosen
        right = scores[doc["gold"]]
        found = {metric: float(index == doc["gold"]) for metric, index in chosen.items()} | {
            "bits_per_byte": (right.loglikelihood, right.bytes),
            "bits_per_byte_stderr": (right.loglikelihood, right.bytes),
            "bits_per_byte_of_rows": bits_per_byte([(right.loglikelihood, right.bytes)]),
        }
        return {metric: value for metric, value in found.items() if metric in self._wanted_metrics}
