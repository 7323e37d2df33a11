"""The output of a run: secrets masked, lost readers ignored, repeated warnings shown once."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lm_eval_sea.results.secrets import KnownSecrets, masked_text
from lm_eval_sea.results.visible_text import some_names

_READER_IS_GONE = (errno.EPIPE, errno.EIO)  # a pipe whose reader has ended, a terminal that is closed
DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _Stream:
    """Wraps a text stream: masks secrets, and ignores a reader that is gone and other errors in `unheeded`."""

    def __init__(self, stream: Any, mask: Callable[[str], str], unheeded: Sequence[int] = _READER_IS_GONE) -> None:
        self._stream, self._mask, self._unheeded = stream, mask, unheeded

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._without_reader():
            self._stream.write(self._mask(text))
        return len(text)

    def flush(self) -> None:
        with self._without_reader():
            self._stream.flush()

    @contextlib.contextmanager
    def _without_reader(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno not in self._unheeded:
                raise
            with contextlib.suppress(OSError, ValueError):  # a stream without a file
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextlib.contextmanager
def guarded_output(secrets: KnownSecrets) -> Iterator[None]:
    """Inside, what is printed or logged has no secrets, and a closed terminal or pipe does not end the run.

    Log handlers that libraries made earlier keep the old streams; what they write is masked, too.
    """
    make_record = logging.getLogRecordFactory()

    def mask(text: str) -> str:
        return secrets.masked(masked_text(text))

    def record(*arguments: Any, **named: Any) -> logging.LogRecord:
        made = make_record(*arguments, **named)  # perhaps a library's, with its own entries
        message = made.getMessage
        vars(made)["getMessage"] = lambda: mask(message())
        if made.exc_info:
            made.exc_text = mask("".join(traceback.format_exception(*made.exc_info)).rstrip())
        return made

    # tasks print prompts to stdout: only known secrets are masked there, not text of data sets that looks like one
    # a full disk is ignored for stderr, because the results are worth more than the log
    out, err = _Stream(sys.stdout, secrets.masked), _Stream(sys.stderr, mask, _READER_IS_GONE + DISK_IS_FULL)
    logging.setLogRecordFactory(record)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield
    finally:
        out.flush()
        if logging.getLogRecordFactory() is record:  # else a library wrapped it, and its handlers need that
            logging.setLogRecordFactory(make_record)


@contextlib.contextmanager
def warnings_once() -> Iterator[None]:
    """Shows only the first of warnings that differ only in the task; at the end of the block, one line names the other tasks.

    A warning's first value is the task. Errors are all shown, because each has its own reason.
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
                logger.warning("the warning about %s also holds for %s", first, some_names(names))
