"""Signals that end a command. Imports no heavy library, so that it is active while those are imported."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def _at_fork(*, block: bool, in_child: bool = False) -> None:
    if signal.getsignal(signal.SIGTERM) is signal.default_int_handler:  # set below
        if in_child:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK if block else signal.SIG_UNBLOCK, {signal.SIGTERM})


# lm-eval's bootstrap ends a pool of forked processes with SIGTERM. A process that took it for Ctrl-C could wait for ever; so
# could one that got it before its own handler was set.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _at_fork(block=True),
        after_in_parent=lambda: _at_fork(block=False),
        after_in_child=lambda: _at_fork(block=False, in_child=True),
    )


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Inside, SIGTERM (which clusters send before they take a machine away) acts as Ctrl-C; forked processes end at once.

    Closing the terminal (SIGHUP) does not end the command.
    """
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    closed = signal.signal(signal.SIGHUP, signal.SIG_IGN) if hasattr(signal, "SIGHUP") else None
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, closed)


@contextmanager
def interrupted_afterwards() -> Iterator[None]:
    """Delays Ctrl-C and SIGTERM until the end of the block, also for commands that are called in it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: came.append(number)) for number in numbers]
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)  # commands inherit this
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt
