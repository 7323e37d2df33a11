"""What a server takes of the parameters of a request, learned from what it refuses."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

logger = logging.getLogger("lm_eval_sea")

LIMIT = "max_completion_tokens"
_LIMITS = (LIMIT, "max_tokens")
_CALLED = (*_LIMITS, "max_new_tokens", "max_output_tokens")  # in messages, whatever was sent
# Without these another thing would be measured than the one that was asked for.
_NEEDED = ("chat_template_kwargs", "reasoning_effort", "structured_outputs", "continue_final_message")
_UNCOUNTED = 16  # tokens beyond the limit that a server may write by its way of counting, such as those that end a turn
_NUMBER = r"(\d[\d,]*)"
_WINDOW = re.compile(rf"context (?:length|window|size)\D{{0,40}}{_NUMBER}", re.IGNORECASE)
# Tokens of the prompt as vLLM, SGLang and OpenAI tell them.
_PROMPT = re.compile(
    rf"{_NUMBER} (?:input tokens|tokens? from the input|(?:tokens )?in the (?:messages|prompt))"
    rf"|prompt contains (?:at least )?{_NUMBER}(?![\d,]* characters)"
)
_MOST = re.compile(
    r"(?:at most|less than or equal to|greater than[^.\d]{0,60}|<=|≤|exceed|>|\[\d+,|maximum[a-z_ ]{0,40}(?:is|of|:))[\s`']*"
    + _NUMBER,
    re.IGNORECASE,
)


class NeededParameterError(ValueError):
    """The server refuses a parameter without which another thing would be measured; one line."""


class PromptTooLongError(ValueError):
    """The server's window leaves no room for an answer; one line."""


class ServerParameters:
    """Parameters as a server takes them: one that it refuses is left out of all further requests, and said once."""

    def __init__(self, longest: int | None = None) -> None:
        """Knows nothing yet but the most tokens that an answer may have."""
        self._longest = longest
        self._limit: str | None = LIMIT  # how the server calls the limit of an answer; None: it takes none
        self._dropped: set[str] = set()
        self._said: set[str] = set()

    def of_request(self, wanted: Mapping[str, Any], room: int | None) -> dict[str, Any]:
        """What is sent.

        Args:
            wanted: parameters by name; the limit of the answer is called `LIMIT`.
            room: the most tokens that the window leaves this request; 0: the server is not told, and finds out; None: not known.
        """
        sent = {name: value for name, value in wanted.items() if name not in self._dropped and name != LIMIT}
        if self._limit and LIMIT in wanted and room != 0:
            sent[self._limit] = min(number for number in (wanted[LIMIT], self._longest, room) if number is not None)
        return sent

    def learn(self, sent: Mapping[str, Any], message: str, parameter: str | None) -> int | None:
        """Takes note of a refusal; a request that `of_request` makes as before is refused for another reason.

        Args:
            sent: the parameters that were refused.
            message: what the server said.
            parameter: which parameter it names, if it does so.

        Returns:
            The room of this request, as `of_request` takes it.

        Raises:
            NeededParameterError: for a parameter that cannot be left out.
            PromptTooLongError: if the prompt alone is too long.
        """
        limit = next((name for name in _LIMITS if name in sent), None)
        window, prompt = _number(_WINDOW, message), _number(_PROMPT, message)
        if window is not None and prompt is not None:
            if prompt >= window:
                raise PromptTooLongError(f"the prompt of {prompt:,} tokens does not fit the server's window of {window:,}")
            self._say("window", f"answers get the room that the server's window of {window:,} tokens leaves behind the prompt")
            return window - prompt
        if limit and (window is not None or any(_names(name, message, parameter) for name in _CALLED)):
            return self._learn_limit(limit, int(sent[limit]), message, window)
        for name in sent:
            if not _names(name, message, parameter):
                continue
            if name in _NEEDED:
                raise NeededParameterError(f"the server refuses {name}: {message}")
            self._dropped.add(name)
            self._say(name, f"the server refuses {name}={sent[name]}; it is left out of all requests ({message})")
        return None

    def take_length(self, sent: Mapping[str, Any], tokens: Any) -> None:
        """Notes from the length of an answer whether the server heeds the limit by the name that was sent."""
        if type(tokens) is int and self._limit == LIMIT and tokens > sent.get(LIMIT, tokens) + _UNCOUNTED:
            self._limit = _LIMITS[1]
            self._say(
                "heeded", f"the server does not heed {LIMIT} (an answer has {tokens:,} tokens); {_LIMITS[1]} takes its place"
            )

    def _learn_limit(self, limit: str, asked: int, message: str, window: int | None) -> int | None:
        most = _number(_MOST, message)
        if window is not None:
            self._say("window", f"answers are left to the room that the server's window of {window:,} tokens leaves")
            return 0
        if most is not None and 1 <= most < asked:
            self._longest = most if self._longest is None else min(most, self._longest)
            self._say("longest", f"the server gives answers of {most:,} tokens at most, not {asked:,}; all requests ask for that")
        elif limit == self._limit:
            self._limit = _LIMITS[1] if limit == LIMIT else None
            said = f"{self._limit} takes its place" if self._limit else "answers have the server's own limit"
            self._say(limit, f"the server refuses {limit}; {said} in all requests ({message})")
        return None

    def _say(self, what: str, line: str) -> None:
        if what not in self._said:
            self._said.add(what)
            logger.warning(line)


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(next(filter(None, found.groups())).replace(",", "")) if found else None


def _names(name: str, message: str, parameter: str | None) -> bool:
    if parameter:
        return parameter.rpartition(".")[2] == name
    return re.search(rf"\b{name}\b", message) is not None
