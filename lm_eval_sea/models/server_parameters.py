"""Learns which parameters of a request a server accepts from what it refuses."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

logger = logging.getLogger("lm_eval_sea")

LIMIT = "max_completion_tokens"
STREAM, _OF_STREAM = "stream", "stream_options"
STREAMED = {STREAM: True, _OF_STREAM: {"include_usage": True}}  # how an answer is sent, not what it is
_LIMITS = (LIMIT, "max_tokens")
_CALLED = (*_LIMITS, "max_new_tokens", "max_output_tokens")  # names of the limit in messages, whatever was sent
# Parameters without which something else would be measured → how to run without them.
_NEEDED = {
    "chat_template_kwargs": "leave out thinking and chat_template_kwargs; a server that takes none may take effort=low",
    "reasoning_effort": "give effort a value that it takes, or leave it out",
    "structured_outputs": "leave out the _choice tasks",
    "continue_final_message": "leave out tasks that begin the answer",
}
UNCOUNTED = 16  # tokens that a server may write beyond the limit without counting them, such as those that end a turn
_NUMBER = r"(\d[\d,]*)"
_WINDOW = re.compile(rf"context (?:length|window|size)\D{{0,40}}{_NUMBER}", re.IGNORECASE)
# Tokens of the prompt in messages of vLLM, SGLang and OpenAI.
_PROMPT = re.compile(
    rf"{_NUMBER} (?:input tokens|tokens? from the input|(?:tokens )?in the (?:messages|prompt))"
    rf"|prompt contains (?:at least )?{_NUMBER}(?![\d,]* characters)"
)
_MOST = re.compile(
    r"(?:at most|less than or equal to|greater than[^.\d]{0,60}|<=|≤|exceed|>|\[\d+,|maximum[a-z_ ]{0,40}(?:is|of|:))[\s`']*"
    + _NUMBER,
    re.IGNORECASE,
)


# Words near a parameter's name with which servers refuse it; a name without them may be part of a row.
_SAYS = (
    r"not (?:\w+ ){0,2}(?:support|permit|allow|accept|recogni|implement|valid|available|enabl)|n't (?:support|allow|accept)"
    r"|unsupported|unrecogni|unknown|unexpected|invalid|\bextra\b|forbidden|deprecated|disabled|incompatible"
    r"|\bmust\b|\bshould\b|\bonly\b|range|too (?:large|big|long|high|small|low)"
)
_NEAR = 80  # characters


class ServerError(RuntimeError):
    """An error that concerns all requests and ends the run; one line that says what is wrong and how to fix it."""


class RequestError(RuntimeError):
    """A request that has no answer after all attempts; one line that says why."""


class ServerParameters:
    """Parameters as a server takes them: one that it refuses is left out of all further requests, and reported once."""

    def __init__(self) -> None:
        self.longest: int | None = None  # tokens of an answer for which the window has room; None: unknown
        self.most: int | None = None  # tokens of an answer that the server gives
        self.limit: str | None = LIMIT  # the server's name for the limit of an answer; None: it takes none
        self.refused: frozenset[str] = frozenset()
        self.ends_early = False  # whether it ends answers before the limit under both names
        self.streams = False  # whether it has ever streamed a whole answer; then a failing stream says nothing about others
        self._said: set[str] = set()

    def say(self, what: str, line: str) -> None:
        """Logs a warning, once for each `what`."""
        if what not in self._said:
            self._said.add(what)
            logger.warning(line)


class RequestParameters:
    """Parameters of one request, which tries what a refusal suggests.

    The message of a refusal may quote the row, with any words in it. So what it says applies to other requests only once this one
    has an answer.
    """

    def __init__(self, server: ServerParameters, wanted: Mapping[str, Any]) -> None:
        """Starts with what is known about the server; `wanted` has parameters by name, and the limit of the answer as `LIMIT`."""
        self._server, self._wanted = server, wanted
        self._most, self._refused = server.most, server.refused
        self._limit = self._begun_with = server.limit
        self._early: int | None = None  # tokens of an answer that ended before `LIMIT`; what is sent now has the other name
        self._room: int | None = None  # tokens that the window leaves; 0: it is up to the server; None: unknown
        self._lines: dict[str, str] = {}  # what to log about it

    def sent(self) -> dict[str, Any]:
        """The parameters to send."""
        found = {name: value for name, value in self._wanted.items() if name not in self._refused and name != LIMIT}
        if STREAM not in found:
            found.pop(_OF_STREAM, None)
        if self._limit and LIMIT in self._wanted and self._room != 0:
            limits = (self._wanted[LIMIT], self._server.longest, self._most, self._room)
            found[self._limit] = min(number for number in limits if number is not None)
        return found

    def learn(self, message: str, parameter: str | None) -> bool:
        """Learns from a refusal, with the parameter that it names separately, if any; returns whether the request has changed.

        If not, it is refused for another reason. Raises `ServerError` if the server refuses a parameter without which something
        else would be measured, `RequestError` if its window leaves no room for an answer.
        """
        before = self.sent()
        self._learn(before, message, parameter)
        return self.sent() != before

    def leave_out(self, name: str, why: str) -> bool:
        """Stops sending a parameter; returns whether it was sent."""
        if name not in (sent := self.sent()):
            return False
        self._refused |= {name}
        self._lines[name] = f"the server refuses {name}={sent[name]}; it is left out of all requests ({why})"
        return True

    @property
    def limit(self) -> int | None:
        """The limit of the answer as it is sent; None for none."""
        return self.sent().get(self._limit) if self._limit else None

    def answered(self, tokens: Any, cut_at: int | None = None) -> dict[str, str] | None:
        """Learns from an answer of `tokens` tokens; returns what was sent in place of refused parameters.

        `cut_at` are its tokens with the thought if the server cut it, else None. Returns None to ask again, because the answer is
        longer than its limit or was cut far below it, so the limit may have another name.
        """
        known, longest = self._server, self.limit
        is_longer = type(tokens) is int and longest is not None and tokens > longest + UNCOUNTED
        is_early = cut_at is not None and longest is not None and cut_at + UNCOUNTED < longest
        if is_early and self._limit == LIMIT and self._early is None and not known.ends_early:
            self._limit, self._early = _LIMITS[1], cut_at
            return None
        if self._early is not None and self._limit != LIMIT:
            if is_early and cut_at is not None and cut_at <= self._early + UNCOUNTED:
                self._limit = LIMIT  # the name makes no difference
            else:
                known.say("early", f"the server ignores {LIMIT} (it cut an answer at {self._early:,}); {_LIMITS[1]} replaces it")
        known.ends_early |= is_early
        own = {STREAM} if known.streams else set()  # what is left out of this request alone
        known.refused = (known.refused | self._refused) - own
        known.most = min((number for number in (known.most, self._most) if number is not None), default=None)
        if self._limit != self._begun_with:
            known.limit = self._limit
        for what, line in self._lines.items():
            if what not in own:
                known.say(what, line)
        if is_longer:
            said = f"{_LIMITS[1]} replaces it" if self._limit == LIMIT else "answers have the server's own limit"
            known.say(f"heeded {self._limit}", f"the server ignores {self._limit} (an answer has {tokens:,} tokens); {said}")
        if is_longer and self._limit == LIMIT:
            self._limit = known.limit = _LIMITS[1]
            return None
        if is_early:
            why = "by its own limit or window"
            known.say("ends early", f"the server cuts answers at {cut_at:,} tokens instead of {longest:,}: {why}")
        instead = {name: "not sent" for name in sorted(self._refused - STREAMED.keys()) if name in self._wanted}
        if is_longer:
            instead[LIMIT] = "not heeded"
        elif is_early:
            instead[LIMIT] = "cut earlier"
        elif self._limit is None and LIMIT in self._wanted:
            instead[LIMIT] = "not sent"
        elif self._most is not None and self._wanted.get(LIMIT, 0) > self._most:
            instead[LIMIT] = f"{self._most:,} at most"
        return instead

    def _learn(self, sent: Mapping[str, Any], message: str, parameter: str | None) -> None:
        limit = next((name for name in _LIMITS if name in sent), None)
        window, prompt = _number(_WINDOW, message), _number(_PROMPT, message)
        if window is not None and prompt is not None:
            if prompt >= window:
                least = "at least " if "at least" in message else ""  # vLLM counts no further
                raise RequestError(f"the prompt of {least}{prompt:,} tokens does not fit the server's window of {window:,}")
            self._lines["window"] = f"answers get the room that the server's window of {window:,} tokens leaves after the prompt"
            self._room = window - prompt
        elif limit and window is not None:
            self._lines["window"] = f"answers are left to the room that the server's window of {window:,} tokens leaves"
            self._room = 0
        elif limit and any(_refuses(name, message, parameter) for name in _CALLED):
            self._learn_limit(limit, int(sent[limit]), message)
        else:
            for name in sent:
                if not _refuses(name, message, parameter):
                    continue
                if name in _NEEDED:
                    raise ServerError(f"the server refuses {name}: {message}; {_NEEDED[name]}")
                self.leave_out(name, message)

    def _learn_limit(self, limit: str, asked: int, message: str) -> None:
        most = _number(_MOST, message)
        if most is not None and 1 <= most < asked:
            self._most = most
            self._lines["longest"] = (
                f"the server gives answers of {most:,} tokens at most, not {asked:,}; all requests ask for that"
            )
        else:
            self._limit = LIMIT if self._early is not None else _LIMITS[1] if limit == LIMIT else None
            said = f"{self._limit} replaces it" if self._limit else "answers have the server's own limit"
            self._lines[f"limit {limit}"] = f"the server refuses {limit}; {said} in all requests ({message})"


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(next(filter(None, found.groups())).replace(",", "")) if found else None


def _refuses(name: str, message: str, parameter: str | None) -> bool:
    """Whether a refusal is about a parameter: it has the name in a field of its own, or words of refusal near it."""
    if parameter:
        return parameter.rpartition(".")[2] == name
    named = re.finditer(rf"\b{name}(?:ing)?\b", message, re.IGNORECASE)  # "Streaming is not supported"
    near = (message[max(0, found.start() - _NEAR) : found.end() + _NEAR] for found in named)
    return any(re.search(_SAYS, text, re.IGNORECASE) or _MOST.search(text) for text in near)
