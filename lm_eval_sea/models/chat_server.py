"""Asks a server that speaks OpenAI's chat API, through the `openai` client: streams, waits, retries, adapts to refusals."""

from __future__ import annotations

import asyncio
import email.utils
import functools
import itertools
import json
import logging
import math
import random
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lm_eval_sea.install_hint import install_extra
from lm_eval_sea.tasks._shared.chat.ends import FAILED, end_of
from lm_eval_sea.tasks._shared.reading.thought import open_thought

from .server_parameters import STREAM, UNCOUNTED, RequestError, RequestParameters, ServerError, ServerParameters

FIRST_WAIT = 1.0  # seconds before the second attempt if the server names no time; each further wait is twice as long
LONGEST_WAIT = 600.0  # seconds, whatever the server says
LONGEST_TEXT = 32 * 2**20  # characters of one answer; a server may never end
QUEUE = 10  # times the timeout between tokens: how long a server that sends comments may take to the first token
_CONNECT_SECONDS = 20.0
_LONG_WAIT = 30.0  # seconds; longer waits are logged
_RETRIES_AT_FIRST = 2  # of the first question, whether the server is there
_LOST = "\ufffd"  # stands for bytes that are no character
_SHOWN = 300  # characters of what a server says
# Statuses of a refusal that any other request would meet, too: wrong key, no credit, no such model or address.
_OF_ALL = {401, 402, 404, 405}
_AT_ADDRESS = "; base_url is what stands before /chat/completions, and often ends in /v1"
_OF_PARAMETERS = {400, 422}
_PASSING = {408, 409, 425, 429}

logger = logging.getLogger("lm_eval_sea")


class NoReplyError(RequestError):
    """A request that the server did not refuse, and did not answer either."""


class _BrokenReplyError(RuntimeError):
    """A reply that is no answer, or only part of one."""


class _EmptyStreamError(_BrokenReplyError):
    """A stream that ends as it should but has no answer, from a server that is busy or cannot stream."""


