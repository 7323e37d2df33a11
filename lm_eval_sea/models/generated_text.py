"""A generated text with what its backend knows of how it came about."""

from __future__ import annotations

from collections.abc import Mapping


class GeneratedText(str):
    """What a model wrote: a string, as lm-eval's tasks, caches and logs take it, with what the backend tells beside it.

    Attributes are None where the backend does not tell. Tasks read them by name, for a task folder does not import backends.

    Attributes:
        thought: what the model thought, where the backend keeps it apart; the string is the answer alone then. None also where
            thought and answer are one text, which `tasks/_shared/reading/thought.py` takes apart.
        finish_reason: why the text ended, in the words of OpenAI's API: "stop", "length", "content_filter", "tool_calls"; a
            server's own word where none of them says the same (`tasks/_shared/chat/ends.py`).
        prompt_tokens: of the rendered prompt.
        thought_tokens: of the thought, its marks included.
        answer_tokens: of what is not thought.
        failure: why there is no answer, in one line; the string is empty then.
        refused_parameters: what was sent in the place of parameters that a server refuses, by their names.
    """

    thought: str | None
    finish_reason: str | None
    prompt_tokens: int | None
    thought_tokens: int | None
    answer_tokens: int | None
    failure: str | None
    refused_parameters: Mapping[str, str] | None

    def __new__(
        cls,
        text: str,
        *,
        thought: str | None = None,
        finish_reason: str | None = None,
        prompt_tokens: int | None = None,
        thought_tokens: int | None = None,
        answer_tokens: int | None = None,
        failure: str | None = None,
        refused_parameters: Mapping[str, str] | None = None,
    ) -> GeneratedText:
        """A text; the arguments are the attributes."""
        made = super().__new__(cls, text)
        made.thought, made.finish_reason, made.failure = thought, finish_reason, failure
        made.prompt_tokens, made.thought_tokens, made.answer_tokens = prompt_tokens, thought_tokens, answer_tokens
        made.refused_parameters = refused_parameters
        return made

    def __getnewargs__(self) -> tuple[str]:
        """What `pickle` makes the string of; the attributes follow."""
        return (str(self),)
