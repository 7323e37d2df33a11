"""A hub on this machine: serves a mirror folder through the part of the hub's API that downloads call.

A mirror folder holds OWNER/NAME/PATH, as lm_eval_sea/samples does. Point HF_ENDPOINT at `HubServer.url`.

What `datasets` 5.2 and `huggingface_hub` 2.4 ask for, REV being a branch or a commit:

    HEAD, GET  /datasets/OWNER/NAME/resolve/REV/PATH         a file; its commit, ETag and size in the headers
    GET        /api/datasets/OWNER/NAME[/revision/REV]       {"id", "sha", "siblings", …}
    GET        /api/datasets/OWNER/NAME/tree/REV[/FOLDER]    entries of a folder; ?recursive=true for all below

Of models they ask for the same, with /api/models for /api/datasets and without /datasets; a mirror holds both alike.

What is missing is told by the status 404 and the header X-Error-Code: RepoNotFound, RevisionNotFound or EntryNotFound. Files of a
gated repository are refused with 401 (no token) or 403 (a token without access) and GatedRepo.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

REPOSITORY = r"(?P<repository>[^/]+/[^/]+)"
REVISION = r"(?P<revision>refs/convert/parquet|[^/]+)"
RESOLVE = re.compile(rf"(?:/datasets)?/{REPOSITORY}/resolve/{REVISION}/(?P<path>.+)")
INFO = re.compile(rf"/api/(?:datasets|models)/{REPOSITORY}(?:/revision/{REVISION})?")
TREE = re.compile(rf"/api/(?:datasets|models)/{REPOSITORY}/tree/{REVISION}(?:/(?P<path>.*))?")


class HubError(Exception):
    """Something is missing; the hub's word for it."""


class Repository:
    """A repository of the mirror at its only commit, whose hash comes from the content."""

    def __init__(self, mirror: Path, name: str) -> None:
        self.name, self._folder = name, mirror / name
        if not self._folder.is_dir():
            raise HubError("RepoNotFound")
        paths = sorted(path for path in self._folder.rglob("*") if path.is_file())
        self._etags = {path.relative_to(self._folder).as_posix(): hashlib.sha1(path.read_bytes()).hexdigest() for path in paths}
        self.commit = hashlib.sha1(json.dumps(self._etags).encode()).hexdigest()

    def file(self, path: str) -> tuple[bytes, str]:
        """The content of a file and its ETag."""
        if path not in self._etags:
            raise HubError("EntryNotFound")
        return (self._folder / path).read_bytes(), self._etags[path]

    def info(self) -> dict[str, object]:
        siblings = [{"rfilename": path} for path in self._etags]
        return {"id": self.name, "sha": self.commit, "private": False, "gated": False, "tags": [], "siblings": siblings}

    def tree(self, folder: str, *, recursive: bool) -> list[dict[str, object]]:
        start = self._folder / folder
        if not start.is_dir():
            raise HubError("EntryNotFound")
        return [self._entry(path) for path in sorted(start.rglob("*") if recursive else start.iterdir())]

    def _entry(self, path: Path) -> dict[str, object]:
        name = path.relative_to(self._folder).as_posix()
        if path.is_dir():
            return {"type": "directory", "path": name, "size": 0, "oid": hashlib.sha1(name.encode()).hexdigest()}
        return {"type": "file", "path": name, "size": path.stat().st_size, "oid": self._etags[name]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # leaves connections open, as the clients expect

    def do_GET(self) -> None:
        self.server.requests.append(f"{self.command} {self.path}")
        address = urlsplit(self.path)
        path = unquote(address.path)
        try:
            if (match := RESOLVE.fullmatch(path)) and match["repository"] in self.server.closed:
                status, code = self.server.closed[match["repository"]]
                self._send(status, b"", {"X-Error-Code": code} if code else {})
            elif match:
                repository = self._repository(match)
                content, etag = repository.file(match["path"])
                self._send(200, content, {"ETag": f'"{etag}"', "X-Repo-Commit": repository.commit})
            elif match := INFO.fullmatch(path):
                self._send_json(self._repository(match).info())
            elif match := TREE.fullmatch(path):
                recursive = parse_qs(address.query).get("recursive") == ["true"]
                self._send_json(self._repository(match).tree(match["path"] or "", recursive=recursive))
            else:
                raise HubError("EntryNotFound")
        except HubError as error:
            self._send(404, b"", {"X-Error-Code": str(error)})

    do_HEAD = do_GET

    def _repository(self, match: re.Match) -> Repository:
        repository = self.server.repository(match["repository"])
        if match["revision"] in (None, "main", repository.commit):
            return repository
        raise HubError("RevisionNotFound")

    def _send_json(self, answer: object) -> None:
        self._send(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Nothing on stderr; `HubServer.requests` has it."""


class HubServer:
    """The hub, on a free port of the loopback interface, while the `with` block runs.

    Attributes:
        url: the endpoint.
        requests: what was asked for, "METHOD ADDRESS" each.
    """

    def __init__(self, mirror: Path, closed: dict[str, tuple[int, str]] | None = None) -> None:
        """`closed`: repository → status and X-Error-Code that its files are refused with."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.repository = self.repository = functools.cache(functools.partial(Repository, mirror))
        self._server.requests = self.requests = []
        self._server.closed = closed or {}
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> HubServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