@dataclass
class Reply:
    """An answer, as far as it has arrived."""

    finish_reason: str | None = None  # in the words of OpenAI's API, or else the server's own
    model: str | None = None  # what the server calls the model that answers
    usage: dict[str, Any] = field(default_factory=dict)  # as the server counts tokens
    # what was sent in place of parameters that the server refuses
    refused_parameters: Mapping[str, str] = field(default_factory=dict)
    _answer: list[str] = field(default_factory=list)
    _thought: list[str] = field(default_factory=list)
    _has_deltas: bool = False
    _has_content: bool = False  # whether any `content` was not null
    is_whole: bool = False  # whether the answer came in one message, not in a stream
    length: int = 0  # characters of answer and thought
    shows: list[str | None] | None = None  # about the end of the prompt; None until it is looked at
    other: Any = None  # the last piece without a choice, which may say what is wrong

    @property
    def answer(self) -> str | None:
        """The whole answer; None if the server sent none."""
        self._answer = ["".join(self._answer)] if self._answer else []  # a reply may be kept, and has many pieces
        return _without_surrogates(self._answer[0]) if self._answer else None

    @property
    def thought(self) -> str | None:
        """The whole thought; None if the server does not separate it."""
        return _without_surrogates("".join(self._thought)) if self._thought else None

    @property
    def repeats_itself(self) -> bool:
        """Whether each piece has all before it, as some servers send them; asked before `answer`, which joins the pieces."""
        return any(map(_are_cumulative, (self._answer, self._thought)))

    @property
    def is_withheld(self) -> bool:
        """Whether the server sends nothing of an answer that the model, and no filter, ended: null, or none of many tokens."""
        _, thought, written = self.tokens
        lacks = not self._has_content if written is None else written > UNCOUNTED
        return lacks and not self.length and not thought and self.finish_reason in ("stop", None)

    @property
    def tokens(self) -> tuple[int | None, int | None, int | None]:
        """The tokens of the prompt, of the thought, and of thought and answer together; None if not reported."""
        prompt, written, total = (_count(self.usage, f"{kind}_tokens") for kind in ("prompt", "completion", "total"))
        thought = _count(self.usage.get("completion_tokens_details"), "reasoning_tokens")
        if self.length and written == 0 and (total or 0) <= (prompt or 0):  # what it wrote is not counted
            written = None
        if prompt is not None and written is not None and total is not None and (apart := total - prompt - written) > 0:
            # xAI and Gemini count a thought only in the total, and Gemini reports nothing else about it
            thought, written = thought or apart, written + apart
        elif thought is not None and written is not None and thought > written:  # counted beside the answer, and in no total
            written += thought
        return prompt or None, thought, written

    def add(self, data: Any) -> None:
        """Adds a chunk of a stream, or a whole completion; raises for a reported error, and for an answer that is too long."""
        if not isinstance(data, Mapping) or not all(isinstance(choice, Mapping) for choice in data.get("choices") or ()):
            raise _BrokenReplyError(f"a reply that is no completion: {_shown(data)}")
        if error := data.get("error") or (data.get("object") == "error" and data):  # OpenAI's form, and that of SGLang and vLLM
            what = f"an error instead of an answer: {_shown(error)}"
            if "Unexpected endpoint" in str(error):  # LM Studio's words, with status 200
                raise ServerError(f"{what}{_AT_ADDRESS}")
            raise _BrokenReplyError(what)
        if isinstance(data.get("model"), str):
            provider = data.get("provider")  # OpenRouter's, which may be another one for each request
            self.model = f"{data['model']} ({provider})" if isinstance(provider, str) and provider else data["model"]
        if isinstance(data.get("usage"), Mapping):
            self.usage = dict(data["usage"])
        self.other = self.other if data.get("choices") else data
        # others are further answers to the same request, which nobody asked for
        for choice in [each for each in data.get("choices") or () if not each.get("index")][:1]:
            delta = choice.get("delta")
            self._has_deltas |= bool(delta)
            self.is_whole |= not self._has_deltas and bool(choice.get("message"))
            # some servers end a stream with the whole message
            part = delta or (not self._has_deltas and choice.get("message")) or {}
            self._has_content |= part.get("content") is not None
            text, thought = _texts(part.get("content"))
            # vLLM from 0.12 on and OpenRouter: reasoning; older vLLM, SGLang and DeepSeek: reasoning_content; OpenRouter beside
            # or in place of it: reasoning_details; some send several
            thoughts = ("".join(_texts(part.get(name))) for name in ("reasoning", "reasoning_content", "reasoning_details"))
            thought += next(filter(None, thoughts), "")
            text += "".join(_texts(part.get("refusal")))
            self._answer += [text] if text else []
            self._thought += [thought] if thought else []
            if (finish_reason := choice.get("finish_reason")) and finish_reason != "null":  # as some servers write None
                self.finish_reason = end_of(str(finish_reason)) or _shown(finish_reason)
            if self.finish_reason == FAILED:
                why = f": {_shown(choice['error'])}" if choice.get("error") else ""
                raise _BrokenReplyError(f"an answer that the server ends with {_shown(finish_reason)!r}{why}")
            self.length += len(text) + len(thought)
        _bounded(self.length)


def _are_cumulative(pieces: Sequence[str]) -> bool:
    """Whether pieces begin with the one before, and at least two are longer than it."""
    pairs = list(itertools.pairwise(pieces))
    return all(later.startswith(earlier) for earlier, later in pairs) and sum(len(a) < len(b) for a, b in pairs) > 1


def _count(counts: Any, name: str) -> int | None:
    number = counts.get(name) if isinstance(counts, Mapping) else None
    return number if type(number) is int and 0 <= number < 2**53 else None


def _bounded(length: int) -> int:
    """The length; refuses one that no answer may have."""
    if length > LONGEST_TEXT:
        raise _BrokenReplyError("an answer without an end")
    return length


