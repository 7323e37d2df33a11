"""Chat models behind a server that speaks OpenAI's API, as a backend of lm-eval."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import zlib
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.models.api_models import JsonChatStr
from lm_eval.models.utils import normalize_gen_kwargs
from tqdm import tqdm

from lm_eval_sea.tasks._shared.chat.ends import ended_by_itself
from lm_eval_sea.tasks._shared.reading.thought import (
    MARKS,
    UNFINISHED,
    Generated,
    asks_for_thought,
    ends_unopened,
    open_thought,
    take_apart,
)
from lm_eval_sea.thinking_switches import SWITCHES
from lm_eval_sea.web_address import is_web_address

from .chat_server import ChatServer, NoReplyError, Reply, in_parallel, say_if_another
from .generated_text import GeneratedText
from .server_parameters import LIMIT, STREAMED, RequestError, ServerError, ServerParameters

OPENAI = "https://api.openai.com/v1"
# What is sent for `thinking`: every switch, because the server's template is unknown.
_THINKING: dict[str, dict[str, Any]] = {
    "on": {name: on for name, on, _ in SWITCHES},
    "off": {name: off for name, _, off in SWITCHES},
    "template": {},
}
_NO_EFFORT = ("none", "off", "no_think")
_PROMPT_END = 200  # characters of a rendered prompt that show whether it opens a thought, perhaps with its first words
_LOGGED_END = 40
_FAILURES_IN_A_ROW = 5  # per concurrent request, after which the server is asked whether it is there
_SHORT = ({"role": "user", "content": "1"},)  # messages that any server answers
# A question that shows whether a model thinks: most models that think do so here, and none for long.
_QUESTION = "A train leaves at 9:40 and arrives at 13:05. It stops twice, for 8 and 9 minutes. For how many minutes does it move?"
_ROOM_TO_ANSWER = 4096  # tokens
_CHOSEN_IN_THOUGHT = (
    "the server has the model choose an option in place of a thought: start vLLM with --reasoning-parser NAME, add thinking=off "
    "to --model_args, or take the tasks with _chat in place of _choice"
)

_NO_THOUGHTS = "in place of thoughts"

Told = TypeVar("Told")

logger = logging.getLogger("lm_eval_sea")


class ChatAPI(LM):
    """A chat model behind an OpenAI-compatible server.

    Texts are `GeneratedText`: the answer, with the thought and counts that the server reports. `until` is applied here and never
    sent, because a server would end a thought at it. A request without an answer becomes a text with `failure`; a resumed run
    asks for it again.
    """

    tokenizer = None

    def __init__(
        self,
        model: str,  # its name at the server
        base_url: str = OPENAI,  # such as http://localhost:8000/v1
        *,
        num_concurrent: int = 8,  # requests at the same time
        timeout: float = 300,  # seconds without a token until a request is repeated, not for a whole answer
        max_retries: int = 6,  # attempts after the first; waits are those that the server names, or 1, 2, 4 … seconds
        max_length: int | None = None,  # the window in tokens, if the server does not report it
        max_gen_toks: int = 256,  # tokens of an answer, thought included, if a task does not say
        thinking: str = "template",  # "on" or "off" for the chat template, or "template" for what it does by itself
        effort: str | None = None,  # `reasoning_effort` of the request
        chat_template_kwargs: str | Mapping[str, Any] | None = None,  # further arguments of the chat template, as JSON
        batch_size: int | str | None = None,  # lm-eval passes this and the next two to all models; servers do not need them
        max_batch_size: int | None = None,
        device: str | None = None,
    ) -> None:
        """Asks the server for its models; the key is that of OPENAI_API_KEY, and your own server needs none.

        The timeout before the first token is ten times as long if the server sends comments while the request waits. Raises
        `ServerError` for invalid arguments, or if the server is unreachable or refuses the key.
        """
        super().__init__()
        mode = {"true": "on", "false": "off"}.get(str(thinking).lower(), str(thinking).lower())
        if mode not in _THINKING:
            raise ServerError(f"thinking={thinking}: choose on, off or template")
        if not is_web_address(str(base_url)):
            raise ServerError(f"base_url={base_url}: expected an address such as http://localhost:8000/v1")
        if "?" in str(base_url):
            raise ServerError(
                f"base_url={base_url}: what follows ? is not sent; Azure's is https://NAME.openai.azure.com/openai/v1"
            )
        if int(num_concurrent) < 1 or float(timeout) <= 0 or int(max_retries) < 0:
            raise ServerError("num_concurrent and timeout must be above 0, and max_retries 0 or more")
        self._model, self._base_url = str(model), str(base_url).rstrip("/").removesuffix("/chat/completions")
        self._api_key = os.environ.get("OPENAI_API_KEY") or ""
        if not self._api_key and self._base_url == OPENAI:
            raise ServerError(f"{OPENAI} needs a key in OPENAI_API_KEY; for your own server give base_url")
        self._num_concurrent, self._timeout, self._max_retries = int(num_concurrent), float(timeout), int(max_retries)
        self._max_gen_toks = int(max_gen_toks)
        self._template_kwargs = _THINKING[mode] | _json_object(chat_template_kwargs)
        self._mode, self._effort = mode, effort
        # Opening mark → how many answers close such a thought without opening it; None → how many others ended by themselves.
        # This one is for the answer to `_QUESTION`, the other for all answers.
        self._of_question: Counter[str | None] = Counter()
        self.first_answer: dict[str, Any] | None = None  # what it showed, as JSON; a resumed run has the first run's
        self._unopened, self._mark_logged = self._of_question, ""
        self._answered = self._refused = False  # whether any request was answered, or refused
        self._system: tuple[dict[str, str], ...] = ()  # the system message of all requests, if any
        self._parameters = ServerParameters()
        self._listed = self._model  # the server's name for it
        self.loaded: Any = None  # what the server has loaded under the model's name, if it says so
        window, self.prompt_end = self._with_server(self._look)
        self.max_length = int(max_length) if max_length else window
        self._parameters.longest = self.max_length - 1 if self.max_length else None
        window_told = f"a window of {self.max_length:,} tokens" if self.max_length else "a window that the server does not report"
        prompt_told = f"; its prompts end in {self.prompt_end[-_LOGGED_END:]!r}" if self.prompt_end else ""
        logger.info("%s: thinking %s, effort %s, %s%s", self._model, mode, effort or "as it is", window_told, prompt_told)

    async def _look(self, server: ChatServer) -> tuple[int | None, str | None]:
        """The server's window, and how its chat template ends a prompt; None for what it does not report."""
        models = await server.models() or []
        only = models[0] if len(models) == 1 else {}  # which some servers ask, whatever the name, and answer under that name
        own: Mapping[str, Any] = next((each for each in models if each.get("id") == self._model), only)
        if isinstance(own.get("id"), str):
            self._listed = own["id"]
            say_if_another(self._model, self._listed)
        of_slot = own["meta"].get("n_ctx") if isinstance(own.get("meta"), Mapping) else None  # llama.cpp's name
        self.loaded = own.get("root") or (self._listed if self._listed != self._model else None)
        window = own.get("max_model_len") or of_slot
        if not isinstance(window, int) or window <= 1:
            return None, None
        try:
            rendered, _ = await server.render((*self._system, *_SHORT), self._template_kwargs)
        except RequestError:
            return window, None
        return window, rendered[-_PROMPT_END:]

    def expect(self, system_message: str | None, settings: Mapping[str, Any]) -> None:
        """Takes the system message and generation settings of all requests, and looks again at how their prompts end.

        Words in the system message, or settings, make some chat templates and models think or not.
        """
        self._effort = settings.get("reasoning_effort", self._effort)
        known = self._system, self._template_kwargs
        self._template_kwargs = self._template_kwargs | _json_object(settings.get("chat_template_kwargs"))
        if system_message:
            self._system = ({"role": "system", "content": system_message},)
        if self.prompt_end is not None and known != (self._system, self._template_kwargs):
            _, self.prompt_end = self._with_server(self._look)
            logger.info("with the run's settings, prompts end in %r", (self.prompt_end or "")[-_LOGGED_END:])

    def _with_server(self, ask: Callable[[ChatServer], Coroutine[Any, Any, Told]]) -> Told:
        async def asked() -> Told:
            async with ChatServer(
                self._base_url,
                self._model,
                self._api_key or "none",
                key_hint="the key is read from OPENAI_API_KEY",
                timeout=self._timeout,
                max_retries=self._max_retries,
                parameters=self._parameters,
            ) as server:
                return await ask(server)

        return asyncio.run(asked())

    @property
    def tokenizer_name(self) -> str:
        """Part of the key of lm-eval's cache of requests; these hold messages, which are the same for all servers."""
        return "chat-api"

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> Any:
        """Messages as they are sent; the server applies its template."""
        return JsonChatStr(json.dumps(chat_history, ensure_ascii=False))

    def tells_log_likelihoods(self) -> bool:
        """Whether the server ranks answers to messages, as vLLM's does; raises `ServerError` if the settings prevent it."""
        try:
            self._with_server(lambda server: server.rank(_SHORT, ["2"], self._template_kwargs))
        except RequestError as error:
            logger.debug("%s ranks no answers: %s", self._base_url, error)
            return False
        return True

    def _opened(self) -> str | None:
        """What opens the thought: the end of the rendered prompt if the server reports it, or else the mark that answers lack.

        What most answers show counts for all: an answer without the closing mark is then an unfinished thought.
        """
        marks = Counter({mark: number for mark, number in self._unopened.items() if mark}).most_common(1)
        shown = marks[0][0] if marks and marks[0][1] > self._unopened[None] else None
        return shown if self.prompt_end is None else self.prompt_end

    def _text_of(self, reply: Reply, until: Sequence[str], wanted: Mapping[str, Any], opened: str | None = None) -> GeneratedText:
        """The answer to a request. `opened` opens its thought if nothing else is known; one begun for the model has none."""
        begin = None if wanted.get("continue_final_message") else self._opened() or opened
        made = _text_of(reply, until, begin, wanted.get("structured_outputs"))
        made.model = self._listed if made.model == self._model else made.model
        made.reply = None if self.prompt_end is not None or reply.thought else reply
        return made

    @staticmethod
    def _shows(reply: Reply, wanted: Mapping[str, Any]) -> list[str | None]:
        """What an answer shows about the end of its prompt: a mark that opens a thought, or None for no mark; [] for nothing."""
        if not reply.answer or reply.thought or wanted.get("continue_final_message"):
            return []
        if reply.shows is None:  # new answers are looked at with those of their call, and again with cached ones
            marks = ends_unopened(reply.answer)
            reply.shows = [marks and marks.begin] if marks or ended_by_itself(reply.finish_reason) is not False else []
        return reply.shows

    def settled(self, requests: Sequence[Instance], answers: Sequence[Any]) -> list[Any]:
        """Reads answers again, cached ones too, because all of them together show how their prompts ended."""
        if self.prompt_end is not None:
            return self._without_thoughts_said(requests, answers)
        bodies = zip(answers, self._bodies(requests), strict=True)
        replies = [(answer.reply, until, wanted) for answer, (_, wanted, until) in bodies]
        shown = chain.from_iterable(self._shows(reply, wanted) for reply, _, wanted in replies if reply is not None)
        self._unopened = self._of_question + Counter(shown)
        if (mark := self._opened()) and mark != self._mark_logged:
            self._mark_logged = mark
            said = "answers show that the chat template opens the thought (%s): a text that does not end it has no answer"
            logger.info(said, mark)

        def read(opened: str | None = None) -> list[GeneratedText]:
            return [
                answer if reply is None else self._text_of(reply, until, wanted, opened)
                for answer, (reply, until, wanted) in zip(answers, replies, strict=True)
            ]

        found = read()
        if self._mode == "on" and not self._unopened and not any(map(_has_thought, found)):
            # All were cut off, and none shows a mark: a model that is told to think writes its thought first.
            found = read(MARKS[0].begin)
        return self._without_thoughts_said(requests, found)

    def _without_thoughts_said(self, requests: Sequence[Instance], answers: Sequence[Any]) -> list[Any]:
        """The answers; those with a chosen option say so if a thinking model never thought before it chose.

        A server that does not recognise thoughts lets the model write nothing but an option.
        """
        both = zip(requests, answers, strict=True)
        chosen = [answer for request, answer in both if "structured_outputs" in request.args[1] and not answer.failure]
        thinks = self._told_to_think() or (self.first_answer or {}).get("thinks")
        seen = {"structured_outputs": _NO_THOUGHTS} if thinks and not any(map(_has_thought, chosen)) else {}
        for answer in chosen:
            others = {name: said for name, said in (answer.refused_parameters or {}).items() if said != _NO_THOUGHTS}
            answer.refused_parameters = (others | seen) or None
        return list(answers)

    def _told_to_think(self) -> bool | None:
        """Whether the settings make the model think; None if they leave it to the server."""
        if self._effort:
            return str(self._effort).lower() not in _NO_EFFORT
        return None if self._mode == "template" else self._mode == "on"

    def thinks(self) -> bool | None:
        """Whether the model thinks before it answers, by its settings, the end of its prompt, or its answer to `_QUESTION`.

        None if the question gets no answer. It is not asked if `first_answer` is known.
        """
        if (told := self._told_to_think()) is not None:
            return told
        if self.prompt_end and (open_thought(self.prompt_end) or asks_for_thought(self.prompt_end) is False):
            return open_thought(self.prompt_end) is not None
        self.first_answer = self.first_answer or self._told_by_question()
        if self.first_answer is None:
            return None
        self._of_question = self._unopened = Counter(self.first_answer["shows"])
        return bool(self.first_answer["thinks"])

    def _told_by_question(self) -> dict[str, Any] | None:
        """What the answer to `_QUESTION` shows: whether the model thinks, and what `_shows` returns; None without an answer."""
        room = min(_ROOM_TO_ANSWER, self.max_length // 2) if self.max_length else _ROOM_TO_ANSWER
        wanted, _ = self._parameters_of({"max_gen_toks": room})
        del wanted["temperature"]  # some servers refuse it
        messages = [*self._system, *_messages_of(_QUESTION)]
        try:
            reply = self._with_server(lambda server: server.chat(messages, wanted))
        except (RequestError, ServerError) as error:
            why = str(error)
        else:
            shown = self._shows(reply, wanted)
            self._unopened = Counter(shown)
            answer = self._text_of(reply, (), wanted)
            thinks = _has_thought(answer) or (not answer and answer.finish_reason == "length")
            if answer or thinks:
                return {"thinks": thinks, "shows": shown}
            why = answer.failure or f"its answer is empty, and ends with {answer.finish_reason}"
        logger.warning("whether the model thinks is not known (%s); if it does, add thinking=on to --model_args", why)
        return None

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """Log-likelihoods of answers to messages, in nats, and whether each of their tokens is the likeliest.

        A request has messages, or a prompt that is sent as one, and a text to rank as the beginning of the answer. Raises
        `ServerError` if the server does not report log-likelihoods.
        """
        if not requests:
            return []
        with tqdm(total=len(requests), disable=disable_tqdm, desc="Requesting log-likelihoods") as progress:
            return self._with_server(partial(self._rank_all, requests, progress))

    async def _rank_all(self, requests: Sequence[Instance], progress: Any, server: ChatServer) -> list[Any]:
        answers: list[tuple[float, bool] | None] = [None] * len(requests)
        rows: dict[Any, list[int]] = {}
        for index, request in enumerate(requests):
            rows.setdefault(request.args[0], []).append(index)
        waiting = iter(rows.items())

        async def work() -> None:
            for prompt, indices in waiting:
                endings = [requests[index].args[1] for index in indices]
                try:
                    ranked = await server.rank(_messages_of(prompt), endings, self._template_kwargs)
                except RequestError as error:
                    raise ServerError(f"chat-api: {error}") from error
                for index, answer in zip(indices, ranked, strict=True):
                    answers[index] = answer
                    self.cache_hook.add_partial("loglikelihood", requests[index].args, answer)
                    progress.update()

        await in_parallel(work, min(self._num_concurrent, len(rows)))
        return answers

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        """Raises: chat servers do not report this."""
        raise ServerError("chat-api gives no perplexities; use local-completions")

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Generates answers; a request has messages, or a prompt that is sent as one, and generation settings.

        Raises `ServerError` if the server refuses what all requests have in common, or is gone.
        """
        if not requests:
            return []
        with tqdm(total=len(requests), disable=disable_tqdm, desc="Requesting answers") as progress:
            answers: list[GeneratedText] = self._with_server(partial(self._ask_all, requests, progress))
        failures = [answer.failure for answer in answers if answer.failure]
        if failures:
            line = f"{len(failures):,} of {len(requests):,} requests have no answer, the first: {failures[0]}"
            if not (self._answered or self._refused):
                raise ServerError(line)
            logger.warning(f"{line}; these rows count as failed")
        return list(answers)

    async def _ask_all(self, requests: Sequence[Instance], progress: Any, server: ChatServer) -> list[Any]:
        answers: list[GeneratedText | None] = [None] * len(requests)
        bodies = enumerate(self._bodies(requests))
        failed_in_a_row = 0

        async def work() -> None:
            nonlocal failed_in_a_row
            for index, (messages, wanted, until) in bodies:
                try:
                    reply = await server.chat(messages, wanted)
                except RequestError as error:
                    answers[index] = GeneratedText("", failure=str(error))
                    # once others have been answered, a refusal may be about this row
                    failed_in_a_row += isinstance(error, NoReplyError) or not self._answered
                    self._refused |= not isinstance(error, NoReplyError)
                    if failed_in_a_row >= _FAILURES_IN_A_ROW * self._num_concurrent:
                        failed, failed_in_a_row = failed_in_a_row, 0
                        if not await self._answers_others(server, wanted):
                            raise ServerError(f"{failed} requests in a row have no answer, the last: {error}") from error
                else:
                    answers[index] = self._text_of(reply, until, wanted)
                    failed_in_a_row, self._answered = 0, True
                    self.cache_hook.add_partial("generate_until", requests[index].args, answers[index])
                progress.update()

        await in_parallel(work, min(self._num_concurrent, len(requests)))
        if not (self._answered or self._refused):
            *_, (_, wanted, _) = self._bodies(requests[-1:])
            self._answered = await self._answers_others(server, wanted)
        return self.settled(requests, answers)

    async def _answers_others(self, server: ChatServer, wanted: Mapping[str, Any]) -> bool:
        """Whether the server answers a short message with these parameters; then the unanswered rows are at fault."""
        apart = ("add_generation_prompt", "continue_final_message")
        try:
            await server.chat(_SHORT, {name: value for name, value in wanted.items() if name not in apart})
        except RequestError:
            return False
        return True

    def _bodies(self, requests: Sequence[Instance]) -> Any:
        """Yields messages, parameters and `until` of each request.

        Each request has a seed of its own: with one seed for all, a server would draw similar answers to all rows.
        """
        numbers: Counter[str] = Counter()
        for request in requests:
            prompt, settings = request.args[:2]
            wanted, until = self._parameters_of(settings)
            if wanted.get("temperature") != 0 and "seed" in wanted:
                key = json.dumps([prompt, wanted], sort_keys=True, default=str)
                wanted["seed"] = (wanted["seed"] + zlib.crc32(key.encode()) + numbers[key]) % 2**31
                numbers[key] += 1
            messages = _messages_of(prompt)
            if messages[-1]["role"] == "assistant":
                wanted |= {"add_generation_prompt": False, "continue_final_message": True}
            yield messages, wanted, until

    def _parameters_of(self, settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The parameters of a request besides model and messages, and where its answer is to be cut.

        A temperature of None is not sent: the server samples as its model's generation config says, or by its own default.
        """
        by_server = settings.get("temperature", 0) is None
        asked = {**settings, "temperature": 1.0} if by_server else dict(settings)
        own: dict[str, Any] = {**normalize_gen_kwargs(asked, self._max_gen_toks)}
        if by_server:
            del own["temperature"]
        until = own.pop("until")
        if not own.pop("do_sample"):
            own["temperature"] = 0
        wanted = {LIMIT: own.pop("max_gen_toks"), **STREAMED}
        template_kwargs = self._template_kwargs | _json_object(own.pop("chat_template_kwargs", None))
        if template_kwargs:
            wanted["chat_template_kwargs"] = template_kwargs
        if self._effort:
            wanted["reasoning_effort"] = self._effort
        return wanted | own, [end for end in until if end]


def _has_thought(answer: GeneratedText) -> bool:
    return answer.thought is not None or bool(answer.thought_tokens) or take_apart(answer).state != "no thought"


def _messages_of(prompt: Any) -> Any:
    return json.loads(prompt.prompt) if isinstance(prompt, JsonChatStr) else [{"role": "user", "content": prompt}]


def _json_object(given: str | Mapping[str, Any] | None) -> dict[str, Any]:
    try:
        read = json.loads(given) if isinstance(given, str) else given
        return dict(read or {})
    except (TypeError, ValueError) as error:
        raise ServerError(f'chat_template_kwargs={given}: expected a JSON object such as {{"reasoning": true}}') from error


def _text_of(reply: Reply, until: Sequence[str], prompt_end: str | None, constraint: Any) -> GeneratedText:
    """The answer as tasks take it, cut at `until`.

    `prompt_end` is the end of the rendered prompt, as far as it is known; if that opens a thought, a text that does not close it
    is all thought. `constraint` is the structured output that was asked for, if any; many servers ignore it.
    """
    if reply.is_withheld:
        return GeneratedText("", failure="the server sends null or no text for an answer that is complete", model=reply.model)
    text, told_apart, is_whole = reply.answer or "", reply.thought, ended_by_itself(reply.finish_reason)
    # a server that does not separate thoughts leaves them in the text
    parts = take_apart(text, prompt=prompt_end if told_apart is None else None, finished=is_whole)
    raw = None
    if told_apart is None and text and parts.state in UNFINISHED:
        text, told_apart, raw = "", parts.thought, text
    prompt, thought, written = reply.tokens
    if not text and told_apart is None and (thought or reply.finish_reason == "length"):
        told_apart = ""  # a thought that the server keeps to itself
    if not thought and (told_apart is not None or parts.state != "no thought"):  # some servers do not count it
        thought = None
    refused = dict(reply.refused_parameters)
    choices = constraint.get("choice") if isinstance(constraint, Mapping) else None
    if choices and raw is not None and raw.strip() in choices:
        raise ServerError(_CHOSEN_IN_THOUGHT)
    if choices and text and not any(each == parts.answer if is_whole else each.startswith(parts.answer) for each in choices):
        refused["structured_outputs"] = "not heeded"
    is_known = thought is not None or (parts.state == "no thought" and told_apart is None)
    cut = _cut(text, parts, until)
    return GeneratedText(
        cut,
        thought=told_apart,
        finish_reason="stop" if len(cut) < len(text) else reply.finish_reason,  # what follows `until` is no part of the answer
        prompt_tokens=prompt,
        thought_tokens=thought,
        answer_tokens=max(written - (thought or 0), 0) if written is not None and is_known else None,
        model=reply.model,
        refused_parameters=refused or None,
        raw=raw,
    )


def _cut(text: str, parts: Generated, until: Sequence[str]) -> str:
    """A text up to the first stop string (`until`) after its thought and leading blanks."""
    is_answer = parts.state == "no thought"
    begin = 0 if is_answer else text.rfind(parts.answer)
    if begin < 0 or not (is_answer or parts.answer):  # no answer in which to look
        return text
    begin = len(text) - len(text[begin:].lstrip())
    ends = [found for end in until if (found := text.find(end, begin)) >= 0]
    return text[: min(ends)] if ends else text
