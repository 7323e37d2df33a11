"""Signals that end a command. Needs no heavy library, so that it is at work while these are imported."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Inside, SIGTERM, which clusters send before they take a machine away, is what Ctrl-C is."""
    if threading.current_thread() is not threading.main_thread():  # only that one may change what a signal does
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
