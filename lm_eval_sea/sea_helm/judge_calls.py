"""Asks a judge over an OpenAI-compatible interface, many questions at once; every answer is on disk as soon as it is there."""

from __future__ import annotations

import hashlib
import importlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from tqdm import tqdm

from lm_eval_sea.install_hint import install_extra
from lm_eval_sea.sea_helm import SeaHelmError
from lm_eval_sea.sea_helm.row_scores import KeyedLines

RETRIES = 6  # of a call, by the client: rate limits, time-outs, cut connections, errors of the server
TIMEOUT_SECONDS = 1200.0  # of a call; a judge may think for long
BROKEN_ANSWERS = 4  # how often an answer that is no completion is asked for
_NO_COMPLETION = (ValueError, AttributeError, IndexError, TypeError, RecursionError)  # what the client raises for other JSON
LONGEST = 32 * 2**20  # bytes of a reply, as one may never end; an answer of 16,384 tokens has a few hundred thousand
_FAILURES_IN_A_ROW = 5  # per worker, after which the server is taken for gone


class Call(NamedTuple):
    """What is sent."""

    messages: list[dict[str, str]]
    parameters: Mapping[str, Any]  # max_tokens, temperature, …


@dataclass(frozen=True)
class Answer:
    """What came back."""

    text: str
    seconds: float = 0.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def is_sound(self) -> bool:
        """Whether its parts are what they should be; servers and files of others may say anything."""
        counts = (self.prompt_tokens, self.completion_tokens)
        numbers = all(count is None or (type(count) is int and 0 <= count < 2**53) for count in counts)
        return isinstance(self.text, str) and numbers and type(self.seconds) in (int, float) and 0 <= self.seconds < 1e9


def key_of(model: str, call: Call) -> str:
    """What tells a call from all others: the same model, messages and parameters are not asked twice."""
    content = json.dumps([model, call.messages, dict(call.parameters)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


class Cache(KeyedLines):
    """The answers of a judge."""

    def answer(self, key: str) -> Answer | None:
        """The answer to a call; None if there is none that can be used."""
        record = self.get(key)
        try:
            answer = None if record is None else Answer(**record)
        except TypeError:
            return None
        return answer if answer is not None and answer.is_sound else None


class _Bounded:
    """A stream that raises `error` where it has more than `LONGEST` bytes."""

    def __init__(self, stream: Any, error: type[Exception]) -> None:
        self._stream, self._error = stream, error

    def __iter__(self) -> Iterator[bytes]:
        length = 0
        for chunk in self._stream:
            length += len(chunk)
            if length > LONGEST:
                raise self._error(f"a reply of more than {LONGEST / 1e6:.0f} MB")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _bounded(client: type) -> Callable[[Any], None]:
    """A hook for responses of a class of HTTP client: that of httpx, or in newer releases of openai that of httpx2.

    It raises a `ReadError` of that library for a packed reply, which may unpack to more than the memory holds; a longer one than
    `LONGEST` raises it when it is read.
    """
    base = next(kind for kind in client.__mro__ if kind.__name__ == "Client")
    library: Any = importlib.import_module(base.__module__.partition(".")[0])

    stream_of_library = type("BoundedStream", (_Bounded, library.SyncByteStream), {})

    def limit(response: Any) -> None:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise library.ReadError("a packed reply, which was not asked for")
        response.stream = stream_of_library(response.stream, library.ReadError)

    return limit


class Endpoint:
    """A judge behind an OpenAI-compatible address."""

    def __init__(self, base_url: str, model: str, api_key: str = "none"):
        """Makes the client; nothing is sent. Servers of one's own want no key, but the client does."""
        self.base_url, self.model = base_url, model
        try:
            from openai import DefaultHttpxClient, OpenAI
        except ImportError as error:
            raise SeaHelmError(f"judging needs the package openai: {install_extra('judge')}") from error
        hooks = {"response": [_bounded(DefaultHttpxClient)]}
        client = DefaultHttpxClient(event_hooks=hooks, headers={"Accept-Encoding": "identity"})
        self._client = OpenAI(
            base_url=base_url, api_key=api_key, max_retries=RETRIES, timeout=TIMEOUT_SECONDS, http_client=client
        )

    def ask(self, call: Call) -> Answer:
        """One answer; a `SeaHelmError` if there is none after all retries."""
        import openai

        before = time.monotonic()
        problem = ""
        for _ in range(BROKEN_ANSWERS):
            try:
                completion = self._client.chat.completions.create(
                    model=self.model, messages=cast(Any, call.messages), extra_body=dict(call.parameters)
                )
                text = completion.choices[0].message.content or ""  # all may have gone into thoughts: no verdict
                usage = completion.usage
                tokens = (usage.prompt_tokens, usage.completion_tokens) if usage else (None, None)
            except (openai.APIResponseValidationError, *_NO_COMPLETION) as error:
                problem = f"an answer that is not a completion ({error!r})"
                continue
            except openai.APIStatusError as error:
                raise Refused(f"{self.base_url}: {error.status_code}: {error.message}", error.status_code) from error
            except openai.OpenAIError as error:
                raise SeaHelmError(f"{self.base_url}: {error.__cause__ or error}; is the server there?") from error
            answer = Answer(text, time.monotonic() - before, *tokens)
            if answer.is_sound:
                return answer
            problem = "an answer with a text or counts of the wrong type"
        raise SeaHelmError(f"{self.base_url}: {problem}, {BROKEN_ANSWERS} times")


class Refused(SeaHelmError):
    """The server says no, with an HTTP status."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status

    @property
    def of_every_call(self) -> bool:
        """Whether it would say so again to any other call: wrong key, no such model or address."""
        return self.status in (401, 403, 404)


def ask_all(endpoint: Endpoint, calls: Sequence[tuple[Call, Cache]], concurrency: int) -> None:
    """Makes the calls whose cache has no answer yet, several at once, with a progress bar.

    Raises:
        SeaHelmError: if some calls have no answer after all others were made, or at once if the server refuses all.
    """
    waiting = {key: (call, cache) for call, cache in calls if cache.answer(key := key_of(endpoint.model, call)) is None}
    failures: list[SeaHelmError] = []
    in_a_row = 0

    def work(key: str, call: Call, cache: Cache) -> None:
        cache.add(key, vars(endpoint.ask(call)))

    with ThreadPoolExecutor(concurrency) as workers:
        futures = [workers.submit(work, key, call, cache) for key, (call, cache) in waiting.items()]
        try:
            for future in tqdm(as_completed(futures), desc="Judging", unit="answer", total=len(futures)):
                try:
                    future.result()
                    in_a_row = 0
                except SeaHelmError as error:
                    failures.append(error)
                    in_a_row += 1
                    if (isinstance(error, Refused) and error.of_every_call) or in_a_row >= _FAILURES_IN_A_ROW * concurrency:
                        raise SeaHelmError(f"{error}; stopped, what was answered is kept") from error
        finally:
            workers.shutdown(wait=True, cancel_futures=True)
    if failures:
        raise SeaHelmError(
            f"{len(failures)} of {len(waiting)} questions have no answer, the first: {failures[0]}; "
            "start again to ask these alone"
        )
