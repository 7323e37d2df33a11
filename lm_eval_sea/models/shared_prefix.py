"""lm-eval's `hf` backend, with log-likelihoods computed along shared prefixes."""

from __future__ import annotations

import dataclasses
import itertools
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from accelerate.utils import DistributedType
from lm_eval.api.instance import Instance
from lm_eval.api.model import CacheHook
from lm_eval.models.utils import handle_stop_sequences, has_bos_prefix, normalize_gen_kwargs
from lm_eval.models.utils_hf import clear_torch_cache
from tqdm import tqdm
from transformers import GenerationConfig, PreTrainedModel

from .attention import plain_attention
from .batch_encoding import BatchEncoding
from .branching import BranchingModel
from .copying import CopyingModel
from .forward import PrefixModel, of_all_words
from .greedy_generation import Ending, GreedyGeneration
from .obstacles import find_obstacle, length_border, takes_masks
from .predictions import Continuation
from .ranks import Found, Request, answer_together
from .recorded_hf import RecordedHF
from .replaced import replaced
from .scoring import BatchKind, Plain, Scorer
from .tolerance import COMPARED, Agreement, Mismatch, distance, rounded_otherwise
from .whole_weights import whole_weights
from .work import Work

logger = logging.getLogger("lm_eval_sea")

# Tokens in a batch if the user leaves its size to the backend: enough to keep an accelerator busy.
AUTO_BATCH_TOKENS = 16384

# Generation settings that the pack's own loop supports, and settings of a model that greedy decoding ignores. With any others,
# such as beams and penalties, lm-eval's loop generates.
SETTINGS = {"until", "max_gen_toks", "do_sample", "temperature"}
WITHOUT_EFFECT = {
    "bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "max_length", "do_sample", "temperature", "top_k",
    "top_p", "min_p", "use_cache", "cache_implementation", "output_attentions", "output_hidden_states", "return_dict_in_generate",
    "transformers_version",
}  # fmt: skip