def _without_surrogates(text: str) -> str:
    """Joins halves of a character, which JSON may separate; a half alone becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _texts(content: Any) -> tuple[str, str]:
    """Text and thought of a `content`: a string, or parts, of which those of Mistral's API may be thoughts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if isinstance(content, Mapping):
        names = ("text", "thinking", "content", "summary")  # a part of another kind, such as a picture, has no text
        found = next(filter(None, ("".join(_texts(content.get(name))) for name in names)), "")
        is_thought = "thinking" in content or content.get("type") == "reasoning"
        return ("", found) if is_thought else (found, "")
    if isinstance(content, Sequence):
        texts, thoughts = zip(("", ""), *map(_texts, content), strict=True)
        return "".join(texts), "".join(thoughts)
    raise _BrokenReplyError(f"a reply with {_shown(content)} instead of a text")


class ChatServer:
    """A model at a server, for one event loop; an async context manager."""

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str,
        *,
        key_hint: str,
        timeout: float,
        max_retries: int,
        parameters: ServerParameters,
    ) -> None:
        """Connects with the first request; `key_hint` says where the key comes from.

        `timeout` is the most seconds without a token. Before the first token it is the most seconds without any data, and the
        wait may be `QUEUE` times as long, as for an unstreamed answer. The client needs a key even if the server does not.
        """
        try:
            import openai
        except ImportError as error:
            raise ServerError(f"the package openai is needed: {install_extra('api')}") from error
        self._openai = openai
        self._base_url, self._model, self._parameters = base_url, model, parameters
        self._timeout, self._max_retries = timeout, max_retries
        self._hints = {401: f"; {key_hint}", 404: _AT_ADDRESS, 405: _AT_ADDRESS}
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key,
            max_retries=0,  # it would only retry before the first token
            timeout=self._silence(timeout),
        )

    def _silence(self, seconds: float) -> Any:
        """The client's timeout: these seconds without any data, and at most `_CONNECT_SECONDS` for the connection."""
        return self._openai.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))

    async def __aenter__(self) -> ChatServer:
        """Nothing is sent."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes all connections."""
        await self._client.close()

    async def models(self) -> list[Mapping[str, Any]] | None:
        """The server's list of models; None if it has none. Raises `ServerError` if it is unreachable or refuses the key."""
        try:
            client = self._client.with_options(timeout=_CONNECT_SECONDS)
            listed = await self._attempts(
                functools.partial(client.get, "/models", cast_to=object), min(self._max_retries, _RETRIES_AT_FIRST)
            )
        except RequestError as error:
            if getattr(error.__cause__, "status_code", None) == 500:  # it is there, and its list alone may be broken
                return None
            raise ServerError(f"{self._base_url}: {error}; is the server there?") from error
        except self._openai.APIStatusError as error:
            if error.status_code in (401, 402):
                raise self._refusal(error) from error
            return None
        models = listed.get("data") if isinstance(listed, Mapping) else None
        return [model for model in models if isinstance(model, Mapping)] if isinstance(models, list) else None

    async def chat(self, messages: Any, wanted: Mapping[str, Any]) -> Reply:
        """One answer; `wanted` has all other parameters.

        Raises `RequestError` if there is none, `ServerError` if there can be none for any request.
        """
        parameters, lost = RequestParameters(self._parameters, wanted), False
        while True:
            try:
                reply: Reply = await self._attempts(functools.partial(self._stream, messages, parameters.sent()))
            except self._openai.APIStatusError as error:
                self._learn(parameters, error)
                continue
            except NoReplyError as error:
                if isinstance(error.__cause__, _EmptyStreamError) and parameters.leave_out(STREAM, "its streams are empty"):
                    continue
                raise
            if reply.repeats_itself:
                if parameters.leave_out(STREAM, "each piece of its streams repeats the text before it"):
                    continue
                raise NoReplyError("a stream whose pieces repeat the text before them")
            if reply.is_whole:
                parameters.leave_out(STREAM, "it sends answers in one piece")
            elif reply.finish_reason is None:  # an answer in one piece is complete
                if parameters.leave_out(STREAM, "its streams do not report why an answer ended"):
                    continue
                raise NoReplyError("a stream without finish_reason")
            else:
                self._parameters.streams = True
            has_lost = _LOST in (reply.answer or "").rstrip(_LOST)  # a cut answer may end with a part of a character
            if has_lost and parameters.leave_out(STREAM, "its streams have parts of characters"):
                lost = True
                continue
            if lost and not has_lost:
                self._parameters.streams = False
            written = reply.tokens[-1]
            if reply.finish_reason == "stop" and written is not None and written == parameters.limit:
                self._parameters.say("stop", "answers that end at the token limit count as cut, which the server does not say")
                reply.finish_reason = "length"
            # 0: a thought that is not counted
            cut_at = written or None if reply.finish_reason == "length" else None
            refused = parameters.answered(reply.usage.get("completion_tokens"), cut_at)
            if refused is None:
                continue
            reply.refused_parameters = refused
            if reply.model:
                say_if_another(self._model, reply.model)
            return reply

    async def rank(self, messages: Any, endings: Sequence[str], template_kwargs: Mapping[str, Any]) -> list[Any]:
        """Log-likelihoods in nats of `endings` as beginnings of the answer, and whether all their tokens are the likeliest.

        The server, which must be vLLM's, renders the messages. Prompt and ending are encoded as one text, which must begin with
        the tokens of the prompt, and sent as tokens. As in lm-eval, blanks at the end of the prompt count with the ending.
        Raises `RequestError` if the server reports no log-probabilities, or tokens of prompt and ending cannot be separated,
        `ServerError` if the chat template has opened a thought.
        """
        prompt, ids = await self.render(messages, template_kwargs)
        if open_thought(prompt):
            raise ServerError(
                "the chat template makes the model think before it answers, so answers cannot be ranked after the prompt: "
                "add thinking=off to --model_args, or take the _chat task of the same data"
            )
        if await self._encode(prompt) != ids:
            raise RequestError("the server's tokenizer does not give back the tokens of its chat template")
        stem = await self._encode(prompt.rstrip())
        return [await self._rank(stem, prompt + ending) for ending in endings]

    async def render(self, messages: Any, template_kwargs: Mapping[str, Any]) -> tuple[str, list[int]]:
        """What the model reads: the text that the chat template makes of messages, and its tokens.

        vLLM's server reports it; with one that does not, raises `RequestError`.
        """
        asked = {"messages": messages, "add_generation_prompt": True, "chat_template_kwargs": template_kwargs}
        ids = await self._post("/tokenize", asked, "tokens")
        return str(await self._post("/detokenize", {"tokens": ids}, "prompt")), ids

    async def _rank(self, stem: list[int], text: str) -> tuple[float, bool]:
        ids = await self._encode(text)
        if ids[: len(stem)] != stem or len(ids) == len(stem):
            raise RequestError("the tokens of an answer cannot be separated from those of its prompt")
        asked = {"prompt": ids, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 1}
        choices = await self._post("/v1/completions", asked, "choices")
        try:
            logprobs = choices[0]["prompt_logprobs"]
            tokens = [each[str(token)] for token, each in list(zip(ids, logprobs, strict=True))[len(stem) :]]
            numbers, is_greedy = [float(token["logprob"]) for token in tokens], all(token["rank"] == 1 for token in tokens)
        except (LookupError, TypeError, ValueError) as error:
            raise RequestError(f"{self._base_url} returns no log-probabilities of a prompt") from error
        if wrong := [number for number in numbers if not number <= 0]:
            raise RequestError(f"{self._base_url} returns {wrong[0]} as a log-probability, which is 0 at most")
        return sum(numbers), is_greedy

    async def _encode(self, text: str) -> Any:
        return await self._post("/tokenize", {"prompt": text, "add_special_tokens": False}, "tokens")

    async def _post(self, path: str, body: Mapping[str, Any], wanted: str) -> Any:
        """The entry `wanted` of the server's reply; raises `RequestError` for an error of the server, or a reply without it."""
        url, asked = self._base_url.removesuffix("/v1") + path, {"model": self._model, **body}
        try:
            reply = await self._attempts(functools.partial(self._client.post, url, cast_to=object, body=asked))
        except self._openai.APIStatusError as error:
            raise RequestError(str(self._refusal(error))) from error
        if not isinstance(reply, Mapping) or wanted not in reply:
            raise RequestError(f"a reply without {wanted}: {_shown(reply)}")
        return reply[wanted]

    def _learn(self, parameters: RequestParameters, error: Any) -> None:
        """Adapts the parameters to a refusal; raises `RequestError` if the request would be the same again.

        Raises `ServerError` if the server would refuse every request.
        """
        refusal = self._refusal(error)
        if error.status_code in _OF_ALL or error.code == "insufficient_quota":
            raise refusal from error
        parameter = error.param if isinstance(error.param, str) else None
        if error.status_code not in _OF_PARAMETERS or not parameters.learn(_message(error), parameter):
            raise RequestError(str(refusal)) from error

    def _refusal(self, error: Any) -> ServerError:
        is_of_model = error.param == "model" or error.code == "model_not_found"  # which the message names
        hint = "" if is_of_model else self._hints.get(error.status_code, "")
        return ServerError(f"{self._base_url}: status {error.status_code}: {_message(error)}{hint}")

    async def _attempts(self, attempt: Any, max_retries: int | None = None) -> Any:
        """Repeats an attempt after failures that may be temporary; raises `NoReplyError` if all attempts fail.

        A refusal is an `openai.APIStatusError`.
        """
        retries = self._max_retries if max_retries is None else max_retries
        for number in range(retries + 1):
            wait = min(FIRST_WAIT * 2**number, LONGEST_WAIT) * random.uniform(0.75, 1.0)
            cause: Exception | None = None
            try:
                return await attempt()
            except ServerError:
                raise
            except self._openai.APIStatusError as error:
                passes = error.status_code in _PASSING or error.status_code >= 500
                if not passes or error.code == "insufficient_quota":
                    raise
                problem, cause = f"status {error.status_code}: {_message(error)}", error
                wait = _stated_wait(error.response.headers) or wait
            except _BrokenReplyError as error:
                problem, cause = str(error), error
            except Exception as error:  # the client and the library below can raise anything for a broken reply
                problem = _shown(f"{str(error) or 'no reply'} ({type(error.__cause__ or error).__name__})")
            if number < retries:
                wait = min(wait, LONGEST_WAIT)
                if wait > _LONG_WAIT:
                    logger.warning("%s: %s; asked again in %.0f seconds", self._base_url, problem, wait)
                await asyncio.sleep(wait)
        raise NoReplyError(f"{problem}, after {retries + 1} attempts" if retries else problem) from cause

    async def _stream(self, messages: Any, sent: Mapping[str, Any]) -> Reply:
        """One attempt; if the server streams, the answer comes token by token, and the timeout is between tokens."""
        reply, is_ended = Reply(), False
        timeout = self._silence(self._timeout if STREAM in sent else QUEUE * self._timeout)
        request = self._client.chat.completions.with_streaming_response.create(
            model=self._model, messages=messages, extra_body=dict(sent), timeout=timeout
        )
        async with request as response:
            kind = response.headers.get("Content-Type", "")
            async for data in _events(self._in_time(response.iter_bytes(), reply)):
                is_ended = data is None
                if not is_ended:
                    reply.add(data)
        if reply.finish_reason is None and is_ended and not reply.length:
            raise _EmptyStreamError(f"an empty stream: {_shown(reply.other)}" if reply.other else "an empty stream")
        if reply.finish_reason is None and not is_ended and not (reply.is_whole and reply.answer):
            kind += ": is base_url right?" if "html" in kind else ""
            what = "a reply that ends in the middle" if "event-stream" in kind else f"a reply without finish_reason ({kind})"
            raise _BrokenReplyError(f"{what}: {_shown(reply.other)}" if reply.other else what)
        if reply.finish_reason == "stop" and not reply.length and reply.tokens[-1] == 0:
            raise _BrokenReplyError("an answer of no tokens")  # even a model that ends at once writes an end token
        if reply.finish_reason is not None and end_of(reply.finish_reason) is None:
            _say_if_unknown(reply.finish_reason)
        return reply

    async def _in_time(self, chunks: AsyncIterator[bytes], reply: Reply) -> AsyncIterator[bytes]:
        """Passes on what a server sends, and raises if the reply stops growing: the client's own timeout only notices silence.

        A server may send comments while a request waits, so it gets more time for the first token.
        """
        length, end = 0, time.monotonic() + QUEUE * self._timeout
        async for chunk in chunks:
            if reply.length > length:
                length, end = reply.length, time.monotonic() + self._timeout
            elif time.monotonic() > end:
                raise _BrokenReplyError("timed out: the server keeps the connection open but sends no tokens")
            yield chunk


