"""A limit on what a server sends in reply, for one that never ends, or that unpacks to more than the memory holds."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

LONGEST = 32 * 2**20  # bytes; an answer of 16,384 tokens has a few hundred thousand


class _Bounded:
    """A stream that raises `error` where it has more than `LONGEST` bytes."""

    def __init__(self, stream: Any, error: type[Exception]) -> None:
        self._stream, self._error = stream, error

    def __iter__(self) -> Iterator[bytes]:
        length = 0
        for chunk in self._stream:
            length += len(chunk)
            if length > LONGEST:
                raise self._error(f"a reply of more than {LONGEST / 1e6:.0f} MB")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def bounded(client: type) -> Callable[[Any], None]:
    """Makes a hook for responses that limits what is read of them.

    Args:
        client: the class of HTTP client that the hook is for: that of httpx, or in newer releases of openai that of httpx2.

    Returns:
        The hook. It raises a `ReadError` of that library for a packed reply, which was not asked for; a longer one than `LONGEST`
        raises it when it is read.
    """
    base = next(kind for kind in client.__mro__ if kind.__name__ == "Client")
    library: Any = importlib.import_module(base.__module__.partition(".")[0])

    stream_of_library = type("BoundedStream", (_Bounded, library.SyncByteStream), {})

    def limit(response: Any) -> None:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise library.ReadError("a packed reply, which was not asked for")
        response.stream = stream_of_library(response.stream, library.ReadError)

    return limit
