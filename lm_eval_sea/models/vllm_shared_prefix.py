"""lm-eval's `vllm` backend, with log-likelihoods computed along vLLM's prefix cache."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import torch

from lm_eval_sea.install_hint import install_extra

try:
    from lm_eval.models.vllm_causallms import VLLM
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"vllm-shared-prefix needs vLLM: {install_extra('vllm')} ({error})") from None
from vllm import RequestOutput, SamplingParams
from vllm.sampling_params import StructuredOutputsParams

from .batch_encoding import BatchEncoding
from .engine_planning import EngineAnswer, Reader, Request, Score, Target, find_uncached, make_checks, make_plan
from .ranks import Request as LMRequest
from .recorded_vllm import RecordedVLLM
from .tolerance import Mismatch, check_agreement, tolerance
from .work import Work

logger = logging.getLogger("lm_eval_sea")

# If vLLM chose the size itself, its blocks for CPUs would have 128 tokens, of which a shared beginning wastes 64 on average.
CPU_BLOCK_SIZE = 32
# A divisor of every backend's block size.
SMALLEST_BLOCK_SIZE = 16

# vLLM keeps the answers of a call in Python objects until its end; this many are some hundred megabytes.
REQUESTS_PER_CALL = 2048

# Modes of `logprobs_mode` in which vLLM gives no log-probabilities, not even to lm-eval's own class.
LOGITS = ("raw_logits", "processed_logits")

# The most tokens that vLLM takes in `logprob_token_ids`.
MOST_ASKED = 128

_PLAIN = {"temperature": 0, "max_tokens": 1, "detokenize": False}


class VLLMSharedPrefixLM(BatchEncoding, RecordedVLLM):  # type: ignore[misc]  # lm-eval's own classes differ from their base, too
    """A model on vLLM that computes the common beginning of requests once, in whole blocks of the cache.

    Takes the arguments of lm-eval's `vllm`, whose generation it does not change. For log-likelihoods lm-eval switches vLLM's
    prefix cache off, because log-probabilities of cached tokens are not computed again; here they are kept from the request
    that computed them.
    """

    def __init__(self, pretrained: str, **kwargs: Any) -> None:
        if (mode := kwargs.get("logprobs_mode", "raw_logprobs")) in LOGITS:
            raise ValueError(f"logprobs_mode={mode} gives logits, not log-likelihoods; leave it out")
        if self.on_cpu:
            kwargs.setdefault("block_size", CPU_BLOCK_SIZE)
        super().__init__(pretrained, **kwargs)
        self.work = Work()
        self._verified = False
        self._plain = False
        if obstacle := self._find_obstacle():
            self._fall_back(obstacle)

    def _find_obstacle(self) -> str | None:
        if "skip_reading_prefix_cache" not in SamplingParams.__struct_fields__:
            return "this vLLM cannot read its prefix cache for log-probabilities of prompts; 0.11.1 and later can"
        if self.model_args.get("logprobs_mode", "raw_logprobs") != "raw_logprobs":
            return "logprobs_mode is not raw_logprobs"
        if self.data_parallel_size > 1:
            enabled = self.model_args.get("enable_prefix_caching", True)
        else:
            enabled = self.model.llm_engine.vllm_config.cache_config.enable_prefix_caching
        return None if enabled else "vLLM's prefix cache is off; enable_prefix_caching=True turns it on where the model allows"

    def _fall_back(self, reason: str) -> None:
        self._plain = True
        logger.warning("Every request is computed whole, as lm-eval's vllm does: %s.", reason)

    def _loglikelihood_tokens(  # type: ignore[override]  # lm-eval's own classes differ from their base in the same way
        self, requests: list[LMRequest], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Log-likelihoods of continuations; the windows of rolling ones, which come without texts, are left to lm-eval."""
        if self._plain or not all(text and self._has_context(*tokens) for text, *tokens in requests):
            return super()._loglikelihood_tokens(requests, disable_tqdm=disable_tqdm)
        try:
            answers = self._along_prefixes(requests)
        except Mismatch as mismatch:
            self._fall_back(str(mismatch))
            return super()._loglikelihood_tokens(requests, disable_tqdm=disable_tqdm)
        left = [request for request, answer in zip(requests, answers, strict=True) if answer is None]
        if left:
            said = "%d of %d requests are computed again: vLLM's cache held more than was expected."
            logger.warning(said, len(left), len(answers))
            self.work.forwarded += sum(len(self._target(request).tokens) for request in left)
        rest = iter(super()._loglikelihood_tokens(left, disable_tqdm=disable_tqdm) if left else ())
        return [next(rest) if answer is None else answer for answer in answers]

    def takes_parts(self) -> bool:
        """False if every call starts its own engines."""
        return self.data_parallel_size <= 1

    def encode_at_once(self, strings: list[str], add_special_tokens: bool | None) -> list[list[int]]:
        """The tokens of strings, as lm-eval's `vllm` encodes them."""
        encoded: list[list[int]] = VLLM.tok_encode(self, strings, add_special_tokens=add_special_tokens)
        return encoded

    def _has_context(self, context: list[int], continuation: list[int]) -> bool:
        """Whether a token of context remains when the text is cut to the model's window."""
        return bool(context) and 0 < len(continuation) < self.max_length - 1

    def _target(self, request: LMRequest) -> Target:
        _, context, continuation = request
        tokens = (context + continuation)[-(self.max_length - 1) :]  # vLLM must have room for one more
        return Target(tokens, len(tokens) - len(continuation))

    def _along_prefixes(self, requests: list[LMRequest]) -> list[Score | None]:
        """The answers; None if vLLM's cache had tokens whose score is unknown.

        Raises `Mismatch` if they are not those of plain requests.
        """
        targets = [self._target(request) for request in requests]
        planned, distinct = make_plan(targets, self._block_size(), MOST_ASKED if _can_ask() else 1)
        self.work.distinct += distinct
        size = REQUESTS_PER_CALL if isinstance(self.batch_size, str) else max(self.batch_size, REQUESTS_PER_CALL)
        if self.data_parallel_size > 1:
            size = max(len(planned), 1)  # every call starts its own engines
        else:
            self.model.reset_prefix_cache()  # it may hold tokens of another call, whose scores are gone
        answers: list[Score | None] = [None] * len(requests)
        reader = Reader()
        for begin in range(0, len(planned), size):
            part = planned[begin : begin + size]
            outputs = self._generate(part) if self._verified else self._generate_and_verify(part)
            for index, score in reader.read(part, map(_engine_answer, part, outputs)):
                if score:
                    answers[index] = score
                    self.cache_hook.add_partial("loglikelihood", requests[index][0], score)
        return answers

    @staticmethod
    def modify_gen_kwargs(
        gen_kwargs: dict[str, Any], eos: str | list[str] | None = None, default_max_gen_toks: int = 256
    ) -> tuple[dict[str, Any], list[str], int]:
        """Generation settings for vLLM, which takes structured outputs as a special object."""
        settings, stops, limit = VLLM.modify_gen_kwargs(gen_kwargs, eos=eos, default_max_gen_toks=default_max_gen_toks)
        if isinstance(wanted := settings.get("structured_outputs"), dict):
            settings["structured_outputs"] = StructuredOutputsParams(**wanted)
        return settings, stops, limit

    def _block_size(self) -> int:
        if self.data_parallel_size > 1:
            return SMALLEST_BLOCK_SIZE
        return self.model.llm_engine.vllm_config.cache_config.block_size or SMALLEST_BLOCK_SIZE

    def _generate(self, requests: Sequence[Request], plain: int | None = None) -> list[RequestOutput]:
        """Sends requests; number `plain` does not read the cache, like lm-eval's own."""
        parameters = [_parameters(request, plain=number == plain) for number, request in enumerate(requests)]
        order = deal(len(requests), self.data_parallel_size)
        outputs = self._model_generate(
            requests=[requests[place].tokens for place in order],
            generate=True,
            sampling_params=[parameters[place] for place in order],
        )
        sent = dict(zip(order, outputs, strict=True))
        answers: list[RequestOutput] = [sent[place] for place in range(len(requests))]
        self.work.forwarded += sum(map(computed_tokens, answers))
        return answers

    def _generate_and_verify(self, requests: Sequence[Request]) -> list[RequestOutput]:
        """Sends requests, and compares one that found nothing in the cache with what the cache gives for it."""
        number = find_uncached(requests, self._block_size())
        if number is None:
            return self._generate(requests)
        checks = make_checks(requests[number], self._block_size())
        behind = number + 1
        outputs = self._generate([*requests[:behind], *checks, *requests[behind:]], plain=number)
        of_checks = outputs[behind : behind + len(checks)]
        cost = sum(map(computed_tokens, of_checks))
        self.work.forwarded -= cost
        self.work.verification += cost
        for check, output in zip(checks, of_checks, strict=True):
            self._compare(check, output, requests[number].tokens, outputs[number])
        if all(output.num_cached_tokens for output in of_checks):
            self._verified = True
            logger.info("Self-check passed: log-likelihoods along the prefix cache are those of plain requests.")
        return outputs[:behind] + outputs[behind + len(checks) :]

    def _compare(self, check: Request, output: RequestOutput, tokens: list[int], plain: RequestOutput) -> None:
        """Compares the scores of a check with those that lm-eval reads off a request for the same tokens.

        Raises `Mismatch` if they differ too much, or there are none.
        """
        answer = _engine_answer(check, output)
        logprobs = [*answer.logprobs, *(logprob for logprob, _ in answer.asked.values())]
        if not logprobs:
            raise Mismatch("the engine gave no log-probabilities after cached tokens")
        end = len(check.tokens) + len(answer.asked)
        from_first, from_end = (self._parse_logprobs(tokens, plain, place)[0] for place in (end - len(logprobs), end))
        check_agreement(math.fsum(logprobs), from_first - from_end, len(logprobs), self._tolerance())

    def _tolerance(self) -> float:
        if self.data_parallel_size > 1:
            dtype = getattr(torch, str(self.model_args["dtype"]), None)
            return tolerance(dtype, quantized=bool(self.model_args["quantization"]))
        config = self.model.llm_engine.model_config
        return tolerance(config.dtype, quantized=config.quantization is not None)