class SharedPrefixLM(BatchEncoding, RecordedHF):  # type: ignore[misc]  # lm-eval's own classes differ from their base, too
    """A Hugging Face model that computes each distinct beginning of the requests once.

    Takes the arguments of lm-eval's `hf`. A batch has at most as many tokens as the largest one of `hf` at the same batch size,
    or 16,384 on an accelerator if that is more. Greedy texts of a task are generated together if the model accepts our masks.
    Sampling, beam search, rolling log-likelihoods and models that cannot share prefixes are left to `hf`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.work = Work()
        self._verified: set[BatchKind] = set()
        self._plain = False
        self._compared: torch.Tensor | None = None  # the last predictions of the plain pass of a check
        dtype = self.mixed_precision_dtype or self.model.dtype
        known = dtype if isinstance(dtype, torch.dtype) else None
        self._agreement = Agreement(known, quantized=getattr(self.model, "is_quantized", False))
        self._greedy: GreedyGeneration | None = None
        self._as_hf = "the model does not accept our masks and positions"  # why `_greedy` is None
        self._said = set[str]()  # reasons why texts are generated as by `hf`
        self._planted: list[int] | None = None  # the tokens of an answer for lm-eval's loop to read
        self._border = length_border(self.model)
        if obstacle := self._find_obstacle():
            self._fall_back(obstacle)
        else:
            kind: type[PrefixModel] = BranchingModel if takes_masks(self.model) else CopyingModel
            types: dict[str, Any] = {"autocast_dtype": self.mixed_precision_dtype, "softmax_dtype": self.softmax_dtype}
            self._prefix_model = kind(self.model, device=self.device, **types)
            if isinstance(self._prefix_model, BranchingModel):
                self._greedy = GreedyGeneration(self._prefix_model, self._agreement, self.work)
        self._deals = self.world_size > 1 and not self._plain  # whether processes redistribute their requests

    def _create_model(self, *args: Any, **kwargs: Any) -> None:
        """Loads the model, and refuses one that lacks weights; the arguments are those of `HFLM`."""
        with whole_weights(adapters=bool(kwargs.get("peft"))):
            super()._create_model(*args, **kwargs)

    def _find_obstacle(self) -> str | None:
        if self.backend != "causal":
            return "it is an encoder-decoder"
        accelerator = getattr(self, "accelerator", None)
        if accelerator is not None and accelerator.distributed_type == DistributedType.FSDP:
            return "its processes must run in step (FSDP)"
        return find_obstacle(self.model)

    def _fall_back(self, reason: str) -> None:
        self._plain = True
        logger.warning("The model is computed request by request, as lm-eval's hf does: %s.", reason)

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Texts that the model writes; those of a task are generated together if they are greedy."""
        self._look(requests)
        answers: dict[int, str] = {}
        for alike, settings in self._find_greedy(requests):
            if self._greedy is not None:
                answers |= self._generate_together(alike, settings, disable_tqdm)
        left = [index for index in range(len(requests)) if index not in answers]
        if left:
            texts = super().generate_until([requests[index] for index in left], disable_tqdm=disable_tqdm)
            answers |= zip(left, texts, strict=True)
        return [answers[index] for index in range(len(requests))]

    def _find_greedy(self, requests: Sequence[Instance]) -> list[tuple[dict[int, Instance], dict[str, Any]]]:
        """Requests that can be generated together, by number, and their settings; for others the reason is logged."""
        found: dict[str, tuple[dict[int, Instance], dict[str, Any]]] = {}
        of_model = _other_settings(self.model)
        for index, request in enumerate(requests):
            settings = dict[str, Any](normalize_gen_kwargs(request.args[1], self.max_gen_toks))
            if reason := self._why_not_together(settings, of_model):
                self._say_as_hf(reason)
            else:
                found.setdefault(repr((request.task_name, settings)), ({}, settings))[0][index] = request
        return list(found.values())

    def _why_not_together(self, settings: Mapping[str, Any], of_model: set[str]) -> str | None:
        """Why requests with some settings are left to lm-eval's loop, as the end of a sentence."""
        if self._greedy is None:
            return self._as_hf
        if settings["do_sample"]:
            return "they are sampled"
        if others := sorted({*settings} - SETTINGS | of_model):
            return f"they have further settings ({', '.join(others)})"
        if settings["max_gen_toks"] >= self.max_length:
            return "there is no room for a prompt"
        # processes find an automatic batch size together, so all must leave the same requests to lm-eval
        return "several processes look for a batch size" if self.world_size > 1 and self.batch_size == "auto" else None

    def _say_as_hf(self, reason: str) -> None:
        if reason not in self._said and not self._plain:
            self._said.add(reason)
            logger.warning("Texts are generated in batches, as by lm-eval's hf: %s.", reason)

    def _generate_together(
        self, requests: Mapping[int, Instance], settings: dict[str, Any], disable_tqdm: bool
    ) -> dict[int, str]:
        """The texts of greedy requests with the same settings; some or all are missing if it cannot be done."""
        limit = settings["max_gen_toks"]
        window = self.max_length - limit
        tokens, mask = self.tok_batch_encode(
            [request.args[0] for request in requests.values()], left_truncate_len=window, truncation=bool(self.truncation)
        )
        prompts = {index: row[seen.bool()].tolist() for index, row, seen in zip(requests, tokens, mask, strict=True)}
        fitting = {
            index: prompt for index, prompt in prompts.items() if prompt and not self._is_behind_border(len(prompt) + limit)
        }
        eos = self.tok_decode(self.eot_token_id, skip_special_tokens=False)
        stops = [stop for stop in handle_stop_sequences(list(settings["until"]), eos=eos) if stop]
        ending = Ending(self._ends, stops, limit, partial(self.tokenizer.decode, skip_special_tokens=False))
        answers: dict[int, str] = {}
        description = "Running generate_until requests"
        with tqdm(total=len(fitting), disable=disable_tqdm or self.rank != 0, desc=description) as progress:
            for is_cut in (False, True):  # prompts whose beginning was cut off share none with the others
                alike = {index: prompt for index, prompt in fitting.items() if (len(prompt) >= window) is is_cut}
                for index, answer in self._continued(alike, ending):
                    answers[index] = self._read(requests[index], answer)
                    progress.update()
        return answers

    def _continued(self, prompts: Mapping[int, list[int]], ending: Ending) -> Iterator[tuple[int, list[int]]]:
        """The numbers of prompts and the tokens of their answers; those that cannot be computed together are missing."""
        if self._greedy is None or not prompts:
            return
        try:
            yield from self._greedy.run(prompts, ending, self._budget(max(map(len, prompts.values())) + ending.limit))
        except Exception as error:  # memory included: the plain way takes less
            self._greedy = None
            self._as_hf = str(error) if isinstance(error, Mismatch) else f"{type(error).__name__}: {error}"
            self._say_as_hf(self._as_hf)
        if self._greedy is None:  # not in the handler, where the traceback still holds the tensors
            clear_torch_cache()

    def _read(self, request: Instance, written: list[int]) -> str:
        """The text of an answer: lm-eval's own loop decodes, cuts and stores it."""
        with replaced(self, batch_size_per_gpu=1, _planted=written):
            (text,) = super().generate_until([request], disable_tqdm=True)
        return text

    def takes_parts(self) -> bool:
        """False if lm-eval looks for a batch size in each call, or processes must make the same calls."""
        return self._deals or (not self._plain and self.world_size == 1)

    def barrier(self) -> None:
        """Waits for the other processes, and helps them with their remaining requests."""
        while self._deals and self._answer_together(None) is not None:
            pass
        super().barrier()  # type: ignore[no-untyped-call]

    def encode_at_once(self, strings: list[str], add_special_tokens: bool | None) -> list[list[int]]:
        """The tokens of strings; those that begin with the begin-of-sequence token get no other, as in `HFLM.tok_encode`."""
        begin = self.tokenizer.decode(self.prefix_token_id)
        begun = {string for string in strings if add_special_tokens is None and has_bos_prefix(string, begin)}
        special = self.add_bos_token if add_special_tokens is None else add_special_tokens
        encoded: dict[str, list[int]] = {}
        for some, wanted in ((list(begun), False), ([string for string in strings if string not in begun], special)):
            options = {} if wanted is None else {"add_special_tokens": wanted}
            if some:
                encoded |= zip(some, self.tokenizer(some, return_attention_mask=False, **options)["input_ids"], strict=True)
        return [encoded[string] for string in strings]

    def _model_generate(self, context: torch.Tensor, max_length: int, stop: list[str], **settings: Any) -> torch.Tensor:
        """Continues a batch of prompts; the arguments are those of `HFLM`."""
        if self._planted is not None:
            return torch.cat([context, context.new_tensor([self._planted])], dim=1)
        with plain_attention():
            return super()._model_generate(context, max_length, stop, **settings)

    def _is_behind_border(self, tokens: int) -> bool:
        """Whether a text encodes positions differently from its shorter beginning, see `length_border`."""
        return self._border is not None and tokens > self._border

    def _loglikelihood_tokens(  # type: ignore[override]  # lm-eval's own classes differ from their base in the same way
        self, requests: list[Request], disable_tqdm: bool = False, override_bs: int | None = None
    ) -> list[Found]:
        """Log-likelihoods of continuations, except where `loglikelihood_rolling` has settled on a batch size.

        Raises `ValueError` for an empty context or continuation, or a continuation longer than the model's window.
        """
        if override_bs is not None:
            return super()._loglikelihood_tokens(requests, disable_tqdm=disable_tqdm, override_bs=override_bs)
        answers = self._answer_together(requests, disable_tqdm) if self._deals else self._answer(requests, disable_tqdm)
        return answers or []

    def _answer_together(self, requests: list[Request] | None, disable_tqdm: bool = False) -> list[Found] | None:
        """As `answer_together`; each process caches the answers to its own requests."""
        hook = self.cache_hook
        with replaced(self, cache_hook=CacheHook(None)):
            answers = answer_together(requests, partial(self._answer, disable_tqdm=disable_tqdm))
        for request, answer in zip(requests or (), answers or (), strict=True):
            hook.add_partial("loglikelihood", request[0], answer)
        return answers

    def _answer(self, requests: list[Request], disable_tqdm: bool) -> list[Found]:
        if self._plain or not requests:
            return self._plainly(requests, disable_tqdm)
        # the last token is only predicted
        behind = [self._is_behind_border(len(context) + len(continuation) - 1) for _, context, continuation in requests]
        if any(behind):
            logger.info("%d of %d requests are so long that the model encodes positions differently", sum(behind), len(requests))
            long = list(itertools.compress(requests, behind))
            short = [request for request, is_long in zip(requests, behind, strict=True) if not is_long]
            of_long, of_short = iter(self._plainly(long, disable_tqdm)), iter(self._answer(short, disable_tqdm))
            return [next(of_long if is_long else of_short) for is_long in behind]
        try:
            answers = self._along_prefixes(requests, disable_tqdm)
        except Mismatch as mismatch:
            self._fall_back(str(mismatch))
            return self._plainly(requests, disable_tqdm)
        left = [request for request, answer in zip(requests, answers, strict=True) if answer is None]
        rest = iter(self._one_by_one(left, disable_tqdm) if left else ())
        return [next(rest) if answer is None else answer for answer in answers]

    def _plainly(self, requests: list[Request], disable_tqdm: bool) -> list[Found]:
        # all processes find an automatic batch size together, but perhaps only this one needs it
        alone = self._deals and self.batch_size == "auto"
        found: list[Found] = super()._loglikelihood_tokens(requests, disable_tqdm=disable_tqdm, override_bs=1 if alone else None)
        return found

    def _along_prefixes(self, requests: list[Request], disable_tqdm: bool) -> list[Found | None]:
        """The answers; None where a prefix, or a single request after it, did not fit in memory.

        Raises `Mismatch` if the model cannot be computed along shared prefixes.
        """
        continuations = [self._continuation(request) for request in requests]
        budget = self._budget(max(len(continuation.inputs) for continuation in continuations))
        scorer = Scorer(self._prefix_model, continuations, budget, self._is_verified, self._agreement.witnesses, self.work)
        answers: list[Found | None] = [None] * len(requests)

        def accept(batches: Iterable[tuple[BatchKind, Mapping[int, Found]]]) -> None:
            for kind, batch in sorted(batches, key=lambda item: scorer.references.keys().isdisjoint(item[1])):
                self._verify(kind, batch, requests, scorer)
                for index, answer in batch.items():
                    answers[index] = answer
                    self.cache_hook.add_partial("loglikelihood", requests[index][0], answer)
                progress.update(len(batch))

        before, behind = self._beside
        total, hidden = before + len(requests) + behind, disable_tqdm or self.rank != 0
        with tqdm(total=total, initial=before, disable=hidden, desc="Running loglikelihood requests") as progress:
            waiting = []
            for item in self._batches(scorer):
                waiting.append(item)
                if scorer.awaited is None:
                    accept(waiting)
                    waiting = []
            accept(waiting)
        return answers

    def _continuation(self, request: Request) -> Continuation:
        _, context, continuation = request
        if not context or not 0 < len(continuation) <= self.max_length:
            raise ValueError(
                f"a request has {len(context)} tokens of context and {len(continuation)} of continuation; both must have "
                f"some, and the continuation at most {self.max_length}, the model's window"
            )
        inputs = (context + continuation)[-(self.max_length + 1) :][:-1]
        return Continuation(inputs, len(inputs) - len(continuation), continuation[-1])

    def _one_by_one(self, requests: list[Request], disable_tqdm: bool) -> list[Found]:
        logger.warning(
            "A prefix that requests share does not fit in memory: %d of them are computed one by one, as lm-eval's hf does at "
            "batch size 1.",
            len(requests),
        )
        clear_torch_cache()
        with replaced(self, batch_size_per_gpu=1):
            return super()._loglikelihood_tokens(requests, disable_tqdm=disable_tqdm)

    @staticmethod
    def _batches(scorer: Scorer) -> Iterator[tuple[BatchKind, dict[int, Found]]]:
        """The batches; an error of the model becomes a `Mismatch`."""
        try:
            yield from scorer.run()
        except Exception as error:
            raise Mismatch(f"it failed along shared prefixes ({type(error).__name__}: {error})") from error

    def _budget(self, longest: int) -> int:
        """The most tokens in a batch: on a CPU no more than `hf` has in its largest one.

        An accelerator would wait for the launch of passes as small as those of lm-eval's default batch size of 1.
        """
        if self.batch_size == "auto":
            largest = AUTO_BATCH_TOKENS if self.max_batch_size is None else self.max_batch_size * longest
            return max(min(largest, AUTO_BATCH_TOKENS), longest)
        return max(int(self.batch_size) * longest, AUTO_BATCH_TOKENS if self.device.type != "cpu" else 0)

    def _verify(self, kind: BatchKind, batch: Mapping[int, Found], requests: list[Request], scorer: Scorer) -> None:
        """Compares answers with a plain forward pass if this kind of batch has not been checked yet.

        Those with a reference come first, as they need no pass of their own.
        """
        witnesses = {index: scorer.witnesses.pop(index) for index in batch if index in scorer.witnesses}
        if not batch or self._is_verified(kind):
            return
        lengths = {index: len(self._continuation(requests[index]).inputs) for index in witnesses}
        for index in sorted(
            witnesses,  # the median of many predictions is seldom in doubt
            key=lambda index: (index in scorer.references, len(witnesses[index]), lengths[index], index),
            reverse=True,
        ):
            reference = scorer.references.get(index)
            if reference is None and self._is_verified(kind):
                return
            self._compare(index, batch[index], reference or self._plain_answer(requests[index]), witnesses, requests)
            self._verified.add(dataclasses.replace(kind, length=lengths[index]) if reference else kind)

    def _is_verified(self, kind: BatchKind) -> bool:
        return any(seen.covers(kind) for seen in self._verified)

    def _compare(
        self, number: int, answer: Found, plain: Plain, witnesses: Mapping[int, torch.Tensor], requests: Sequence[Request]
    ) -> None:
        """Compares the answer to a request with the result of a plain forward pass.

        `witnesses` have its last predictions, and those of others in its batch, by the number of the request. Raises `Mismatch`
        if answer and pass differ by more than the noise of that pass.
        """
        request, own = requests[number], witnesses[number]
        # requests that differ in their last token alone share their predictions
        unlike = {id(last): index for index, last in witnesses.items() if last is not own}
        others = (self._distances(witnesses[index], requests[index]) for index in unlike.values())
        self._agreement.check_predictions(own, plain.last, partial(self._rounded_otherwise, request), others)
        self._agreement.check_sum(answer[0], plain.loglikelihood, len(request[2]))
        if not self._verified:
            logger.info("Self-check passed: log-likelihoods along shared prefixes are those of the plain forward pass.")

    def _distances(self, last: torch.Tensor, request: Request) -> tuple[float, float]:
        """How far a request's last predictions are from its plain forward pass, and that from another draw of it, in nats."""
        plain = self._plain_answer(request).last
        return distance(last, plain), distance(self._rounded_otherwise(request, 0), plain)

    def _rounded_otherwise(self, request: Request, draw: int) -> torch.Tensor:
        """The last predictions of a plain forward pass under a draw of `rounded_otherwise`."""
        with rounded_otherwise(self.model, self._agreement.dtype, draw):
            return self._plain_answer(request).last

    def _plain_answer(self, request: Request) -> Plain:
        self.work.verification += len(self._continuation(request).inputs)
        self._compared = torch.empty(0)
        try:
            # its keys and values may not fit beside those of a prefix
            with replaced(self.model.config.get_text_config(), use_cache=False):
                ((loglikelihood, _),) = super()._loglikelihood_tokens([request], disable_tqdm=True, override_bs=1)
            return Plain(loglikelihood, self._compared[-len(request[2]) :])
        finally:
            self._compared = None

    def _model_call(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        """The logits of a batch; the arguments are those of `HFLM`."""
        with plain_attention():
            logits: torch.Tensor = super()._model_call(*args, **kwargs)
        if self._compared is not None:
            self._compared = of_all_words(logits[0, -COMPARED:])
        return logits


def _other_settings(model: PreTrainedModel) -> set[str]:
    """Generation settings of a model that change its greedy texts, such as a repetition penalty."""
    config: GenerationConfig = model.generation_config
    changed = {name for name, value in config.to_diff_dict().items() if value is not None and not name.startswith("_")}
    return changed - WITHOUT_EFFECT
