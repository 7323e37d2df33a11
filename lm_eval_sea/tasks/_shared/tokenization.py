"""The model's tokenizer as lm-eval uses it, found from the arguments of the model."""

from __future__ import annotations

import functools
import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

logger = logging.getLogger("lm_eval_sea")

# Under these names the backends of lm-eval receive the model, and with it the tokenizer.
_NAME_KEYS = ("tokenizer", "pretrained", "model")
# Arguments of the backends that decide which tokenizer is loaded, and the names `AutoTokenizer` has for them.
_TOKENIZER_OPTIONS = {
    "revision": "revision",
    "tokenizer_revision": "revision",
    "subfolder": "subfolder",
    "trust_remote_code": "trust_remote_code",
    "use_fast_tokenizer": "use_fast",
    "add_bos_token": "add_bos_token",
    "gguf_file": "gguf_file",
}
_LENGTH_KEYS = ("max_length", "max_model_len")
_DEFAULT_MAX_LENGTH = 2048  # what lm-eval assumes where the model's configuration says nothing

# Texts of several scripts: tokenizers that encode them alike, and know as many tokens, are taken for the same.
_PROBE = "The 12 cats: กรุงเทพฯ เป็นเมืองหลวง, Nguyễn Huệ, Yogyakarta – ꦗꦮ မြန်မာ ខ្មែរ\n\n  A. 3,5"


