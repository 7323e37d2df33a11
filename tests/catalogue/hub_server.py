"""A hub on this machine: serves a mirror folder through the part of the hub's API that downloads call.

A mirror folder holds OWNER/NAME/PATH, as lm_eval_sea/samples does. Point HF_ENDPOINT at `Hub.url`.

What `datasets` 5.2 and `huggingface_hub` 2.4 ask for, REV being a branch or a commit:

    HEAD, GET  /datasets/OWNER/NAME/resolve/REV/PATH         a file; its commit, ETag and size in the headers
    GET        /api/datasets/OWNER/NAME[/revision/REV]       {"id", "sha", "siblings", …}
    GET        /api/datasets/OWNER/NAME/tree/REV[/FOLDER]    entries of a folder; ?recursive=true for all below

Of models they ask for the same, with /api/models for /api/datasets and without /datasets; a mirror holds both alike.

What is missing is told by the status 404 and the header X-Error-Code: RepoNotFound, RevisionNotFound or EntryNotFound. Files of a
gated repository are refused with 401 (no token) or 403 (a token without access) and GatedRepo.
"""

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from ..loopback import reply, serving

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


class Hub(NamedTuple):
    """The hub while it is served."""

    url: str  # the endpoint
    requests: list[str]  # what was asked for, "METHOD ADDRESS" each
    repository: Callable[[str], Repository]  # by its name


@contextmanager
def serving_hub(mirror: Path, closed: Mapping[str, tuple[int, str]] = MappingProxyType({})) -> Iterator[Hub]:
    """The hub, on the loopback interface. `closed`: repository → status and X-Error-Code that its files are refused with."""
    requests: list[str] = []
    repository = functools.cache(functools.partial(Repository, mirror))

    def at_its_commit(match: re.Match) -> Repository:
        found = repository(match["repository"])
        if match["revision"] in (None, "main", found.commit):
            return found
        raise HubError("RevisionNotFound")

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requests.append(f"{handler.command} {handler.path}")
        address = urlsplit(handler.path)
        path = unquote(address.path)
        try:
            if (match := RESOLVE.fullmatch(path)) and match["repository"] in closed:
                status, code = closed[match["repository"]]
                send = reply(b"", status, **{"X-Error-Code": code})
            elif match:
                content, etag = at_its_commit(match).file(match["path"])
                send = reply(content, ETag=f'"{etag}"', **{"X-Repo-Commit": at_its_commit(match).commit})
            elif match := INFO.fullmatch(path):
                send = reply(at_its_commit(match).info())
            elif match := TREE.fullmatch(path):
                recursive = parse_qs(address.query).get("recursive") == ["true"]
                send = reply(at_its_commit(match).tree(match["path"] or "", recursive=recursive))
            else:
                raise HubError("EntryNotFound")
        except HubError as error:
            send = reply(b"", 404, **{"X-Error-Code": str(error)})
        send(handler)

    with serving(answer) as (url, _):
        yield Hub(url, requests, repository)
