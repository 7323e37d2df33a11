"""The tokens of the model under evaluation."""

from __future__ import annotations

import functools
import hashlib
import json
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from .hub_files import first_line


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


# The keys of a task's metadata for the model. lm-eval takes them from `--model_args` and `--metadata`.
_NAME_KEYS = ("tokenizer", "pretrained", "model")
# What users give as tokenizer if they want none.
NO_TOKENIZER = "none"

_NO_LIMIT = 10**9  # tokens

# A text in several scripts. Tokenizers that give it the same tokens count as equal.
_PROBE = "The 12 cats: กรุงเทพฯ เป็นเมืองหลวง, Nguyễn Huệ, Yogyakarta – ꦗꦮ မြန်မာ ខ្មែរ\n\n  A. 3,5"


class TextTokenizer:
    """Counts and cuts text in the model's own tokens."""

    def __init__(self, encode: Callable[[str], Sequence[int]], *, name: str, bos_token_id: int | None, max_length: int) -> None:
        self.name, self.max_length = name, max_length  # the name for messages; the most tokens that the model takes
        # Text → token ids, special tokens as the backend adds them. The texts of one row are encoded several times, and a long
        # prompt takes milliseconds.
        self.encode = functools.lru_cache(maxsize=32)(lambda text: tuple(encode(text)))
        self.adds_bos = bos_token_id is not None and self.encode("a")[0] == bos_token_id  # before every text
        self._first_token_texts: dict[tuple[int, ...], str] = {}
        shape = [name, self.encode(_PROBE), max_length]
        # equal for tokenizers that make the same tokens and requests
        self.digest = hashlib.sha256(json.dumps(shape).encode()).hexdigest()

    def split_first_token(self, text: str) -> tuple[str, str]:
        """Splits a text so that a request (first, rest) scores every token of it except the first.

        If the tokenizer adds a begin-of-sequence token, that is the first, and `first` is empty. Otherwise it is the first token
        of the text. If a byte-level tokenizer splits the first character, `first` is the whole character, and its other pieces
        are not scored (see `unscored_tokens`). Raises `ValueError` if no beginning of the text has the same tokens alone.
        """
        if self.adds_bos:
            return "", text
        ids = self.encode(text)
        key = ids[:4]
        if key not in self._first_token_texts:
            self._first_token_texts[key] = self._text_of_first_token(text, ids)
        first = self._first_token_texts[key]
        return first, text[len(first) :]

    def unscored_tokens(self, first: str) -> int:
        """How many tokens besides the first one have no probability in the request from `split_first_token`."""
        return len(self.encode(first)) - 1 if first else 0

    def _text_of_first_token(self, text: str, ids: Sequence[int]) -> str:
        for end in range(1, min(len(text), 64)):
            prefix = text[:end]
            prefix_ids = self.encode(prefix)
            # lm-eval moves white space from the end of a context to the continuation
            if not prefix[-1].isspace() and prefix_ids == ids[: len(prefix_ids)]:
                return prefix
        raise ValueError(f"tokenizer {self.name!r}: no beginning of {text[:20]!r} is encoded as it is inside the text")

    def cut_to_fit(self, text: str, endings: Sequence[str]) -> str:
        """The longest end of `text` that fits into the model together with any of the `endings`.

        It may be a few characters too short: not every end is tried, because fewer characters can be more tokens. Raises
        `ValueError` if an ending alone does not fit.
        """
        longest = max(endings, key=lambda ending: len(self.encode(text + ending)))
        if len(self.encode(text + longest)) <= self.max_length:
            return text
        dropped = range(1, len(text))
        place = bisect_left(dropped, True, key=lambda count: len(self.encode(text[count:] + longest)) <= self.max_length)
        if place == len(dropped):
            raise ValueError(
                f"an answer of {len(self.encode(longest))} tokens leaves no room for a prompt in the model's context of "
                f"{self.max_length} tokens; choose a model with a longer context or raise max_length"
            )
        return text[dropped[place] :]

    def cut_inside(self, before: str, text: str, after: str, room: int) -> str:
        """The longest beginning of `text` that, between `before` and `after`, takes at most `room` tokens; it may be empty."""
        if len(self.encode(before + text + after)) <= room:
            return text
        kept = range(len(text) - 1, 0, -1)
        place = bisect_left(kept, True, key=lambda count: len(self.encode(before + text[:count] + after)) <= room)
        return text[: len(kept) - place]


