"""A limit on what a server sends in reply, for one that never ends, or that unpacks to more than the memory holds."""

from __future__ import annotations

from collections.abc import Iterator

import httpx

LONGEST = 32 * 2**20  # bytes; an answer of 16,384 tokens has a few hundred thousand


class TooLongError(httpx.ReadError):
    """A reply that is no answer."""


class _Bounded(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        length = 0
        for chunk in self._stream:
            length += len(chunk)
            if length > LONGEST:
                raise TooLongError(f"a reply of more than {LONGEST / 1e6:.0f} MB")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def bounded(response: httpx.Response) -> None:
    """Limits what is read of a response; a hook of httpx's client.

    Raises:
        TooLongError: for a packed one, which was not asked for.
    """
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise TooLongError("a packed reply, which was not asked for")
    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = _Bounded(response.stream)
