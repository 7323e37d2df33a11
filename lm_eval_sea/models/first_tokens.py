"""Checks the first tokens of a run's first prompt: faults there lower every score and raise no error."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

from transformers import AutoTokenizer

from .batch_encoding import Model

logger = logging.getLogger("lm_eval_sea")

# How many tokens a warning shows.
SHOWN = 5

# Models that need a begin-of-sequence token though their tokenizers may leave it out; lm-eval has the same rule.
_NEEDS_BOS = ("gemma",)

_BASE_NAME = re.compile(r"(^|[-_./])(base|pt|pretrained)($|[-_.])", re.IGNORECASE)


def find_fault(tokens: Sequence[int], *, bos: int | None, wants_bos: bool, asked: bool, templated: bool, name: str) -> str | None:
    """What is wrong with the beginning of a prompt, and the flag that fixes it; None if no fault is known.

    A missing chat template is no fault: chat models are ranked without one, too. `bos` is the tokenizer's
    begin-of-sequence token, if it has one, `asked` whether the user wants it, and `name` that of the model, or its folder.
    """
    if asked and (bos is None or bos not in tokens[:2]):
        return "add_bos_token=True in --model_args adds no token, because the tokenizer has none; leave it out"
    # a template may write a line break before its own token
    if bos is not None and list(tokens[:1]) == [bos] and bos in tokens[1:3]:
        return "they begin with two begin-of-sequence tokens; add_bos_token=False in --model_args leaves one out"
    if bos is not None and wants_bos and bos not in tokens[:2]:
        return "the begin-of-sequence token that this model needs is missing; add_bos_token=True in --model_args adds it"
    if templated and _BASE_NAME.search(name.rstrip("/").rsplit("/", 1)[-1]):
        return "a chat template is applied to what its name says is a base model; leave out --apply_chat_template"
    return None


def wants_bos(tokenizer: Any, model_type: str) -> bool:
    """Whether a Hugging Face tokenizer begins texts with a begin-of-sequence token, or the model needs one anyway."""
    bos = tokenizer.bos_token_id
    return bos is not None and (model_type.startswith(_NEEDS_BOS) or tokenizer("a").input_ids[:1] == [bos])


def _as_published(tokenizer: Any) -> Any:
    """The tokenizer without the settings it was loaded with; itself if it cannot be loaded again."""
    try:
        return AutoTokenizer.from_pretrained(tokenizer.name_or_path)
    except (OSError, ValueError):
        return tokenizer


class FirstTokensCheck(Model):
    """Makes an lm-eval model check the first tokens it is given, and warn once. Put it before the model's class."""

    _looked = False
    _templated = False

    def apply_chat_template(self, *args: Any, **kwargs: Any) -> str:
        """The parent's; remembers that there is a template."""
        self._templated = True
        return super().apply_chat_template(*args, **kwargs)

    def loglikelihood(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[tuple[float, bool]]:
        """The parent's, after the check."""
        self._look(requests)
        return super().loglikelihood(requests, *args, **kwargs)

    def generate_until(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[str]:
        """The parent's, after the check."""
        self._look(requests)
        return super().generate_until(requests, *args, **kwargs)  # type: ignore[safe-super]  # lm-eval's

    def _look(self, requests: list[Any]) -> None:
        contexts = (request.args[0] for request in requests)
        context = next((context for context in contexts if context), None)  # without one, lm-eval puts a token before the text
        if self._looked or context is None:
            return
        self._looked = True
        model_type = getattr(getattr(self, "config", None) or self._config, "model_type", "")
        tokens, tokenizer = list(self.tok_encode(context)[:SHOWN]), self.tokenizer
        fault = find_fault(
            tokens,
            bos=tokenizer.bos_token_id,
            wants_bos=wants_bos(tokenizer if self.add_bos_token is None else _as_published(tokenizer), model_type),
            asked=bool(self.add_bos_token),
            templated=self._templated,
            name=getattr(tokenizer, "name_or_path", ""),  # Mistral's own have none
        )
        if fault:
            shown = " ".join(map(repr, tokenizer.convert_ids_to_tokens(tokens)))
            logger.warning("The first tokens of the first prompt are %s: %s.", shown, fault)