class TokenizerError(ValueError):
    """The model has no tokenizer, or not the one that was named. The message is one line."""


def find_tokenizer(model: Any, metadata: Mapping[str, Any], needs: str) -> TextTokenizer | None:
    """The tokenizer of an lm-eval model; `model` is None outside an evaluation.

    It is the model's own. Only for a model that encodes nothing itself, such as that of an API server, the task's metadata may
    name one. `needs` says in the message what needs the tokenizer; it is empty if nothing does. Returns None if none is needed,
    the user wants none, or nothing names one outside an evaluation. Raises `TokenizerError` if an evaluation has no tokenizer, or
    the metadata names one that is not the model's.
    """
    named = metadata.get("tokenizer")
    if (own := _own_tokenizer(model)) is not None:
        if isinstance(named, str) and named != own.name:
            refuse_another(named, own)
        return own
    name = next((metadata[key] for key in _NAME_KEYS if isinstance(metadata.get(key), str)), None)
    if name == NO_TOKENIZER:
        return None
    if name is None and (model is None or not needs):
        return None
    advice = (
        "Pass --metadata tokenizer=NAME_OR_FOLDER (from Python: TaskManager(metadata={'tokenizer': …})), "
        f"or {NO_TOKENIZER!r} to go without"
    )
    if name is None:
        raise TokenizerError(f"{needs}, and the model has none that lm-eval knows. {advice}.")
    try:
        tokenizer = _load(name)
    except (OSError, ValueError, KeyError) as error:
        if model is None or not needs:
            return None
        raise TokenizerError(f"{needs}; {name!r} has none that can be loaded ({first_line(error)}). {advice}.") from error
    length = getattr(model, "max_length", None) or min(tokenizer.model_max_length, _NO_LIMIT)
    # API models of lm-eval add no special tokens unless told to.
    special_tokens = {"add_special_tokens": bool(metadata.get("add_bos_token"))} if "base_url" in metadata else {}
    encode = functools.partial(tokenizer.encode, **special_tokens)
    return TextTokenizer(encode, name=name, bos_token_id=tokenizer.bos_token_id, max_length=length)


def _own_tokenizer(model: Any) -> TextTokenizer | None:
    """The tokenizer with which an lm-eval model encodes requests; None if it sends them as text."""
    # in this order: lm-eval's model `dummy` encodes nothing, and asks the hub for a tokenizer when it is looked at
    if not hasattr(model, "tok_encode") or getattr(model, "tokenizer", None) is None:
        return None
    ids = model.tok_encode("a")
    if not ids or not all(isinstance(token, int) for token in ids):
        return None
    tokenizer = model.tokenizer
    name = str(getattr(tokenizer, "name_or_path", None) or type(tokenizer).__name__)
    bos = getattr(tokenizer, "bos_token_id", None)
    length = getattr(model, "max_length", None) or _NO_LIMIT  # a class of the user's own need not have one
    return TextTokenizer(model.tok_encode, name=name, bos_token_id=bos, max_length=length)


def refuse_another(named: str, own: TextTokenizer) -> None:
    """Raises a `TokenizerError` if a `named` tokenizer cannot be loaded or encodes text differently from the model's own."""
    try:
        tokenizer = _load(named)
    except (OSError, ValueError, KeyError) as error:
        raise TokenizerError(f"tokenizer {named!r} cannot be loaded ({first_line(error)}); leave it out") from error
    variants = {tuple(tokenizer.encode(_PROBE, add_special_tokens=special)) for special in (False, True)}
    if own.encode(_PROBE) not in variants:
        raise TokenizerError(f"tokenizer {named!r} encodes text differently from the model's own, {own.name!r}; leave it out")


@functools.cache
def _load(name: str) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(name)
