"""Servers that lie: a judge, and a hub."""

import contextlib
import gzip
import json

import pytest
from huggingface_hub import constants

from lm_eval_sea.models import chat_server
from lm_eval_sea.sea_helm import SeaHelmError, judge_calls
from lm_eval_sea.sea_helm.judge_calls import Cache, Call, Endpoint, ask_all, key_of
from lm_eval_sea.tasks._shared import hub_files
from lm_eval_sea.tasks._shared.hub_files import DataError, download
from tests.loopback import completion, reply, serving

CALL = Call([{"role": "user", "content": "x"}], {"max_tokens": 5})


@pytest.fixture
def hasty(monkeypatch):
    """Nothing is retried."""
    monkeypatch.setattr(judge_calls, "RETRIES", 0)


LIES = [completion(5), completion({"a": 1}), *(completion() | {"choices": choices} for choices in ([], [None], "abc"))]
LIES += ["fine", [completion()], None, b"<html>It works!</html>", b"{", b"\xff\xfe\x00", b"[" * 100_000, b""]


def ask(address, folder, key="none"):
    """The answer of a judge."""
    cache = Cache(folder / "answers.jsonl")
    ask_all(Endpoint(f"{address}/v1", "m", key), [(CALL, cache)], 1)
    return cache.answer(key_of("m", CALL))


def refusal_of(answer, folder):
    """The one-line error for a judge that answers so."""
    with serving(answer) as (address, _), pytest.raises(SeaHelmError) as caught:
        ask(address, folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_judge_that_answers_something_else(tmp_path, hasty):
    for lie in LIES:
        assert "1 of 1 questions have no answer, the first: " in refusal_of(reply(lie), tmp_path), lie


@pytest.mark.parametrize("tokens", [-5, "many", 10**30, 2.5, None])
def test_a_judge_that_counts_wrongly(tokens, tmp_path, hasty):
    with serving(reply(completion(completion_tokens=tokens))) as (address, _):
        answer = ask(address, tmp_path)
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("fine", 1, None)


def send_for_ever(handler):
    with contextlib.suppress(OSError):  # the client closes the connection
        while True:
            handler.wfile.write(b" " * 65536)


def endless(handler):
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    send_for_ever(handler)


def test_a_judge_that_sends_endless_or_huge_answers(tmp_path, hasty, monkeypatch):
    """The huge ones are compressed, on one line or on many."""
    monkeypatch.setattr(chat_server, "LONGEST_TEXT", 2**18)
    packed = (gzip.compress(blanks * 500_000) for blanks in (b" ", b"[\n"))
    for answer in (endless, *(reply(bomb, **{"Content-Encoding": "gzip"}) for bomb in packed)):
        assert "an answer without an end" in refusal_of(answer, tmp_path)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "/v1/chat/completions", "http://127.0.0.1:1/"])
def test_a_judge_that_redirects(target, tmp_path, hasty):
    """The target is a file, the judge itself or an address where nobody listens."""
    assert "root:" not in refusal_of(reply(b"", 307, Location=target), tmp_path)


def test_the_key_is_not_sent_to_another_server(tmp_path, hasty):
    """The judge redirects to the other server."""
    with serving(reply(completion())) as (other, asked):
        location = f"{other}/v1/chat/completions"
        with serving(reply(b"", 307, Location=location)) as (address, _):
            answer = ask(address, tmp_path, "secret")
    assert answer.text == "fine"
    assert asked and "secret" not in json.dumps(asked)


# a hub

NAMES = ["../x.jsonl", "a/../../x.jsonl", "/etc/x.jsonl", "..", "a/..", "..\\x.jsonl", "a\\..\\..\\x"]


def test_a_name_that_leads_out_of_the_folder(tmp_path):
    for name in NAMES:
        with pytest.raises(DataError, match="leads out of its folder"):
            download("owner/name", name, local_dir=tmp_path / "mirror")
        assert not (tmp_path / "mirror").exists(), name


@pytest.fixture(params=["cache_dir", "local_dir"])
def fetch(request, tmp_path, monkeypatch):
    """Downloads a file from a server, as `data fetch` does into the hub's cache, and with `--to` into a mirror."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub_files, "_unreached", [])
    monkeypatch.setattr("time.sleep", lambda _: None)  # before huggingface_hub tries again
    to = {request.param: tmp_path / "home" / "data"}
    return lambda address: download("owner/name", "data/rows.jsonl", endpoint=address, **to)


ROWS = b'{"premise": "x"}\n'
SOUND = {"X-Repo-Commit": "0" * 40, "ETag": '"abc"'}


def test_an_honest_hub(fetch):
    with serving(reply(ROWS, **SOUND)) as (address, _):
        assert fetch(address).read_bytes() == ROWS


def promise(handler, length):
    """Sends headers that announce that many bytes."""
    handler.send_response(200)
    for name, value in (SOUND | {"Content-Length": str(length)}).items():
        handler.send_header(name, value)
    handler.end_headers()


def short(handler):
    """Announces more than it sends."""
    promise(handler, 5000)
    if handler.command == "GET":
        handler.wfile.write(ROWS)


def long(handler):
    """Announces a short file, and never ends."""
    promise(handler, 20)
    if handler.command == "GET":
        send_for_ever(handler)


FALSE = {
    "a commit that leads out": reply(ROWS, **SOUND | {"X-Repo-Commit": "../../../../evil"}),
    "a tag that leads out": reply(ROWS, **SOUND | {"ETag": '"../../../../../evil"'}),
    "a redirect to a file": reply(ROWS, 302, **SOUND | {"Location": "file:///etc/passwd"}),
    "too short": short,
    "endless": long,
}


@pytest.mark.parametrize("server", FALSE.values(), ids=FALSE)
def test_a_hub_that_lies(server, tmp_path, fetch):
    """Nothing is written outside the folder, and no incomplete file is kept."""
    with serving(server) as (address, asked):
        try:
            size = fetch(address).stat().st_size
        except DataError as error:
            assert "\n" not in str(error)
            assert list(tmp_path.rglob("rows.jsonl")) == []
        else:
            assert size == (20 if server is long else len(ROWS))
        assert asked
    assert not [path for path in tmp_path.rglob("*evil*") if not path.is_relative_to(tmp_path / "home")]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"root:" in path.read_bytes()]