async def in_parallel(work: Callable[[], Coroutine[Any, Any, None]], workers: int) -> None:
    """Shares the work among `workers` tasks; the first error ends them all."""
    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _events(chunks: AsyncIterator[bytes]) -> AsyncIterator[Any]:
    """The data of server-sent events, and None for the end; or the one JSON of a server that does not stream or reports an error.

    Events of chat completions are one line each; other lines are comments. Content types of servers and proxies are often wrong.
    """
    whole: list[str] = []
    length = 0
    async for line in _lines(chunks):
        if whole or line.lstrip().startswith(("{", "[")):
            whole.append(line)
            length = _bounded(length + len(line))
            continue
        name, _, value = line.partition(":")
        if name == "data" and value.strip() == "[DONE]":
            yield None
            return
        if name == "data":
            yield json.loads(value)
    if whole:
        yield json.loads("\n".join(whole))


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Lines as server-sent events define them; `str.splitlines`, which the client uses, also splits at U+2028 and others."""
    begun: list[bytes] = []
    length = 0
    async for chunk in chunks:
        first, *others = re.split(rb"\r\n?|\n", chunk)  # \r\n split over two chunks only adds an empty line
        begun.append(first)
        length = _bounded(length + len(first))
        for other in others:
            yield b"".join(begun).decode("utf-8-sig", errors="replace")  # some servers begin with a byte order mark
            begun, length = [other], len(other)
    yield b"".join(begun).decode("utf-8-sig", errors="replace")


@functools.cache
def say_if_another(asked: str, answers: str) -> None:
    """Warns once if a server names another model than it was asked for; a date after the name does not matter."""
    names = [re.sub(r"-(latest|preview)\Z", "", name.rsplit("/", 1)[-1].lower()) for name in (asked, answers)]
    if names[0] not in names[1] and names[1] not in names[0]:
        logger.warning("the server answers as the model %r, but was asked for %r: is it the right one?", _shown(answers), asked)


@functools.cache
def _say_if_unknown(finish_reason: str) -> None:
    """Warns once of each unknown finish reason."""
    logger.warning("answers end with the unknown finish_reason %r: they count as cut", finish_reason)


def _stated_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, also by a date; None if it names none."""
    stated = headers.get("retry-after", "")
    try:
        seconds = float(stated)
    except ValueError:
        date = email.utils.parsedate_tz(stated)
        seconds = email.utils.mktime_tz(date) - time.time() if date else math.nan
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _message(error: Any) -> str:
    """The message of an error status: that of an error in OpenAI's form, the title of a page, or all that the server sends."""
    body = error.body
    if isinstance(body, str) and (title := re.search(r"<title>(.*?)</title>", body, re.IGNORECASE | re.DOTALL)):
        body = f"a page with the title {title[1].strip()!r}"
    return _shown(
        (isinstance(body, Mapping) and body.get("message")) or body or error.response.text or error.response.reason_phrase
    )


def _shown(said: Any) -> str:
    text = _without_surrogates(" ".join(str(said).split()))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
