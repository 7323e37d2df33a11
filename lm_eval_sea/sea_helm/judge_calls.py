"""Asks a judge over an OpenAI-compatible interface, many questions at once; every answer is saved as soon as it arrives."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

from tqdm import tqdm

from lm_eval_sea.results.types import count_of, digest_of, is_number
from lm_eval_sea.sea_helm import SeaHelmError
from lm_eval_sea.sea_helm.row_scores import KeyedLines

RETRIES = 6  # of a call: rate limits, time-outs, cut connections, errors of the server, replies that are no answers
TIMEOUT_SECONDS = 600.0  # without a token; a judge may think for a long time and send nothing
_FAILURES_IN_A_ROW = 5  # per worker, after which the server is taken for gone
_LIMIT = "max_tokens"  # the token limit of an answer, as prompts name it


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
    refused_parameters: Mapping[str, str] | None = None  # what was sent in place of parameters that the server refuses

    @property
    def is_sound(self) -> bool:
        """Whether its parts have the right types; servers and files of others may contain anything."""
        counts = (self.prompt_tokens, self.completion_tokens)
        numbers = all(count is None or count_of(count) is not None for count in counts)
        texts = isinstance(self.text, str) and isinstance(self.refused_parameters, dict | None)
        return texts and numbers and is_number(self.seconds) and 0 <= self.seconds < 1e9


def key_of(model: str, call: Call) -> str:
    """The key under which the answer to a call is saved, so that equal calls of the same model are made once."""
    return digest_of([model, call.messages, dict(call.parameters)])


class Cache(KeyedLines):
    """The answers of a judge."""

    def answer(self, key: str) -> Answer | None:
        """The answer to a call; None if there is none that can be used."""
        try:
            answer = Answer(**(self.get(key) or {}))
        except TypeError:
            return None
        return answer if answer.is_sound else None


@dataclass(frozen=True)
class Endpoint:
    """A judge at an OpenAI-compatible address. The client needs a key even if the server does not."""

    base_url: str
    model: str
    api_key: str = "none"


def ask_all(endpoint: Endpoint, calls: Sequence[tuple[Call, Cache]], concurrency: int) -> None:
    """Makes the calls whose cache has no answer yet, several at once, with a progress bar.

    Raises:
        ResultsError: if another process adds answers to one of the caches.
        SeaHelmError: if some calls have no answer after all others were made, or at once if the server does not reply, or refuses
            the key, the model or the address.
    """
    from lm_eval_sea.models.chat_server import ChatServer, NoReplyError, in_parallel
    from lm_eval_sea.models.server_parameters import LIMIT, STREAMED, RequestError, ServerError, ServerParameters

    # by cache, because two runs may have the same answer to the same question
    waiting = {(cache, key): call for call, cache in calls if cache.answer(key := key_of(endpoint.model, call)) is None}
    if not waiting:
        return
    left = iter(waiting.items())
    unanswered = Counter(cache for cache, _ in waiting)
    held: dict[Cache, ExitStack] = {}  # caches in use now; with many models there may be more files than a process can open
    failures: list[RequestError] = []
    in_a_row = 0

    async def ask_with(progress: Any) -> None:
        async def work() -> None:
            for (cache, key), call in left:
                if cache not in held:
                    held[cache] = opened.enter_context(ExitStack())
                    held[cache].enter_context(cache.alone())
                if cache.answer(key) is None:
                    await ask(cache, key, call)
                progress.update()
                unanswered[cache] -= 1
                if not unanswered[cache]:
                    held[cache].close()

        async def ask(cache: Cache, key: str, call: Call) -> None:
            nonlocal in_a_row
            before = time.monotonic()
            wanted = {LIMIT if name == _LIMIT else name: value for name, value in call.parameters.items()}
            try:
                reply = await server.chat(call.messages, wanted | STREAMED)
            except RequestError as error:
                failures.append(error)
                in_a_row += isinstance(error, NoReplyError)  # a server that refuses a question is running
                if in_a_row >= _FAILURES_IN_A_ROW * concurrency:
                    raise ServerError(f"{endpoint.base_url}: {error}; is the server there?") from error
            else:
                in_a_row = 0
                text, seconds = reply.answer or "", time.monotonic() - before  # perhaps only thoughts: no verdict
                prompt, _, written = reply.tokens
                cache.add(key, vars(Answer(text, seconds, prompt, written, dict(reply.refused_parameters) or None)))

        async with ChatServer(
            endpoint.base_url,
            endpoint.model,
            endpoint.api_key,
            key_hint="--api_key_env names the variable that holds the key",
            timeout=TIMEOUT_SECONDS,
            max_retries=RETRIES,
            parameters=ServerParameters(),
        ) as server:
            await in_parallel(work, min(concurrency, len(waiting)))

    with ExitStack() as opened, tqdm(desc="Judging", unit="answer", total=len(waiting)) as progress:
        try:
            asyncio.run(ask_with(progress))
        except ServerError as error:
            raise SeaHelmError(f"{error}; stopped, what was answered is kept") from error
    if failures:
        raise SeaHelmError(
            f"{len(failures)} of {len(waiting)} questions have no answer, the first: {failures[0]}; start again to ask only these"
        )
