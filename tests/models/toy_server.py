"""A server of OpenAI's chat API on the loopback interface whose behaviour a test chooses."""

import json
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from ..loopback import listening, reply


@dataclass
class Answer:
    """A stream of pieces, `(field, text)`, or `(None, line)`; it ends without a finish_reason if `finish` is None."""

    pieces: list
    finish: str | None = "stop"
    usage: dict | None = None
    pause: float = 0.0  # seconds before each piece


@dataclass
class Status:
    """A reply in one piece."""

    code: int
    body: object
    headers: dict = field(default_factory=dict)
    content_type: str = "application/json"


HANG, DROP = "hang", "drop"


def text(answer, **more):
    return Answer([("content", answer)], **more)


def refusal(message, param=None, code=400):
    return Status(code, {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": None}})


class ToyServer:
    """`behave(body, number)` is asked for the reply to the request of that number; a status to /models is `models`.

    With `prompt_end` it tells what its chat template makes of messages, as vLLM's does: their contents, and that end, or what
    that function makes of what is asked. A token is a character.
    """

    def __init__(self, behave, models, prompt_end):
        self.behave, self.models, self.prompt_end = behave, models or Status(404, {}), prompt_end
        self.looks = 0  # requests for its models
        self.requests, self.headers, self.times, self.at_once, self.most_at_once = [], [], [], 0, 0
        self.lock, self.ended = threading.Lock(), threading.Event()

    def tokens(self, path, body):
        if self.prompt_end is None or path not in ("/tokenize", "/detokenize"):
            return Status(404, {"detail": "Not Found"})
        if path == "/detokenize":
            return Status(200, {"prompt": "".join(map(chr, body["tokens"]))})
        contents = [message["content"] for message in body.get("messages", [])]
        end = self.prompt_end(body) if callable(self.prompt_end) else self.prompt_end
        rendered = body["prompt"] if "prompt" in body else "".join([*contents, end])
        return Status(200, {"tokens": list(map(ord, rendered))})


@contextmanager
def serve(behave, models=None, prompt_end=None):
    """Yields the server, with its `base_url`."""
    toy = ToyServer(behave, models, prompt_end)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):  # noqa: N802
            toy.looks += 1
            self.send(toy.models)

        def do_POST(self):  # noqa: N802
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/chat/completions"):
                self.send(toy.tokens(self.path, body))
                return
            with toy.lock:
                number = len(toy.requests)
                toy.requests.append(body)
                toy.headers.append(self.headers)
                toy.times.append(time.monotonic())
                toy.at_once += 1
                toy.most_at_once = max(toy.at_once, toy.most_at_once)
            made = toy.behave(body, number)
            with toy.lock:  # before the client, which has its answer, can send the next request
                toy.at_once -= 1
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send(made)

        def send(self, made):
            self.close_connection = True
            if made == DROP:
                return
            if made == HANG:
                toy.ended.wait()
                return
            if isinstance(made, Status):
                reply(made.body, made.code, **{"Content-Type": made.content_type, "Connection": "close"} | made.headers)(self)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Connection", "close")
            self.end_headers()
            events = [
                {"choices": [{"index": 0, "delta": {name: piece}, "finish_reason": None}]} if name else piece
                for name, piece in made.pieces
            ]
            if made.finish:
                events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": made.finish}]})
            if made.usage:
                events.append({"choices": [], "usage": made.usage})
            for event in events:
                toy.ended.wait(made.pause)
                line = event if isinstance(event, str) else f"data: {json.dumps(event)}"
                self.wfile.write(f"{line}\n\n".encode())
                self.wfile.flush()
            if made.finish:
                self.wfile.write(b"data: [DONE]\n\n")

    with listening(Handler) as address:
        toy.base_url = f"{address}/v1"
        try:
            yield toy
        finally:
            toy.ended.set()
