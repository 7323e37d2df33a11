"""What a run says: without secrets, also where nobody listens any more, and of alike warnings one."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from lm_eval_sea.results.secrets import KnownSecrets, masked_text
from lm_eval_sea.results.visible_text import some_names

_NOBODY_LISTENS = (errno.EPIPE, errno.EIO)  # a pipe whose reader has ended, a terminal that is closed


class _Stream:
    """Stands before a stream of text: secrets are masked, and a reader who is gone is no error."""

    def __init__(self, stream: Any, mask: Callable[[str], str]) -> None:
        self._stream, self._mask = stream, mask

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._unheard():
            self._stream.write(self._mask(text))
        return len(text)

    def flush(self) -> None:
        with self._unheard():
            self._stream.flush()

    @contextlib.contextmanager
    def _unheard(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno not in _NOBODY_LISTENS:
                raise
            with contextlib.suppress(OSError, ValueError):  # a stream without a file
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextlib.contextmanager
def guarded_output(secrets: KnownSecrets) -> Iterator[None]:
    """Inside, what is printed or logged has no secrets, and a closed terminal or pipe ends nothing.

    vLLM logs behind it, too, when its engine ends.

    Handlers of logs that libraries made before write to the streams as they were; what they write is masked, too.
    """
    make_record = logging.getLogRecordFactory()

    def mask(text: str) -> str:
        return secrets.masked(masked_text(text))

    def record(*arguments: Any, **named: Any) -> logging.LogRecord:
        """Some of a log's lines have settings in them, others what a server or library says of a request."""
        made = make_record(*arguments, **named)  # perhaps a library's, with entries of its own
        message = made.getMessage
        vars(made)["getMessage"] = lambda: mask(message())
        if made.exc_info:
            made.exc_text = mask("".join(traceback.format_exception(*made.exc_info)).rstrip())
        return made

    # what a task prints of its prompts is text of data sets, in which nothing is masked by its looks
    out, err = _Stream(sys.stdout, secrets.masked), _Stream(sys.stderr, mask)
    logging.setLogRecordFactory(record)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield
    finally:
        out.flush()
        if logging.getLogRecordFactory() is record:  # else a library put one before it, whose entries its handlers need
            logging.setLogRecordFactory(make_record)


@contextlib.contextmanager
def warnings_once() -> Iterator[None]:
    """Inside, of warnings that differ in the task alone the first is shown; at the end the other tasks are named.

    A warning's first value is the task. Errors, each of which has a reason of its own, are all shown.
    """
    logger = logging.getLogger("lm_eval_sea")
    tasks: dict[str, list[str]] = defaultdict(list)  # message before its values are filled in → tasks

    def is_new(record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING or not isinstance(record.args, tuple) or not record.args:
            return True
        tasks[str(record.msg)].append(str(record.args[0]))
        return len(tasks[str(record.msg)]) == 1

    logger.addFilter(is_new)
    try:
        yield
    finally:
        logger.removeFilter(is_new)
        for first, *others in tasks.values():
            if names := [name for name in dict.fromkeys(others) if name != first]:
                logger.warning("what was said of %s also holds for %s", first, some_names(names))
