"""Encodes the texts of requests in batches, each distinct text once; lm-eval encodes two texts per request, one by one."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .replaced import replaced

if TYPE_CHECKING:
    from lm_eval.api.model import TemplateLM

    class Model(TemplateLM):
        """The common part of lm-eval's `hf` and `vllm`."""

        backend: str
        tokenizer: Any
        add_bos_token: bool | None
        _config: Any
else:
    Model = object

logger = logging.getLogger("lm_eval_sea")

# Texts in a call of the tokenizer: enough for all cores, but no more, because a call needs much memory for each token.
AT_ONCE = 1024

# Characters of the requests whose tokens are in memory at a time: some thousands of requests, enough to share beginnings.
PART = 2**22

# A text, and whether special tokens are added; None leaves that to the model.
Text = tuple[str, bool | None]


def texts_of(pairs: Sequence[tuple[str, str]]) -> list[Text]:
    """The distinct texts that lm-eval encodes for pairs of context and continuation, see `TemplateLM.loglikelihood`."""
    texts: dict[Text, None] = {}
    for context, continuation in pairs:
        if context:
            texts[context + continuation, None] = None
            texts[context.rstrip(), None] = None
        else:
            texts[continuation, False] = None
    return list(texts)


class BatchEncoding(Model):
    """Makes an lm-eval model encode all texts of its requests at once. Put it before the model's class."""

    _encoded: dict[Text, list[int]] | None = None
    _beside = (0, 0)  # how many requests of the same call come before and after the current ones

    def takes_parts(self) -> bool:
        """Whether requests may be answered in several calls."""
        raise NotImplementedError

    def encode_at_once(self, strings: list[str], add_special_tokens: bool | None) -> list[list[int]]:
        """The tokens that `tok_encode` gives for each string, with few calls of the tokenizer."""
        raise NotImplementedError

    def loglikelihood(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[tuple[float, bool]]:
        """The parent's, part by part, because memory may not hold the tokens of all requests."""
        answers: list[tuple[float, bool]] = []
        while True:
            begin = len(answers)
            end = begin + self._size_of_part(requests[begin:]) if self.takes_parts() else len(requests)
            self._beside = begin, len(requests) - end
            part = requests[begin:end]
            texts = texts_of([request.args for request in part])
            with replaced(self, _encoded=self._encode_all(texts) if self.backend == "causal" else {}):
                answers += super().loglikelihood(part, *args, **kwargs)
            if end == len(requests):
                return answers

    @staticmethod
    def _size_of_part(requests: Sequence[Any]) -> int:
        sizes = itertools.accumulate(sum(map(len, request.args)) for request in requests)
        return min(len(requests), 1 + sum(1 for _ in itertools.takewhile(lambda size: size < PART, sizes)))

    def tok_encode(self, string: Any, add_special_tokens: bool | None = None, **kwargs: Any) -> list[int]:
        """The tokens of a text; the arguments are the parent's."""
        if self._encoded and isinstance(string, str) and not kwargs and (string, add_special_tokens) in self._encoded:
            return self._encoded[string, add_special_tokens]
        return super().tok_encode(string, add_special_tokens=add_special_tokens, **kwargs)  # type: ignore[safe-super]  # lm-eval's

    def _encode_all(self, texts: Sequence[Text]) -> dict[Text, list[int]]:
        """The tokens of texts; empty if the tokenizer fails or encodes single texts differently: then each is encoded alone."""
        encoded: dict[Text, list[int]] = {}
        for special in {special for _, special in texts}:
            strings = [string for string, its in texts if its is special]
            try:
                for begin in range(0, len(strings), AT_ONCE):
                    some = strings[begin : begin + AT_ONCE]
                    encoded.update(((s, special), ids) for s, ids in zip(some, self.encode_at_once(some, special), strict=True))
                if encoded[strings[0], special] != self.tok_encode(strings[0], add_special_tokens=special):
                    raise ValueError("a tokenizer that encodes single texts in a way of its own")
            except Exception as error:  # tokenizers can raise anything
                logger.debug("texts are encoded one by one: %s", error)
                return {}
        return encoded
