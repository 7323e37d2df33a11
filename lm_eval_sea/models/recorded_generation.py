"""What a local backend knows about a generated text: why it ended, and how many tokens it has."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lm_eval_sea.tasks._shared.reading.thought import take_apart

from .batch_encoding import Model
from .generated_text import GeneratedText
from .replaced import replaced

if TYPE_CHECKING:
    from lm_eval.api.instance import Instance


class RecordedGeneration(Model):
    """Turns the texts of a local model into `GeneratedText`. Put it before lm-eval's class.

    lm-eval's loops return plain strings, but pass each text to the cache as soon as it is decoded. What is known then is kept
    with the text.
    """

    _recorder: _Recorder | None = None

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Texts that the model writes, as lm-eval's class makes them."""
        recorder = _Recorder(self.cache_hook, self.record_of)
        with replaced(self, cache_hook=recorder, _recorder=recorder):
            texts: list[str] = super().generate_until(requests, disable_tqdm=disable_tqdm)  # type: ignore[safe-super]  # lm-eval's
        return [recorder.take(request.args[0], text) for request, text in zip(requests, texts, strict=True)]

    @abstractmethod
    def record_of(self, prompt: str, settings: dict[str, Any], text: str) -> GeneratedText:
        """A text that was just decoded, with what is known about it."""

    def counted(
        self, prompt: str, text: str, *, finished: bool, has_end: bool, prompt_tokens: int, written: int
    ) -> GeneratedText:
        """A text, already cut at a stop string, with its tokens counted.

        It is `finished` if the model or a stop string ended it, not the token limit, and `has_end` if a token outside the text
        did. `written` counts all tokens of the model, that one included; those that are not the answer's are the thought's.
        """
        made, answer = take_apart(text, prompt=prompt, finished=finished), written
        if made.state != "no thought":
            answer = len(self.tok_encode(made.answer, add_special_tokens=False)) + has_end if made.state == "closed" else 0
        return GeneratedText(
            text,
            finish_reason="stop" if finished else "length",
            prompt_tokens=prompt_tokens,
            thought_tokens=max(written - answer, 0),
            answer_tokens=answer,
        )


class _Recorder:
    """Replaces lm-eval's `CacheHook`, and passes on what it gets."""

    def __init__(self, hook: Any, record_of: Callable[[str, dict[str, Any], str], GeneratedText]) -> None:
        self._hook, self._record_of = hook, record_of
        self._found: dict[tuple[str, str], list[GeneratedText]] = defaultdict(list)

    def add_partial(self, kind: str, arguments: Any, text: str) -> None:
        """Called by lm-eval's classes for each answer."""
        prompt, settings = arguments
        record = self._record_of(prompt, settings, text)
        self._found[prompt, text].append(record)
        self._hook.add_partial(kind, arguments, record)

    def take(self, prompt: str, text: str) -> str:
        """The record of a text; of equal texts for the same prompt the first that was not taken."""
        found = self._found[prompt, text]
        return found.pop(0) if found else text
