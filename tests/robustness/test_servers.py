"""servers that lie: a judge, and a hub."""

import http.server
import json
import threading
from contextlib import contextmanager

import pytest

from lm_eval_sea.sea_helm import bounded_reply, judge_calls
from lm_eval_sea.sea_helm.judge_calls import Cache, Call, Endpoint, JudgeError
from lm_eval_sea.tasks._shared.hub_files import DataError, download

from ..data.hub_server import HubServer

CALL = Call([{"role": "user", "content": "x"}], {"max_tokens": 5})


@contextmanager
def serving(answer):
    """A server on the loopback interface; `answer` gets the handler of each request. Yields its address and what was asked."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(dict(self.headers))
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer(self)

        def do_GET(self):
            asked.append(dict(self.headers))
            answer(self)

        do_HEAD = do_GET

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def reply(content, status=200, **headers):
    """An answer with this body."""

    def answer(handler):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(data))} | headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def completion(content="fine", **usage):
    message = {"role": "assistant", "content": content}
    made = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [{"index": 0, "message": message}]}
    return made | {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2} | usage}


@pytest.fixture
def hasty(monkeypatch):
    """Nothing is tried again."""
    monkeypatch.setattr(judge_calls, "RETRIES", 0)
    monkeypatch.setattr(judge_calls, "BROKEN_ANSWERS", 1)


LIES = {
    "a list for a text": completion(["a"]),
    "a number for a text": completion(5),
    "an object for a text": completion({"a": 1}),
    "counts below zero": completion(prompt_tokens=-5),
    "counts of text": completion(completion_tokens="many"),
    "counts beyond all": completion(completion_tokens=10**30),
    "fractions": completion(completion_tokens=2.5),
    "no choices": completion() | {"choices": []},
    "choices of nothing": completion() | {"choices": [None]},
    "choices of text": completion() | {"choices": "abc"},
    "a text": "fine",
    "a list": [completion()],
    "nothing": None,
    "a page": b"<html>It works!</html>",
    "no JSON": b"{",
    "bytes": b"\xff\xfe\x00",
    "a deep list": b"[" * 100_000,
    "empty": b"",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_judge_that_answers_something_else(lie, hasty):
    """a judge whose answer is none: one line, and nothing is kept"""
    with serving(reply(lie)) as (address, _), pytest.raises(JudgeError) as caught:
        Endpoint(f"{address}/v1", "m").ask(CALL)
    assert "\n" not in str(caught.value)


def endless(handler):
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * 65536)
    except OSError:  # the client has had enough
        pass


def test_a_judge_that_never_ends(hasty, monkeypatch):
    """a judge whose answer never ends"""
    monkeypatch.setattr(bounded_reply, "LONGEST", 2**20)
    with serving(endless) as (address, _), pytest.raises(JudgeError, match="a reply of more than"):
        Endpoint(f"{address}/v1", "m").ask(CALL)


def test_a_judge_that_packs_its_answer(hasty):
    """a judge whose answer unpacks to more than the memory holds"""
    import gzip

    bomb = gzip.compress(b" " * 50_000_000)
    with serving(reply(bomb, **{"Content-Encoding": "gzip"})) as (address, _), pytest.raises(JudgeError, match="packed"):
        Endpoint(f"{address}/v1", "m").ask(CALL)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "/v1/chat/completions", "http://127.0.0.1:1/"])
def test_a_judge_that_sends_elsewhere(target, hasty):
    """a judge that redirects to a file, to itself or to nobody"""
    with serving(reply(b"", 307, Location=target)) as (address, _), pytest.raises(JudgeError) as caught:
        Endpoint(f"{address}/v1", "m").ask(CALL)
    assert "root:" not in str(caught.value)


def test_the_key_stays_with_the_judge(hasty):
    """a judge that redirects to another server, which does not get the key"""
    with serving(reply(completion())) as (other, asked):
        location = f"{other}/v1/chat/completions"
        with serving(reply(b"", 307, Location=location)) as (address, _):
            answer = Endpoint(f"{address}/v1", "m", "secret").ask(CALL)
    assert answer.text == "fine"
    assert asked and "secret" not in json.dumps(asked)


def test_a_kept_answer_of_another_kind(tmp_path):
    """a kept answer that is none is asked again"""
    path = tmp_path / "verdicts.jsonl"
    path.write_text('{"key": "a", "text": 5}\n{"key": "b", "text": "x", "seconds": "y"}\n{"key": "c", "text": "x"}\n')
    cache = Cache(path)
    assert (cache.answer("a"), cache.answer("b")) == (None, None)
    assert cache.answer("c").text == "x"


# a hub

NAMES = ["../x.jsonl", "a/../../x.jsonl", "/etc/x.jsonl", "..", "a/..", "..\\x.jsonl", "a\\..\\..\\x"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_leads_out_of_the_folder(name, tmp_path):
    """a file of the hub whose name leads out of the folder"""
    with pytest.raises(DataError, match="leads out of its folder"):
        download("owner/name", name, local_dir=tmp_path / "mirror")
    assert not (tmp_path / "mirror").exists()


HEADERS = {
    "a commit that leads out": {"X-Repo-Commit": "../../../../evil", "ETag": '"abc"'},
    "a tag that leads out": {"X-Repo-Commit": "0" * 40, "ETag": '"../../../../../evil"'},
    "a redirect to a file": {"Location": "file:///etc/passwd", "X-Repo-Commit": "0" * 40, "ETag": '"abc"'},
}


@pytest.mark.slow
@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
@pytest.mark.parametrize("way", ["cache", "mirror"])
def test_a_hub_whose_headers_lie(way, headers, tmp_path, run_python):
    """a hub that answers with names or redirects that lead out of its folder"""
    body = b'{"premise": "x"}\n'
    status = 302 if "Location" in headers else 200
    to = ["--to", tmp_path / "home" / "mirror"] if way == "mirror" else []
    with serving(reply(body, status, **headers)) as (address, _):
        run_python("lm_eval_sea.cli", "data", "fetch", "--tasks", "sea_xcopa_vi_to_ppl", *to, online=address)
    outside = [path for path in tmp_path.rglob("*evil*") if not path.is_relative_to(tmp_path / "home")]
    assert outside == []
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"root:" not in path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"<html>login</html>", b"", b"\x00" * 1000], ids=["page", "empty", "zeros"])
def test_a_hub_whose_files_are_something_else(body, tmp_path, run_python):
    """a hub that serves a page for the rows: `data check` says so, and no run takes it"""
    folder = tmp_path / "hub" / "sail" / "Sailcompass_data" / "data" / "xcopa"
    folder.mkdir(parents=True)
    (folder / "vi_test.jsonl").write_bytes(body)
    with HubServer(tmp_path / "hub") as hub:
        run_python("lm_eval_sea.cli", "data", "fetch", "--tasks", "sea_xcopa_vi_to_ppl", online=hub.url)
        process = run_python("lm_eval_sea.cli", "data", "check", "--tasks", "sea_xcopa_vi_to_ppl", online=hub.url)
    assert process.returncode == 1
    assert "Traceback" not in process.stderr and "vi_test.jsonl" in process.stdout


def promise(handler, length):
    """The head of an answer that says that the file has that many bytes."""
    handler.send_response(200)
    for name, value in {"X-Repo-Commit": "0" * 40, "ETag": '"abc"', "Content-Length": str(length)}.items():
        handler.send_header(name, value)
    handler.end_headers()


def short(handler):
    """Says that the file is longer than what it sends."""
    promise(handler, 5000)
    if handler.command == "GET":
        handler.wfile.write(b'{"premise": "x"}\n')


def long(handler):
    """Says that the file is short, and never ends."""
    promise(handler, 20)
    if handler.command == "GET":
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
        except OSError:
            pass


@pytest.mark.slow
@pytest.mark.parametrize("server", [short, long], ids=["too short", "endless"])
def test_a_hub_whose_sizes_lie(server, tmp_path, run_python):
    """a hub that sends less than it says, or does not stop: nothing half is kept as whole"""
    mirror = tmp_path / "mirror"
    with serving(server) as (address, _):
        process = run_python("lm_eval_sea.cli", "data", "fetch", "--tasks", "sea_xcopa_vi_to_ppl", "--to", mirror, online=address)
    found = [path for path in mirror.rglob("vi_test.jsonl")]
    if process.returncode == 0:
        assert [path.stat().st_size for path in found] == [20]
    else:
        assert found == []
        assert "Traceback" not in process.stderr
