"""A small OpenAI-compatible server on the loopback interface that gives planted verdicts and plants faults."""

import json
import re
import threading
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULTS = ("429", "500", "truncated", "cut", "no choices")


class JudgeServer:
    """What was asked, and what is answered."""

    def __init__(self, verdict: Callable[[dict], str], faults: dict[int, str] | None = None):
        self.verdict = verdict  # body of a request → the judge's words
        self.faults = faults or {}  # number of a request, from 1 → one of FAULTS, or an HTTP status
        self.requests: list[dict] = []
        self.keys: list[str] = []
        self.lock = threading.Lock()
        self.base_url = ""

    def answered(self, body: dict) -> bytes:
        message = {"role": "assistant", "content": self.verdict(body)}
        completion = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        completion["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
        completion["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return json.dumps(completion).encode()


@contextmanager
def serving(verdict, faults=None):
    """A running server; it ends with the block."""
    judge = JudgeServer(verdict, faults)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with judge.lock:
                judge.requests.append(body)
                judge.keys.append(self.headers.get("Authorization", ""))
                fault = judge.faults.get(len(judge.requests))
            if fault in ("cut", "truncated"):
                content = judge.answered(body)
                half = content[: len(content) // 2]
                self._reply(200, half, length=len(content) if fault == "cut" else len(half))
                self.close_connection = True
            elif fault == "no choices":
                self._reply(200, b'{"id": "1"}')
            elif fault:
                self._reply(int(fault), b'{"error": {"message": "planted"}}')
            else:
                self._reply(200, judge.answered(body))

        def _reply(self, status, content, length=None):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("retry-after-ms", "1")
            self.send_header("Content-Length", str(len(content) if length is None else length))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    judge.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield judge
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def own_tag(body: dict) -> str:
    """The verdict's tag that a question of the pack's own names, which follows the texts that are judged."""
    return re.findall(r"<(verdict-\w+)>", body["messages"][1]["content"])[-1]