def _can_ask() -> bool:
    """Whether vLLM gives log-probabilities of named tokens; 0.20 accepts `logprob_token_ids`, but alone it gives none."""
    return "logprob_token_ids" in SamplingParams.__struct_fields__ and hasattr(SamplingParams, "num_logprobs")


def computed_tokens(output: RequestOutput) -> int:
    """How many tokens of a prompt the engine computed."""
    return len(output.prompt_token_ids) - (output.num_cached_tokens or 0)


def _parameters(request: Request, *, plain: bool) -> SamplingParams:
    """The parameters of a request; a plain one also gives what lm-eval asks for."""
    options: dict[str, Any] = {"skip_reading_prefix_cache": plain}
    if "flat_logprobs" in SamplingParams.__struct_fields__ and not plain:  # since 0.12: far fewer objects
        options["flat_logprobs"] = True
    if plain:
        options["prompt_logprobs"] = 1
    elif request.scored:
        options["prompt_logprobs"] = 0
    if request.asked and _can_ask():
        options["logprob_token_ids"] = request.asked
    elif request.asked:  # the only allowed token is sampled; log-probabilities are those before the others are excluded
        options |= {"allowed_token_ids": request.asked, "logprobs": 0}
    return SamplingParams(**_PLAIN, **options)


def _engine_answer(request: Request, output: RequestOutput) -> EngineAnswer:
    """What an output says about the computed tokens; entries for cached ones, if any, mean nothing."""
    count = computed_tokens(output) - 1
    logprobs: list[float] = []
    ranks: list[int] = []
    if output.prompt_logprobs is not None and count > 0:
        given = output.prompt_logprobs[-count:]
        if hasattr(given, "ranks"):  # FlatLogprobs, one entry per token
            logprobs, ranks = given.logprobs, given.ranks
        else:
            entries = [next(iter(entry.values())) for entry in given if entry]
            logprobs, ranks = [entry.logprob for entry in entries], [entry.rank for entry in entries]
        if len(logprobs) != count:
            logprobs, ranks = [], []
    asked = {}
    if request.asked:
        sampled, entries = output.outputs[0].token_ids[0], output.outputs[0].logprobs[0]
        for token in request.asked:
            greedy = sampled == token if _can_ask() else entries[token].rank == 1
            asked[token] = entries[token].logprob, greedy
    return EngineAnswer(logprobs, [rank == 1 for rank in ranks], asked)


def deal(count: int, replicas: int) -> list[int]:
    """An order of the numbers 0 to `count` - 1 in which dealing them out to the replicas in turn gives each a contiguous run."""
    sizes = [len(range(replica, count, replicas)) for replica in range(replicas)]
    starts = [sum(sizes[:replica]) for replica in range(replicas)]
    return [starts[place % replicas] + place // replicas for place in range(count)]
