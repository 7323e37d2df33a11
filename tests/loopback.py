"""Servers on the loopback interface."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def listening(kind: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server whose requests a class handles; yields its address."""
    kind.log_message = lambda *_: None
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # a client that goes away
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serving(answer):
    """A server; `answer` gets the handler of each request. Yields its address and what was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(dict(self.headers))
            self.body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            answer(self)

        do_GET = do_HEAD = do_POST

    with listening(Handler) as address:
        yield address, asked


def reply(content, status=200, **headers):
    """An answer with this body."""

    def answer(handler):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(data))} | headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(data)

    return answer


def completion(content="fine", **usage):
    message = {"role": "assistant", "content": content}
    made = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [{"index": 0, "message": message}]}
    return made | {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2} | usage}
