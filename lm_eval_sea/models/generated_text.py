"""A generated text with what its backend knows about its generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any


@dataclass(eq=False, repr=False)  # it compares and prints as the string that it is
class GeneratedText(str):
    """What a model wrote: a string, as lm-eval's tasks, caches and logs take it, with attributes from the backend.

    Attributes are None if the backend does not report them. Tasks read them by name, because tasks do not import backends.
    """

    text: InitVar[str]
    _: KW_ONLY
    # the thought, if the backend separates it; the string is then only the answer. None also if thought and answer are one text,
    # which `tasks/_shared/reading/thought.py` takes apart
    thought: str | None = None
    # why the text ended, in the words of OpenAI's API: "stop", "length", "content_filter", "tool_calls"; a server's own word
    # if none of them says the same (`tasks/_shared/chat/ends.py`)
    finish_reason: str | None = None
    prompt_tokens: int | None = None  # of the rendered prompt
    thought_tokens: int | None = None  # of the thought, its marks included
    answer_tokens: int | None = None  # of what is not thought
    failure: str | None = None  # why there is no answer, in one line; the string is empty then
    model: str | None = None  # what a server calls the model that answered
    refused_parameters: Mapping[str, str] | None = None  # what was sent in place of parameters that a server refuses
    raw: str | None = None  # the whole text if it is an unfinished thought, so that the string is empty; for the logs alone
    reply: Any = None  # a server's, with any thought in the text: read again once other answers show how its prompt ended

    def __new__(cls, text: str, **_: Any) -> GeneratedText:
        """The string; the attributes follow."""
        return super().__new__(cls, text)

    def __getnewargs__(self) -> tuple[str]:
        """The arguments from which `pickle` makes the string; the attributes follow."""
        return (str(self),)


def as_written(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as lm-eval logs it, with all that the model wrote."""
    return {**row, "resps": [[getattr(text, "raw", None) or text for text in texts] for texts in row["resps"]]}