class TextTokenizer:
    """Counts and cuts text in the model's own tokens.

    Attributes:
        name: where the tokenizer was loaded from.
        adds_bos: whether it begins every text with a begin-of-sequence token.
        max_length: the most tokens the model takes.
        encode: text → token ids, special tokens as lm-eval adds them.
        digest: equal for tokenizers that make the same tokens and requests.
    """

    def __init__(self, tokenizer: Any, *, name: str, max_length: int, add_bos_token: bool | None = None) -> None:
        """Wraps a Hugging Face tokenizer.

        Args:
            tokenizer: a `transformers` tokenizer.
            name: where it was loaded from.
            max_length: the most tokens the model takes.
            add_bos_token: the argument of the same name in `--model_args`; None leaves it to the tokenizer.
        """
        self.name = name
        self.max_length = max_length
        self._tokenizer = tokenizer
        self._special_tokens = {} if add_bos_token is None else {"add_special_tokens": add_bos_token}
        self._prefix_text = tokenizer.bos_token or tokenizer.eos_token
        # The texts of one row are looked at several times; long prompts take milliseconds each.
        self.encode = functools.lru_cache(maxsize=32)(self._encode)
        self.adds_bos = tokenizer.bos_token_id is not None and self.encode("a")[0] == tokenizer.bos_token_id
        self._first_token_texts: dict[tuple[int, ...], str] = {}
        shape = [name, len(tokenizer), self.encode(_PROBE), max_length, sorted(self._special_tokens.items())]
        self.digest = hashlib.sha256(json.dumps(shape).encode()).hexdigest()

    def _encode(self, text: str) -> tuple[int, ...]:
        """Token ids of a whole text, special tokens as lm-eval adds them (`HFLM.tok_encode`)."""
        special_tokens = self._special_tokens
        if self._prefix_text and text.startswith(self._prefix_text):  # a chat template wrote it already
            special_tokens = {"add_special_tokens": False}
        return tuple(self._tokenizer.encode(text, **special_tokens))

    def split_first_token(self, text: str) -> tuple[str, str]:
        """Splits a text so that a request (first, rest) scores every token of it but the first.

        Where the tokenizer adds a begin-of-sequence token, that is the first, and its text is empty. Elsewhere it is the
        first token of the text itself. A byte-level tokenizer may cut the first character in pieces; then the whole
        character is taken, and the request leaves its pieces unscored (see `unscored_tokens`).

        Raises:
            ValueError: if the text has no beginning that can be told apart in tokens.
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
        """How many tokens, besides the first one, the request from `split_first_token` leaves without a probability."""
        return len(self.encode(first)) - 1 if first else 0

    def _text_of_first_token(self, text: str, ids: Sequence[int]) -> str:
        for end in range(1, min(len(text), 64)):
            prefix = text[:end]
            prefix_ids = self.encode(prefix)
            # lm-eval moves blanks at the end of a context to the continuation
            if not prefix[-1].isspace() and prefix_ids == ids[: len(prefix_ids)]:
                return prefix
        raise ValueError(f"tokenizer {self.name!r}: no beginning of {text[:20]!r} is encoded as it is inside the text")

    def cut_to_fit(self, text: str, endings: Sequence[str]) -> str:
        """The longest end of `text` that, followed by any of `endings`, the model takes whole.

        Raises:
            ValueError: if an ending alone is longer than that.
        """
        longest = max(endings, key=lambda ending: len(self.encode(text + ending)))
        if len(self.encode(text + longest)) <= self.max_length:
            return text
        low, high = 1, len(text)  # the number of characters to drop
        while low < high:
            middle = (low + high) // 2
            if len(self.encode(text[middle:] + longest)) <= self.max_length:
                high = middle
            else:
                low = middle + 1
        if low >= len(text):
            raise ValueError(
                f"an answer of {len(self.encode(longest))} tokens leaves no room for a prompt in the model's context of "
                f"{self.max_length} tokens; choose a model with a longer context or raise max_length"
            )
        return text[low:]

    def cut_inside(self, before: str, text: str, after: str, room: int) -> str:
        """The longest beginning of `text` that, between `before` and `after`, takes at most `room` tokens; it may be empty."""
        if len(self.encode(before + text + after)) <= room:
            return text
        low, high = 0, len(text) - 1  # the number of characters to keep
        while low < high:
            middle = (low + high + 1) // 2
            if len(self.encode(before + text[:middle] + after)) <= room:
                low = middle
            else:
                high = middle - 1
        return text[:low]


def resolve_tokenizer(model_args: Mapping[str, Any], lost: str | None = None) -> TextTokenizer | None:
    """The tokenizer of the model under evaluation, or None (with one warning) if there is none to be had.

    lm-eval hands a task the parsed `--model_args` and `--metadata` in `config.metadata`; that is all a task knows of the
    model. An API model can name its tokenizer there: `--metadata tokenizer=NAME`.

    Args:
        model_args: the task's metadata.
        lost: what a task goes without, if there is none; None to say nothing of it.
    """
    name = next((model_args[key] for key in _NAME_KEYS if isinstance(model_args.get(key), str)), None)
    if not name:
        _warn_once("the arguments of the model name no tokenizer", lost)
        return None
    options = {option: model_args[key] for key, option in _TOKENIZER_OPTIONS.items() if model_args.get(key) is not None}
    length = next((int(model_args[key]) for key in _LENGTH_KEYS if model_args.get(key)), None)
    if "base_url" in model_args:  # lm-eval's API models add no special tokens unless told to, and keep one token free
        options.setdefault("add_bos_token", False)
        length = (length or _DEFAULT_MAX_LENGTH) - 1
    model = model_args.get("pretrained") or name
    tokenizer, fault = _load_tokenizer(name, model, length, tuple(sorted(options.items())))
    if fault:
        _warn_once(fault, lost)
    return tokenizer


@functools.cache
def _load_tokenizer(name: str, model: str, length: int | None, options: tuple) -> tuple[TextTokenizer | None, str]:
    """The tokenizer and an empty text, or None and what is wrong."""
    from transformers import AutoTokenizer

    keywords = dict(options)
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, **keywords)
    except (OSError, ValueError, KeyError) as error:
        return None, f"tokenizer {name!r} cannot be loaded ({_first_line(error)})"
    max_length = length or _max_length(model, tokenizer, keywords)
    return TextTokenizer(tokenizer, name=name, max_length=max_length, add_bos_token=keywords.get("add_bos_token")), ""


def _max_length(model: str, tokenizer: Any, keywords: Mapping[str, Any]) -> int:
    """The context length that lm-eval finds for the model."""
    from lm_eval.models.utils import resolve_max_length
    from transformers import AutoConfig

    options = {key: keywords[key] for key in ("revision", "subfolder", "trust_remote_code") if key in keywords}
    try:
        config = AutoConfig.from_pretrained(model, **options)
    except (OSError, ValueError, KeyError):  # an API model has a tokenizer but no configuration
        return min(tokenizer.model_max_length, 10**9)
    return resolve_max_length(config, tokenizer, default=_DEFAULT_MAX_LENGTH)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


@functools.cache
def _warn_once(reason: str, lost: str | None) -> None:
    if lost:
        logger.warning("%s: %s. For an API model name one with `--metadata tokenizer=NAME_OR_FOLDER`.", lost, reason)
