"""The pack's warnings in lm-eval's log: in its format, and once per run where only the task differs."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

PACK_LOGGER = "lm_eval_sea"
_NAMES_SHOWN = 4


class OncePerCause(logging.Filter):
    """Lets the first warning of each kind through and gathers the tasks of the others.

    A kind is a message before its values are filled in; the first value is the task.
    """

    def __init__(self) -> None:
        """Starts with no warning seen."""
        super().__init__()
        self._tasks: dict[str, list[str]] = defaultdict(list)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is to be shown."""
        if record.levelno < logging.WARNING or not isinstance(record.args, tuple) or not record.args:
            return True
        tasks = self._tasks[str(record.msg)]
        tasks.append(str(record.args[0]))
        return len(tasks) == 1

    def held_back(self) -> Iterator[str]:
        """A line for each kind of which warnings were held back."""
        for first, *others in self._tasks.values():
            if names := [name for name in dict.fromkeys(others) if name != first]:
                some = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
                yield f"what was said of {first} also holds for {len(names)} more: {some}"


@contextmanager
def warnings_as_of_lm_eval() -> Iterator[None]:
    """Inside, the pack's log looks like lm-eval's own, from the same level on. At the end what was held back is named."""
    logger, once = logging.getLogger(PACK_LOGGER), OncePerCause()
    handlers = [handler for handler in logging.getLogger("lm_eval").handlers if handler not in logger.handlers]
    propagated, level = logger.propagate, logger.level
    logger.setLevel(logging.getLogger("lm_eval").level)
    logger.addFilter(once)
    for handler in handlers:
        logger.addHandler(handler)
    logger.propagate = propagated and not handlers  # else a handler of the root logger shows it again
    try:
        yield
    finally:
        logger.removeFilter(once)
        for line in once.held_back():
            logger.warning("%s", line)
        for handler in handlers:
            logger.removeHandler(handler)
        logger.propagate = propagated
        logger.setLevel(level)
