"""The backend for chat servers, against a server that misbehaves."""

import json
import pickle
import time
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.registry import get_model

import lm_eval_sea.models  # noqa: F401 (registers the backend)
from lm_eval_sea.models import chat_api, chat_server
from lm_eval_sea.models.server_parameters import ServerError
from lm_eval_sea.tasks._shared.prompted_answers import taken_apart

from .toy_server import DROP, HANG, Answer, Status, refusal, serve, text

GREEDY = {"until": ["\nPassage:"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 64}
OK = text("Answer: B")
MESSAGES = [{"role": "system", "content": "Reply briefly."}, {"role": "user", "content": "ກ ข ဃ?"}]
VLLM = Status(200, {"data": [{"id": "toy", "max_model_len": 4096}]})


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    monkeypatch.setattr(chat_server, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def model_of(toy, **arguments):
    return get_model("chat-api")(model="toy", base_url=toy.base_url, **arguments)


def requests(*prompts, settings=GREEDY):
    return [Instance("generate_until", {}, (prompt, settings), index) for index, prompt in enumerate(prompts)]


def ask(toy, *prompts, settings=GREEDY, **arguments):
    """The answers to prompts."""
    return model_of(toy, **arguments).generate_until(requests(*prompts or ["Q"], settings=settings), disable_tqdm=True)


def answer_of(reply, *prompts, prompt_end=None, **options):
    """The answer that is read from a server's reply."""
    with serve(reply if callable(reply) else lambda *_: reply, VLLM, prompt_end) as toy:
        [answer] = ask(toy, *prompts, **options)
    return answer


def test_requests_and_replies(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    usage = {"prompt_tokens": 9, "completion_tokens": 30, "completion_tokens_details": {"reasoning_tokens": 20}}
    thinking = Answer([("reasoning", "Hm. "), ("reasoning", "So B."), ("content", "Answer:"), ("content", " B")], usage=usage)
    with serve(lambda *_: thinking) as toy:
        model = model_of(toy, thinking="off", effort="low", chat_template_kwargs='{"reasoning": false}')
        settings = GREEDY | {
            "structured_outputs": {"choice": ["A", "B"]}, "chat_template_kwargs": {"thinking_mode": "fast"}, "top_p": 0.9,
        }  # fmt: skip
        [answer] = model.generate_until(requests(model.apply_chat_template(MESSAGES), settings=settings))
        ask(toy, "plain")
    assert toy.headers[0]["Authorization"] == "Bearer secret"
    always = {"model": "toy", "max_completion_tokens": 64, "temperature": 0}
    always |= {"stream": True, "stream_options": {"include_usage": True}}
    assert toy.requests == [
        always | {
            "messages": MESSAGES, "top_p": 0.9, "reasoning_effort": "low", "structured_outputs": {"choice": ["A", "B"]},
            "chat_template_kwargs": {
                "enable_thinking": False, "thinking": False, "thinking_mode": "fast", "reasoning": False, "thinking_budget": 0,
            },
        },
        always | {"messages": [{"role": "user", "content": "plain"}]},  # defaults of the template are not sent
    ]  # fmt: skip
    assert (answer, answer.thought, answer.finish_reason, answer.failure) == ("Answer: B", "Hm. So B.", "stop", None)
    assert (answer.prompt_tokens, answer.thought_tokens, answer.answer_tokens) == (9, 20, 10)
    assert vars(pickle.loads(pickle.dumps(answer))) == vars(answer)


def test_a_busy_server_is_asked_again_after_retry_after():
    """The status is 429, with the time to wait before the next attempt."""
    busy = Status(429, {"error": {"message": "slow down"}}, {"Retry-After": "1"})
    with serve(lambda _, number: OK if number else busy) as toy:
        assert ask(toy) == ["Answer: B"]
    first, second = toy.times
    assert second - first >= 1


@pytest.mark.slow
def test_timeouts_count_from_the_last_token_or_queue_comment(monkeypatch):
    """A stream may be slow. Comments keep a request waiting for longer than the time between tokens, but not for ever."""
    monkeypatch.setattr(chat_server, "QUEUE", 4)
    pieces = {"slow": [("content", letter) for letter in "B, C, D, E or F"]}
    for line in (": keep-alive", 'data: {"choices": []}', ""):
        wait = (None, line)
        pieces[f"queue {line}"] = [*[wait] * 16, ("content", "B")]
        pieces[f"for ever {line}"] = [wait] * 2000
        pieces[f"in the middle {line}"] = [("content", "B"), *[wait] * 2000]
    with serve(lambda body, _: Answer(pieces[body["messages"][0]["content"]], pause=0.15)) as toy:
        answers = ask(toy, *pieces, timeout=1.6, max_retries=0, num_concurrent=len(pieces))
    slow, *others = answers
    assert (slow, slow.failure, others) == ("B, C, D, E or F", None, ["B", "", ""] * 3)
    assert [answer.failure and "timed out" in answer.failure.lower() for answer in others] == [None, True, True] * 3


def test_stop_strings_are_applied_to_the_answer_alone():
    """They are not sent, so a server may refuse them, and they do not end the thought."""
    thinking = Answer([("reasoning", "Passage one.\nPassage: x"), ("content", "\n\nB\nPassage: next")])
    left_in = text("<think>\nPassage: x\nPassage: y</think>\n\nB\nPassage: next")
    until = GREEDY | {"until": ["\nPassage:", "\n\n"]}
    for reply in (thinking, left_in):
        answer = answer_of(
            lambda body, _, reply=reply: refusal("'stop' is not supported", "stop") if "stop" in body else reply, settings=until
        )
        assert answer.endswith("\n\nB")
        assert "\nPassage: x" in (answer.thought or answer)


@pytest.mark.parametrize("finish", ["length", "content_filter", "stop"])
def test_an_answer_ended_by_a_stop_string_is_complete(finish):
    """The server does not know the stop string and lets the model write on."""
    assert answer_of(text("B\nPassage: next", finish=finish)).finish_reason == "stop"
    assert answer_of(text("B, or", finish=finish)).finish_reason == finish


def said(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "lm_eval_sea"]


@pytest.mark.parametrize("concurrent", [1, 4])
def test_a_refused_temperature_is_left_out_of_all_requests(concurrent, caplog):
    message = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
    refused = refusal(message, "temperature")
    with serve(lambda body, _: refused if "temperature" in body else OK) as toy:
        answers = ask(toy, *"abcdefgh", num_concurrent=concurrent)
    assert answers == ["Answer: B"] * 8
    kept = pickle.loads(pickle.dumps(answers))
    assert [answer.refused_parameters for answer in (*answers, *kept)] == [{"temperature": "not sent"}] * 16
    assert sum("temperature" in body for body in toy.requests) <= concurrent
    [line] = said(caplog)
    assert "refuses temperature=0" in line


def test_refused_parameters_named_only_in_the_details(caplog):
    """A strict server validates as FastAPI does and knows the limit by its old name only."""
    names = ("stream_options", "seed", "top_k", "max_completion_tokens")
    extra = {name: Status(422, {"detail": [{"loc": ["body", name], "msg": "Extra inputs are not permitted"}]}) for name in names}
    settings = {"do_sample": True, "temperature": 1.0, "seed": 3, "top_k": 20, "max_gen_toks": 64}
    with serve(lambda body, _: next((extra[name] for name in names if name in body), OK)) as toy:
        assert ask(toy, *"ab", num_concurrent=1, settings=settings) == ["Answer: B"] * 2
    assert toy.requests[-1]["max_tokens"] == 64
    assert len(toy.requests) == 6 and len(said(caplog)) == 4


@pytest.mark.parametrize(
    "quoted",
    [
        "keep the temperature of the seed bank low, max_tokens",
        "the temperature must be 5 at most, and max_tokens is invalid",
        "max_completion_tokens: at most 5",
        "the temperature is not supported; max_completion_tokens neither",
    ],
)
def test_a_refusal_that_quotes_names_of_parameters_from_a_row(quoted, caplog):
    """A request without them is refused as well, so only this row fails, and the others are asked as before."""
    flagged = refusal(f'The request was rejected. Flagged passage: "{quoted}…"')
    with serve(lambda body, _: flagged if "two" in str(body["messages"]) else OK) as toy:
        answers = ask(toy, "one", "two", "three", num_concurrent=1)
    assert answers == ["Answer: B", "", "Answer: B"] and quoted in answers[1].failure
    assert not any(answer.refused_parameters for answer in answers)
    assert [(body["temperature"], body["max_completion_tokens"]) for body in (toy.requests[0], toy.requests[-1])] == [(0, 64)] * 2
    assert [line for line in said(caplog) if "all requests" in line] == []


@pytest.mark.parametrize(
    ("message", "most"),
    [
        ("max_tokens is too large: 9000. This model supports at most 4,096 completion tokens, whereas you provided 9000.", 4096),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192),
        ("max_completion_tokens: 9000 > 8192, which is the maximum allowed number of output tokens", 8192),
        ("`max_completion_tokens` must be less than or equal to `2048`", 2048),
    ],
)
def test_more_tokens_than_a_server_allows(message, most, caplog):
    """An answer with a shorter limit of its own does not record it."""
    with serve(lambda body, _: refusal(message) if body.get("max_completion_tokens", 0) > most else OK) as toy:
        model, long = model_of(toy, num_concurrent=1), GREEDY | {"max_gen_toks": 9000}
        answers = model.generate_until([*requests("a", "b", settings=long), *requests("c")])
    assert answers == ["Answer: B"] * 3
    said_of_long = {"max_completion_tokens": f"{most:,} at most"}
    assert [answer.refused_parameters for answer in answers] == [said_of_long, said_of_long, None]
    assert [body["max_completion_tokens"] for body in toy.requests] == [9000, most, most, 64]
    assert len(said(caplog)) == 1 and f"{most:,} tokens at most" in said(caplog)[0]


@pytest.mark.parametrize("told", [{"max_model_len": 4096}, {"meta": {"n_ctx": 4096, "n_ctx_train": 8192}}, {"meta": 4096}])
def test_the_server_names_its_window(told):
    """vLLM names it, and so does llama.cpp, beside the window that the model was trained with."""
    with serve(lambda *_: OK, Status(200, {"data": [{"id": "toy", **told}]})) as toy:
        assert model_of(toy).max_length == (None if told == {"meta": 4096} else 4096)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested {total} tokens ({prompt} in the messages, "
        "{asked} in the completion).",
        "'max_tokens' or 'max_completion_tokens' is too large: {asked}. This model's maximum context length is 4096 tokens and "
        "your request has {prompt} input tokens ({asked} > 4096 - {prompt}).",
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of {total} "
        "tokens: {prompt} tokens from the input messages and {asked} tokens for the completion.",
    ],
)
def test_answers_are_limited_to_the_rest_of_the_window(message, caplog):
    """Each prompt has its own limit; a row whose prompt leaves no room has failed."""

    def behave(body, _):
        prompt, asked = int(body["messages"][-1]["content"]), body["max_completion_tokens"]
        return refusal(message.format(prompt=prompt, asked=asked, total=prompt + asked)) if prompt + asked > 4096 else OK

    with serve(behave, VLLM) as toy:
        answers = ask(toy, "1000", "3000", "90", "4096", num_concurrent=1, settings=GREEDY | {"max_gen_toks": 3500})
    sent = [(body["messages"][-1]["content"], body["max_completion_tokens"]) for body in toy.requests]
    assert sent[:5] == [("1000", 3500), ("1000", 3096), ("3000", 3500), ("3000", 1096), ("90", 3500)]
    assert answers[:3] == ["Answer: B"] * 3
    assert answers[3].failure == "the prompt of 4,096 tokens does not fit the server's window of 4,096"
    assert len([line for line in said(caplog) if "window of 4,096 tokens leaves" in line]) == 1


def test_a_prompt_counted_only_up_to_the_window():
    """vLLM stops encoding there."""
    message = "This model's maximum context length is 760 tokens. However, your prompt contains at least 761 input tokens."
    with serve(lambda *_: refusal(message, "input_tokens")) as toy:
        [answer] = ask(toy)
    assert answer.failure == "the prompt of at least 761 tokens does not fit the server's window of 760"


@pytest.mark.parametrize(("heeded", "refused"), [("max_tokens", None), ("none", {"max_completion_tokens": "not heeded"})])
def test_a_server_that_ignores_the_limit(heeded, refused, caplog):
    """Servers ignore parameters that they do not know. The length of the answer shows whether one name or both are ignored."""
    with serve(lambda body, _: text("B", finish="length", usage={"completion_tokens": body.get(heeded, 900)})) as toy:
        answers = ask(toy, *"abc", num_concurrent=1)
    assert [answer.answer_tokens for answer in answers] == [900 if refused else 64] * 3, "what was longer is asked for again"
    sent = [sorted({"max_tokens", "max_completion_tokens"} & set(body)) for body in toy.requests]
    assert sent == [["max_completion_tokens"], *[["max_tokens"]] * 3]
    assert [answer.refused_parameters for answer in answers] == [refused] * 3
    names = ["max_completion_tokens", *["max_tokens"] * bool(refused)]
    assert [f"ignores {name}" in line for name, line in zip(names, said(caplog), strict=True)] == [True] * len(names)


NEW, OLD = "max_completion_tokens", "max_tokens"


@pytest.mark.parametrize(
    ("heeds", "refuses", "sent", "refused"),
    [
        (OLD, "", [NEW, OLD, OLD, OLD], None),
        ("", "", [NEW, OLD, NEW, NEW], {NEW: "cut earlier"}),  # by the server's own limit, or its window
        ("", OLD, [NEW, OLD, NEW, NEW, NEW], {NEW: "cut earlier"}),
    ],
)
def test_answers_cut_far_below_the_limit(heeds, refuses, sent, refused, caplog):
    """A server that does not know the name of the limit may have a lower one of its own."""

    def behave(body, _):
        if refuses and refuses in body:
            return refusal(f"Unsupported parameter: '{refuses}' is not supported with this model.", refuses)
        limit = body.get(heeds, 20)
        return text("B" * min(limit, 40), finish="length" if limit < 40 else "stop", usage={"completion_tokens": min(limit, 40)})

    with serve(behave) as toy:
        answers = ask(toy, *"abc", num_concurrent=1)
    assert [len(answer) for answer in answers] == [40 if heeds else 20] * 3
    assert [next(name for name in body if name.startswith("max_")) for body in toy.requests] == sent
    assert [answer.refused_parameters for answer in answers] == [refused] * 3
    line = "cuts answers at 20 tokens instead of 64" if refused else f"ignores {NEW} (it cut an answer at 20); {OLD} replaces it"
    assert sum(line in each for each in said(caplog)) == 1


def test_a_cut_thought_that_is_not_counted_says_nothing_of_the_limit():
    with serve(lambda *_: text("", finish="length", usage={"completion_tokens": 0})) as toy:
        assert ask(toy)[0].refused_parameters is None
    assert len(toy.requests) == 1


@pytest.mark.parametrize(("tokens", "finish"), [(63, "stop"), (64, "length"), (65, "stop")])
def test_an_answer_that_ends_at_the_limit_was_cut(tokens, finish):
    """Some servers always call answers complete."""
    usage = {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": 9 + tokens}
    assert answer_of(text("B, or", usage=usage)).finish_reason == finish


WHOLE = {"choices": [{"message": {"role": "assistant", "content": "B", "reasoning": "So"}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("reply", "usage", "counts", "state"),
    [
        # OpenAI counts a hidden thought, which may use up the limit
        (Answer([("content", "")], finish="length"), (9, 64, 73, 64), (9, 64, 0), "cut"),
        (Answer([("content", "B")]), (9, 30, 39, 20), (9, 20, 10), "no thought"),
        (Answer([("content", "")], finish="length"), (9, 0, 73, None), (9, 64, 0), "cut"),  # Gemini
        (Answer([("content", "B")]), (9, 10, 39, None), (9, 20, 10), "no thought"),
        (Answer([("reasoning_content", "So"), ("content", "B")]), (9, 10, 39, 20), (9, 20, 10), "closed"),  # xAI
        (Answer([("reasoning_content", "So"), ("content", "B")]), (9, 10, None, None), (9, None, None), "closed"),  # unknown
        (Answer([("content", "B")]), (9, 10, 19, 20), (9, 20, 10), "no thought"),  # the total lacks the thought
        # nothing says what used up the limit
        (Answer([("content", "")], finish="length"), (9, 64, 73, None), (9, None, None), "cut"),
        (Answer([("content", "")], finish="length"), (None, None, None, None), (None, None, None), "cut"),
        (Answer([("content", "B")]), (0, 0, 0, None), (None, None, None), "no thought"),  # a proxy that fills in zeros
        (Answer([("content", "")]), (9, 1, 10, None), (9, None, 1), "no thought"),  # a model that ends at once
        (Answer([("content", "")], finish="content_filter"), (9, 0, 9, None), (9, None, 0), "no thought"),
    ],
)
def test_tokens_of_thoughts_that_the_server_hides(reply, usage, counts, state):
    """Tokens of prompt, thought and answer are separate, whether or not the server counts the thought as part of the answer."""
    names, [*totals, thought] = ("prompt_tokens", "completion_tokens", "total_tokens"), usage
    told = dict(zip(names, totals, strict=True)) | {"completion_tokens_details": thought and {"reasoning_tokens": thought}}
    answer = answer_of(replace(reply, usage=told))
    assert (answer.prompt_tokens, answer.thought_tokens, answer.answer_tokens) == counts
    assert taken_apart(answer).state == state


def whole(content, **usage):
    return Status(200, {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], "usage": usage})


def test_an_answer_that_the_server_hides_has_failed():
    """It is null, or has tokens without text, although the model ended by itself. An empty answer is valid."""
    for reply in (whole(None), whole("", completion_tokens=40), Answer([("content", "")], usage={"completion_tokens": 40})):
        answer = answer_of(reply)
        assert "sends null or no text" in answer.failure and taken_apart(answer).state == "failed"
    for reply in (whole(""), whole(None, completion_tokens=1), Answer([("content", None)], finish="content_filter")):
        answer = answer_of(reply)
        assert (answer, answer.failure, taken_apart(answer).state) == ("", None, "no thought")


NO_STREAM = "Unsupported value: 'stream' does not support true with this model. Supported values are: false."


@pytest.mark.parametrize(
    "instead_of_a_stream",
    [
        refusal("Your organization must be verified to stream this model.", "stream"),
        refusal(NO_STREAM),
        refusal("Streaming is not enabled for this deployment"),
        Status(422, {"detail": [{"loc": ["body", "stream"], "msg": "Extra inputs are not permitted"}]}),
        Status(200, WHOLE),  # it ignores the parameter
        Answer([("content", "B, or"), (None, "data: [DONE]")], finish=None),  # the reason for the end is missing
    ],
)
def test_a_server_that_does_not_stream(instead_of_a_stream, caplog, monkeypatch):
    """It is asked for whole answers, for which it has longer than the time between tokens."""
    monkeypatch.setattr(chat_server, "QUEUE", 20)

    def behave(body, number):
        if "stream" in body:
            return instead_of_a_stream
        time.sleep(1.0 if number == 1 else 0)
        refused = refusal("'stream_options' is only allowed when 'stream' is enabled")
        return refused if "stream_options" in body else Status(200, WHOLE)

    with serve(behave) as toy:
        answers = ask(toy, "one", "two", "three", num_concurrent=1, timeout=0.5, max_retries=0)
    assert answers == ["B"] * 3
    assert ["stream" in body for body in toy.requests] == [True] + [False] * (len(toy.requests) - 1)
    [line] = said(caplog)
    assert "refuses stream=True; it is left out of all requests" in line
    assert not any(answer.refused_parameters for answer in answers), "how an answer is sent is no setting of it"


EMPTY = Answer([(None, "data: [DONE]")], finish=None)


@pytest.mark.parametrize(
    ("first", "streams"),
    [
        ([EMPTY], [True] * 4),  # the server may still be loading its model
        ([OK, *[EMPTY] * 3], [True] * 4 + [False, True]),  # only this row is asked for in one piece
        ([OK, Answer([("content", "B, or"), (None, "data: [DONE]")], finish=None)], [True, True, False, True]),
        ([EMPTY] * 99, [True] * 3 + [False] * 3),  # it cannot stream
    ],
)
def test_empty_streams_end_streaming_unless_others_had_answers(first, streams):
    def behave(body, number):
        return Status(200, WHOLE) if "stream" not in body else first[number] if number < len(first) else OK

    with serve(behave) as toy:
        answers = ask(toy, "one", "two", "three", num_concurrent=1, max_retries=2)
    assert [answer[-1] for answer in answers] == ["B"] * 3 and not any(answer.refused_parameters for answer in answers)
    assert ["stream" in body for body in toy.requests] == streams


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        (text("Answer: A\n"), None),
        (text("<think>A or B</think>\n\nAnswer: A"), None),
        (Answer([("reasoning", "A or B"), ("content", "\n\nAnswer: A")]), None),
        (text("Answ", finish="length"), None),
        (text("I think that the answer is A"), {"structured_outputs": "not heeded"}),
        (text("I think that", finish="length"), {"structured_outputs": "not heeded"}),
        (text("Answer: C"), {"structured_outputs": "not heeded"}),
    ],
)
def test_a_server_that_ignores_the_choices(reply, refused):
    """Nothing else shows it, because answers that were not constrained are read as well."""
    for asked, expected in (({"choice": ["Answer: A", "Answer: B"]}, refused), ("regex", None)):
        assert answer_of(reply, settings=GREEDY | {"structured_outputs": asked}).refused_parameters == expected


def test_an_option_in_place_of_the_thought_ends_the_run():
    """A server without a reasoning parser constrains the thought, and no answer follows."""
    choice = GREEDY | {"structured_outputs": {"choice": ["Answer: A", "Answer: B"]}}
    with pytest.raises(ServerError, match="start vLLM with --reasoning-parser NAME, add thinking=off"):
        answer_of(text("Answer: A"), prompt_end="<assistant><think>\n", settings=choice)
    found = answer_of(text("A or B.</think>Answer: A"), prompt_end="<assistant><think>\n", settings=choice)
    assert taken_apart(found)[1:] == ("Answer: A", "closed")


@pytest.mark.parametrize(
    ("mode", "first", "answers", "told"),
    [
        ({}, "<think>Hm.</think>188", ["Answer: A", "Answer: B"], "in place of thoughts"),
        ({"thinking": "on"}, "188", ["Answer: A"], "in place of thoughts"),
        ({"effort": "low"}, "188", ["Answer: A"], "in place of thoughts"),
        ({}, "188", ["Answer: A"], None),  # it does not think
        ({"thinking": "off"}, "188", ["Answer: A"], None),
        ({"effort": "none"}, "<think>Hm.</think>188", ["Answer: A"], None),
        ({}, "<think>Hm.</think>188", ["<think>So.</think>Answer: A", "Answer: B"], None),  # it does not always think
    ],
)
def test_choices_forced_on_a_thinking_model_are_reported(mode, first, answers, told):
    """The model opens its thought itself, so the prompt does not show it, and the server allows nothing but an option."""
    settings = GREEDY | {"structured_outputs": {"choice": ["Answer: A", "Answer: B"]}}

    def behave(body, _):
        return text(answers[int(body["messages"][0]["content"])] if "structured_outputs" in body else first)

    with serve(behave) as toy:
        model = model_of(toy, **mode)
        model.thinks()
        found = model.generate_until(requests(*map(str, range(len(answers))), settings=settings))
    assert [answer.refused_parameters for answer in found] == [told and {"structured_outputs": told}] * len(answers)


def test_the_model_name_includes_the_provider_behind_a_router():
    names = [{"model": "org/toy", "provider": f"Host {number}", "choices": []} for number in (0, 1, 0)]
    with serve(lambda _, number: Answer([(None, "data: " + json.dumps(names[number])), ("content", "B")])) as toy:
        answers = ask(toy, *"abc", num_concurrent=1)
    assert [answer.model for answer in answers] == ["org/toy (Host 0)", "org/toy (Host 1)", "org/toy (Host 0)"]


@pytest.mark.parametrize("lost", ["ไท\ufffd\ufffdย", "ไทย\ufffd"])
@pytest.mark.parametrize("by_model", [True, False])
def test_streams_with_parts_of_characters(lost, by_model):
    """If a whole answer has none, the stream makes them, and all answers are asked for whole. At the end the limit makes them."""

    def behave(body, _):
        return text(lost) if "stream" in body else whole(lost if by_model else "ไทย")

    with serve(behave) as toy:
        answers = ask(toy, *"abc", num_concurrent=1)
    at_end = lost.endswith("\ufffd")
    assert answers == [lost if by_model or at_end else "ไทย"] * 3
    streams = [True] * 3 if at_end else [True, False] * 3 if by_model else [True] + [False] * 3
    assert ["stream" in body for body in toy.requests] == streams


@pytest.mark.parametrize(
    ("listed", "says", "name"),
    [
        (["/models/big-4b.gguf"], True, "/models/big-4b.gguf"),
        (["/models/TOY-q4.gguf"], False, "/models/TOY-q4.gguf"),
        (["toy"], False, "toy"),
        (["one", "two"], False, "toy"),
        ([], False, "toy"),
    ],
)
def test_a_server_of_one_model_that_answers_under_any_name(listed, says, name, caplog):
    """llama.cpp repeats the name that it is asked for."""
    chat_server.say_if_another.cache_clear()
    models = Status(200, {"data": [{"id": each, "meta": {"n_ctx": 4096}} for each in listed]})
    echo = (None, 'data: {"model": "toy", "choices": []}')
    with serve(lambda *_: Answer([echo, ("content", "B")]), models) as toy:
        model = model_of(toy)
        [answer] = model.generate_until(requests("Q"))
    assert (answer.model, model.max_length) == (name, 4096 if len(listed) == 1 else None)
    assert any("is it the right one?" in line for line in said(caplog)) == says


@pytest.mark.parametrize("name", ["content", "reasoning"])
@pytest.mark.parametrize("heeds", [True, False])
def test_streams_that_repeat_the_text_so_far(name, heeds):
    """All answers are asked for whole; a server that streams all the same gives none."""
    pieces = [(name, "The answer is B."[:end]) for end in (4, 10, 10, 13, 16)]

    def behave(body, _):
        if heeds and "stream" not in body:
            return whole("Answer: B")
        return Answer([*pieces, ("content", "B")] if name == "reasoning" else pieces)

    with serve(behave) as toy:
        if heeds:
            assert ask(toy, *"abc", num_concurrent=1) == ["Answer: B"] * 3
            assert ["stream" in body for body in toy.requests] == [True] + [False] * 3
        else:
            with pytest.raises(ServerError, match="a stream whose pieces repeat"):
                ask(toy, *"abc", num_concurrent=1)


@pytest.mark.parametrize("pieces", ["B", ["B", "B", "B"], ["1", "10", "0"], ["A", "A.", " B"]])
def test_streams_that_only_seem_to_repeat_themselves(pieces):
    assert answer_of(Answer([("content", piece) for piece in pieces])) == "".join(pieces)


def stream(*lines, end="\n\n"):
    return Status(200, "".join(line + end for line in lines).encode(), content_type="text/event-stream")


def chunk(index=0, finish=None, **part):
    return "data: " + json.dumps({"choices": [{"index": index, "finish_reason": finish, **part}]}, ensure_ascii=False)


END = chunk(delta={}, finish="stop")
PART = {"type": "text", "text": "So"}
ANSWER = {"type": "text", "text": "B"}
BREAKS = "A\u2028B\u2029C\x85D\vE\fF\x1cG"  # line breaks for Python's `splitlines`, but not in a stream


@pytest.mark.parametrize(
    ("reply", "answer", "thought", "finish"), [(*told, "stop")[:4] for told in [
        (stream(chunk(delta={"content": BREAKS}), END), BREAKS, None),
        *((stream(chunk(delta={"content": "B"}), END, "data: [DONE]", end=end), "B", None) for end in ("\r\r", "\r\n\r\n")),
        (stream(*(chunk(index, delta={"content": text}) for index, text in enumerate("ABC")), END), "A", None),
        (stream(chunk(1, delta={"content": "no"}, finish="length"), chunk(delta={"content": "B"}), END), "B", None),
        (Status(200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"} | more
                                  for text, more in (("A", {}), ("B", {"index": 1}))]}), "A", None),
        (Status(200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"} for text in "AB"]}), "A", None),
        (stream(chunk(delta={"content": "B"}), chunk(delta={}, message={"content": "B"}, finish="stop")), "B", None),
        (stream(chunk(message={"content": "B"}, finish="stop")), "B", None),
        (stream("\ufeff" + chunk(delta={"content": "B"}), END), "B", None),
        (Status(200, ("\ufeff" + json.dumps(WHOLE)).encode()), "B", "So"),
        *((stream(chunk(delta={"reasoning": thought}), chunk(delta={"content": "B"}), END), "B", "So")
          for thought in ("So", PART, [PART], [{"type": "summary", "summary": [PART]}], ["S", {"text": "o"}])),
        *((stream(chunk(delta={"reasoning": reasoning, "reasoning_details": [{"type": f"reasoning.{kind}", kind: "So"}]}),
                  chunk(delta={"content": "B"}), END), "B", thought)  # OpenRouter's
          for reasoning, kind, thought in ((None, "text", "So"), (None, "summary", "So"), ("So", "text", "So"),
                                           (None, "data", None))),
        (stream(chunk(delta={"reasoning": {"encrypted": 1}, "reasoning_content": "So", "content": "B"}), END), "B", "So"),
        *((Status(200, {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}), "B", thought)
          for content, thought in ((ANSWER, None), (["B"], None), ([{"type": "image_url", "image_url": {}}, ANSWER], None),
                                   ([{"type": "thinking", "thinking": "So"}, ANSWER], "So"),  # Anthropic's parts
                                   ([{"type": "thinking", "thinking": [PART]}, ANSWER], "So"),  # Mistral's
                                   ([{"type": "reasoning", "text": "So"}, ANSWER], "So"))),
        (stream(chunk(delta={"content": [{"type": "thinking", "thinking": [PART]}]}), chunk(delta={"content": [ANSWER]}), END),
         "B", "So"),
        # the declared type is wrong
        (Status(200, json.dumps(WHOLE, indent=1).encode(), content_type="text/plain"), "B", "So"),
        (Status(200, f"{chunk(delta={'content': 'B'})}\n\n{END}\n\n".encode()), "B", None),
        (Answer([("reasoning_content", "So"), ("reasoning_content", " B."), ("content", "B")]), "B", "So B."),
        (Answer([("content", None), ("reasoning", "Perhaps B, or")], finish="length"), "", "Perhaps B, or", "length"),
        # the answer is complete, but the reason for its end is missing
        *((Status(200, {"choices": [{"message": WHOLE["choices"][0]["message"]} | end]}), "B", "So", None)
          for end in ({}, {"finish_reason": None})),
    ]],
)  # fmt: skip
def test_forms_of_replies(reply, answer, thought, finish):
    found = answer_of(reply)
    assert (found, found.thought, found.finish_reason) == (answer, thought, finish)
    assert found.failure is found.prompt_tokens is found.thought_tokens is found.answer_tokens is None


ENDS = {
    "stop": ["stop", "STOP", "eos_token", "end_turn"],
    "length": ["length", "model_length", "max_tokens", "MAX_TOKENS"],
    "content_filter": ["content_filter", "refusal", "sensitive"],
    "tool_calls": ["function_call"],
    "end_of_the_world": ["end_of_the_world"] * 2,
}


def test_finish_reasons_have_one_name(caplog):
    """An unknown one keeps its name, which is reported once."""
    with serve(lambda body, _: text("B, or", finish=body["messages"][0]["content"])) as toy:
        for name, ends in ENDS.items():
            assert [(answer, answer.finish_reason) for answer in ask(toy, *ends)] == [("B, or", name)] * len(ends)
    [line] = said(caplog)
    assert "unknown" in line and "end_of_the_world" in line


@pytest.mark.parametrize(
    ("written", "finish", "answer", "thought"),
    [
        ("Perhaps B, or", "length", "", "Perhaps B, or"),
        ("Perhaps B, or", "stop", "", "Perhaps B, or"),
        ("So B.</think>\nAnswer: B\nPassage: x", "stop", "So B.</think>\nAnswer: B", None),
    ],
)
def test_an_unclosed_thought_that_the_template_opened(written, finish, answer, thought):
    """A text that does not close the thought is no answer; if the template opens none, it is one."""
    words = "Let me see what the passage says of the question: "
    found = answer_of(text(written, finish=finish), prompt_end="<assistant>\n<think>\n" + words)
    assert (found, found.thought, found.finish_reason) == (answer, thought, finish)
    found = answer_of(text(written, finish=finish), prompt_end="<assistant>")
    assert found == (answer or written) and found.thought is None


HALF = "Okay, the answer is B. But let me double-check"
SHOWS = "Hm, so B.\n</think>\n\nAnswer: A"


@pytest.mark.parametrize(
    ("texts", "thoughts"),
    [
        ([HALF, "Answer: B.", SHOWS, f"{SHOWS}.", HALF], [0, 1, 4]),  # the position of the answer that shows it does not matter
        ([HALF, SHOWS, HALF], [0, 2]),
        ([HALF, HALF, "Answer: B."], []),
        ([HALF, "<think>Hm.</think>Answer: A."], []),
        ([HALF, "Answer: A.", "Answer: B.", SHOWS], []),  # one of many answers has a stray mark
        ([HALF, "Answer: A.", "Write </think> at the end."], []),
    ],
)
def test_most_answers_decide_whether_the_template_opens_a_thought(texts, thoughts):
    """The server neither tells nor separates the thought."""
    ends = dict.fromkeys(texts, "stop") | {HALF: "length"}
    with serve(lambda body, _: text(said := body["messages"][0]["content"].lstrip("0123456789"), finish=ends[said])) as toy:
        kept, model = {}, model_of(toy, num_concurrent=1)
        model.set_cache_hook(SimpleNamespace(add_partial=lambda _, args, answer: kept.setdefault(args[0], answer)))
        asked = requests(*(f"{number}{said}" for number, said in enumerate(texts)))
        answers = model.generate_until(asked)
    assert [number for number, answer in enumerate(answers) if answer.thought] == thoughts
    assert all(answers[number] == "" and answers[number].thought == texts[number] for number in thoughts)
    of_earlier_run = model.settled(asked, [pickle.loads(pickle.dumps(kept[request.args[0]])) for request in asked])
    assert [(answer, answer.thought) for answer in of_earlier_run] == [(answer, answer.thought) for answer in answers]


@pytest.mark.parametrize(
    ("mode", "others", "is_thought"),
    [
        ("on", [], True),
        ("template", [], False),
        ("on", [text("Answer: B.")], False),
        ("on", [Answer([("reasoning", "So B."), ("content", "Answer: B")])], False),
        ("on", [text("", finish="length")], False),  # the server hides the thought
    ],
)
def test_cut_answers_of_a_thinking_model_are_thoughts(mode, others, is_thought):
    """Also if all are cut; not if others show that there is no thought, or that it stands elsewhere."""
    replies = [text(HALF, finish="length"), *others]
    with serve(lambda body, _: replies[int(body["messages"][0]["content"])]) as toy:
        model, asked = model_of(toy, thinking=mode), requests(*map(str, range(len(replies))))
        answers = model.generate_until(asked)
    for first, *_ in (answers, model.settled(asked, answers)):  # a run does so once more, with kept answers
        assert (first, first.thought) == (("", HALF) if is_thought else (HALF, None))


def test_answers_are_searched_for_thoughts_once(monkeypatch, everything):
    """A run searches new answers when they arrive, and settles all of them together with the kept ones."""
    searched, search = [], chat_api.ends_unopened
    monkeypatch.setattr(chat_api, "ends_unopened", lambda answer: searched.append(answer) or search(answer))
    with serve(lambda *_: text("Hm. " * (30_000 if everything else 3_000) + SHOWS)) as toy:
        kept, model = [], model_of(toy)
        model.set_cache_hook(SimpleNamespace(add_partial=lambda *given: kept.append(deepcopy(given[-1]))))
        answers = model.generate_until(requests(*"abcd"))
    assert [answer.thought for answer in model.settled(requests(*"abcd"), answers)] == [None] * 4
    assert len(searched) == 4
    assert [answer.thought for answer in model.settled(requests(*"abcd"), kept)] == [None] * 4
    assert len(searched) == 8, "those of another run were not looked at yet"


def test_the_first_question_shows_whether_the_template_opens_a_thought():
    question = "A train leaves"
    with serve(lambda body, _: text(SHOWS if question in str(body) else HALF, finish="length")) as toy:
        assert ask(toy)[0].thought is None
        model = model_of(toy)
        assert model.thinks()
        assert model.generate_until(requests("Q"))[0].thought == HALF


@pytest.mark.parametrize(
    ("reply", "thinks"),
    [
        (whole(None), None),
        (whole("", completion_tokens=40), None),
        (text("", finish="content_filter"), None),
        (text("", finish="length"), True),
        (Answer([("reasoning", "So"), ("content", None)]), True),
        (text("188"), False),
    ],
)
def test_a_first_question_without_an_answer_tells_nothing(reply, thinks, caplog):
    with serve(lambda *_: reply) as toy:
        assert model_of(toy).thinks() is thinks
    assert any("whether the model thinks is not known" in line for line in said(caplog)) == (thinks is None)


def test_options_are_not_ranked_behind_an_open_thought():
    said = "add thinking=off to --model_args, or take the _chat task"
    with serve(lambda *_: OK, VLLM, prompt_end="<assistant><think>\n") as toy, pytest.raises(ServerError, match=said):
        model_of(toy).tells_log_likelihoods()


TORN = {("B \ud83d", "\ude00."): "B 😀.", ("B \ud83d", "."): "B \ufffd.", ("\ude00", "\ud83d"): "\ufffd\ufffd"}


@pytest.mark.parametrize("name", ["content", "reasoning"])
def test_surrogate_pairs_split_across_stream_chunks(name):
    """The halves are joined; a lone one could not be written to a file."""
    for pieces, answer in TORN.items():
        found = answer_of(Answer([*((name, piece) for piece in pieces), ("content", " end")]))
        assert (found.thought if name == "reasoning" else found.removesuffix(" end")) == answer


# The reply of a server, and what the failure says.
BROKEN = {
    "status": (Status(500, {"error": {"message": "oops"}}), "oops"),
    "error": (Status(200, {"error": {"message": "overloaded", "code": 502}}), "overloaded"),
    "error in stream": (stream('data: {"error": {"message": "overloaded"}}'), "overloaded"),
    "json": (Status(200, b'{"choices": [{"mess'), "JSONDecodeError"),
    "json in stream": (stream('data: {"choices": [{"del', "data: [DONE]"), "JSONDecodeError"),
    "list": (Status(200, [1]), "a reply that is no completion"),
    "choice": (Status(200, {"choices": [7]}), "a reply that is no completion"),
    "html": (Status(200, b"<html>sign in</html>", content_type="text/html"), "(text/html: is base_url right?)"),
    "page": (
        Status(524, b"<!DOCTYPE html>" + b" " * 400 + b"<title>host | 524: A timeout occurred</title>", content_type="text/html"),
        "status 524: a page with the title 'host | 524: A timeout occurred'",
    ),
    **{f"no completion {name}": (Status(200, {name: "out of credit", "choices": None}), "out of credit")
       for name in ("detail", "message", "base_resp", "output")},
    "no completion in stream": (stream('data: {"type": "error", "message": "out of credit"}'), "out of credit"),
    "no tokens": (text("", usage={"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}), "an answer of no tokens"),
    "nothing, no reason": (Status(200, {"choices": [{"message": {"content": ""}, "finish_reason": None}]}),
                           "a reply without finish_reason (application/json)"),
    "error of SGLang": (Status(200, {"object": "error", "message": "out of memory", "code": 500}), "out of memory"),
    "error of vLLM in stream": (stream('data: {"object": "error", "message": "engine died"}', "data: [DONE]"), "engine died"),
    "error of OpenRouter": (
        Status(200, {"choices": [{"message": {}, "finish_reason": "error", "error": {"message": "provider timed out"}}]}),
        "provider timed out",
    ),
    **{f"{content} as text": (Status(200, {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}),
                              f"a reply with {number} instead of a text")
       for content, number in ((5, 5), (True, True), ([5], 5))},
    "nothing": (DROP, "Connection error"),
    "half": (Answer([("content", "Answ")], finish=None), "a reply that ends in the middle"),
    "half, null as text": (stream(chunk(delta={"content": "Answ"}, finish="null")), "a reply that ends in the middle"),
    "no end": (HANG, "timed out"),
    **{end: (text("The answer is A", finish=end), repr(end))
       for end in ("error", "abort", "insufficient_system_resource", "network_error")},
}  # fmt: skip


@pytest.mark.parametrize(("broken", "why"), BROKEN.values(), ids=BROKEN)
def test_replies_without_an_answer(broken, why, caplog):
    """An answer at the second attempt counts; otherwise this row alone has failed."""
    with serve(lambda body, number: broken if number == 0 or "two" in str(body["messages"]) else OK) as toy:
        answers = ask(toy, "one", "two", "three", num_concurrent=1, timeout=0.5, max_retries=1)
    assert answers == ["Answer: B", "", "Answer: B"] and not answers[0].failure
    assert why in answers[1].failure and answers[1].failure.endswith(" after 2 attempts") and "\n" not in answers[1].failure
    assert "1 of 3 requests have no answer, the first: " in said(caplog)[-1]


def test_a_server_whose_list_of_models_fails():
    """`transformers serve` is such a server on a machine without a cache of the hub."""
    with serve(lambda *_: OK, Status(500, b"Internal Server Error", content_type="text/plain")) as toy:
        assert ask(toy, "one", max_retries=0) == ["Answer: B"]


def test_concurrent_answers_keep_the_order_of_the_prompts():
    def behave(body, _):
        time.sleep(0.02 * (5 - int(body["messages"][0]["content"]) % 5))
        return text("answer " + body["messages"][0]["content"])

    with serve(behave) as toy:
        answers = ask(toy, *map(str, range(40)), num_concurrent=6)
    assert answers == [f"answer {number}" for number in range(40)]
    assert 2 <= toy.most_at_once <= 6


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (refusal("Incorrect API key provided", code=401), "status 401: .*; the key is read from OPENAI_API_KEY"),
        (Status(405, {"detail": "Method Not Allowed"}), "status 405: .*Method Not Allowed.*; base_url .* ends in /v1"),
        (Status(404, {"detail": "Not Found"}), "status 404: .*Not Found.*; base_url .* ends in /v1"),
        (Status(200, {"error": "Unexpected endpoint or method. (POST …)"}), "Unexpected.*; base_url .* ends in /v1"),  # LM Studio
        (refusal("The model `toy` does not exist.", "model", 404), "status 404: The model `toy` does not exist.$"),
        (Status(429, {"error": {"message": "no credit", "code": "insufficient_quota"}}), "status 429: .*no credit"),
        (
            refusal("Unrecognized request argument supplied: chat_template_kwargs"),
            "refuses chat_template_kwargs.*; leave out thinking",
        ),
    ],
)
def test_errors_of_all_requests_end_the_run(reply, line):
    """Further errors are in `mistakes.yml`."""
    with serve(lambda *_: reply) as toy, pytest.raises(ServerError, match=line) as error:
        ask(toy, *map(str, range(50)), num_concurrent=2, thinking="off")
    assert len(toy.requests) <= 2
    assert "\n" not in str(error.value)


def test_a_server_that_goes_away_ends_the_run():
    """The run does not try all rows one by one."""
    line = "10 requests in a row have no answer"
    with serve(lambda _, number: OK if number < 3 else DROP) as toy, pytest.raises(ServerError, match=line):
        ask(toy, *map(str, range(200)), num_concurrent=2, max_retries=0)


@pytest.mark.parametrize(
    ("fault", "why"), [(DROP, "Connection error"), (refusal("held back by the content filter"), "content filter")]
)
def test_rows_that_are_never_answered_do_not_end_the_run(fault, why):
    """The server answers other messages, so their number does not matter, even if an interrupted run has only such rows left."""
    with serve(lambda body, _: fault if "crash" in str(body["messages"]) else OK) as toy:
        answers = ask(toy, "one", *["crash"] * 25, "two", num_concurrent=1, max_retries=0)
        left = ask(toy, *["crash"] * 3, num_concurrent=1, max_retries=0)
    assert answers == ["Answer: B", *[""] * 25, "Answer: B"] and left == [""] * 3
    assert all(why in answer.failure for answer in [*answers[1:-1], *left])


def test_sampled_requests_have_seeds_of_their_own():
    """With one seed a server may draw the same numbers for all rows, which would then err alike. A run can be repeated."""
    settings = {"do_sample": True, "temperature": 0.7, "seed": 11}
    with serve(lambda body, _: text(str(body.get("seed")))) as toy:
        drawn, again = (ask(toy, *"aaba", settings=settings | {"seed": seed}) for seed in (11, 11))
        others = ask(toy, *"aaba", settings=settings | {"seed": 12})
    assert len({*drawn, *others}) == 8 and sorted(drawn) == sorted(again)
    assert all(0 <= int(seed) < 2**31 for seed in drawn)


def test_an_answer_with_a_given_beginning_is_continued():
    """It takes the place of the thought that the template would open."""
    with serve(lambda *_: OK, VLLM, prompt_end="<assistant><think>\n") as toy:
        model, begun = model_of(toy), [*MESSAGES, {"role": "assistant", "content": "Answer:"}]
        prompt = model.apply_chat_template(begun, add_generation_prompt=False)
        assert model.generate_until(requests(prompt)) == ["Answer: B"]
    [body] = toy.requests
    assert (body["messages"], body["continue_final_message"], body["add_generation_prompt"]) == (begun, True, False)
